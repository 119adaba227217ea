/**
 * The official conformance suite and the inspector of MCP. They need Node 22 or newer and are large, so only the long
 * form of the tests installs them, with a Node of their own.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CACHE } from './cache.ts';

const run = promisify(execFile);

const NODE = `node-${process.platform}-${process.arch}`;
const PACKAGES = [
  `${NODE}@24.21.0`,
  '@modelcontextprotocol/conformance@0.1.16',
  '@modelcontextprotocol/inspector@2.12.0',
];
const FOLDER = join(CACHE, 'mcp-tools');
const MODULES = join(FOLDER, 'node_modules');

/** Returns why the tools cannot be used, or null. */
export async function installMcpTools(): Promise<string | null> {
  if (existsSync(join(MODULES, '@modelcontextprotocol/inspector'))) return null;
  try {
    await mkdir(FOLDER, { recursive: true });
    await run('npm', ['install', '--prefix', FOLDER, '--no-audit', '--no-fund', ...PACKAGES], {
      timeout: 600_000,
    });
    return null;
  } catch (error) {
    return `npm could not install the tools: ${error instanceof Error ? error.message.slice(0, 200) : error}`;
  }
}

interface Ran {
  readonly code: number;
  readonly output: string;
}

async function runTool(file: string, given: readonly string[]): Promise<Ran> {
  const node = join(MODULES, NODE, 'bin/node');
  try {
    const { stdout, stderr } = await run(node, [join(MODULES, file), ...given], {
      timeout: 300_000,
      maxBuffer: 1e8,
    });
    return { code: 0, output: stdout + stderr };
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as { code?: number; stdout?: string; stderr?: string };
    return { code: code ?? 1, output: stdout + stderr };
  }
}

export const conformance = (...given: string[]): Promise<Ran> =>
  runTool('@modelcontextprotocol/conformance/dist/index.js', given);

export const inspector = (...given: string[]): Promise<Ran> =>
  runTool('@modelcontextprotocol/inspector/clients/launcher/build/index.js', given);

/** The suite cannot send an API key. This proxy adds it, and leaves Host and Origin as they are. */
export async function addKeyProxy(url: string, key: string): Promise<{ url: string; close(): void }> {
  const { hostname, port } = new URL(url);
  const server = createServer((asked, answer) => {
    const headers = { ...asked.headers, 'x-api-key': key };
    const passed = request({ hostname, port, method: asked.method, path: asked.url, headers }, (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers);
      got.pipe(answer);
    });
    passed.on('error', () => answer.destroy());
    asked.pipe(passed);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const own = (server.address() as AddressInfo).port;
  return { url: `http://localhost:${own}`, close: () => void server.close().closeAllConnections() };
}
