/** `hostplane mcp`: the program that customers install, as an editor starts it. */
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveMcp } from '../../src/surfaces/mcp/routes.ts';
import { programPath } from './testing/program.ts';
import { openSite, runLine, type Site } from './testing/site.ts';

let site: Site;
let program: string;
beforeAll(async () => {
  site = await openSite({}, (server, { services }) => serveMcp(server, services));
  // A copy in a folder of its own has no checkout around it.
  program = join(site.folders.folder, 'hostplane.cjs');
  await copyFile(await programPath(), program);
});
afterAll(() => site.close());

const start = async (args: readonly string[], env: Readonly<Record<string, string>>) => {
  const client = new Client({ name: 'test', version: '1' });
  const all = { PATH: process.env['PATH'] ?? '', ...site.folders.env, ...env };
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [program, 'mcp', ...args], env: all }),
  );
  return client;
};

describe('the installed program', () => {
  it('offers the tools of the server, with the key of a context', async () => {
    const login = await runLine(['login', '--context', 'assistant', '--url', site.url], {
      env: site.folders.env,
      input: site.key,
    });
    expect(login.code).toBe(0);
    const client = await start(['--context', 'assistant'], {});
    const { content } = await client.callTool({
      name: 'call_read',
      arguments: { operation: 'listVpsLocations' },
    });
    expect((content as readonly { text: string }[])[0]?.text).toContain('fra1');
    await client.close();
  });

  it('can only read with --readonly', async () => {
    const env = { HOSTPLANE_URL: site.url, HOSTPLANE_API_KEY: site.key };
    const client = await start(['--readonly'], env);
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toContain('call_read');
    expect(names).not.toContain('call_write');
    await client.close();
  });
});

describe('messages over stdio', () => {
  const answers = async (input: string, env = {}) => {
    const { out, code } = await site.line('mcp', { input, env });
    const lines = out.split('\n').filter((line) => line !== '');
    return { code, answers: lines.map((line) => JSON.parse(line) as Record<string, object>) };
  };
  const ask = (id: number, method: string, params = {}): string =>
    JSON.stringify({ jsonrpc: '2.0', id, method, params });

  it('are answered on one line each, also those without a newline at the end', async () => {
    const { code, answers: got } = await answers(`${ask(1, 'tools/list')}\n\n${ask(2, 'prompts/list')}`);
    expect([code, got.map(({ id }) => id).sort()]).toEqual([0, [1, 2]]);
  });

  it('that are not JSON get a protocol error, and later ones are answered', async () => {
    const { answers: got } = await answers(`nonsense\n${ask(1, 'tools/list')}\n`);
    expect(got).toContainEqual(
      expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32700 }) }),
    );
    expect(got.map(({ id }) => id)).toContain(1);
  });

  it('are answered with the reason if the server is unreachable', async () => {
    const env = { HOSTPLANE_URL: 'http://127.0.0.1:1' };
    const { answers: got } = await answers(ask(7, 'tools/list'), env);
    expect(got).toEqual([
      expect.objectContaining({
        id: 7,
        error: expect.objectContaining({ message: expect.stringContaining('Nothing answers') }),
      }),
    ]);
  });

  it('are answered with the problem if the key is wrong', async () => {
    const { answers: got } = await answers(ask(1, 'tools/list'), { HOSTPLANE_API_KEY: 'hpk1_wrong' });
    expect(JSON.stringify(got)).toMatch(/56 characters.*"code":"api_key_/);
  });
});

describe('without a server', () => {
  it('3: says how to log in', async () => {
    const { code, err } = await runLine(['mcp'], { env: { HOME: join(site.folders.folder, 'nobody') } });
    expect([code, err]).toEqual([3, expect.stringContaining('hostplane login')]);
  });

  it('never sends the key of a context to the address of --url', async () => {
    const { code, err } = await runLine(['mcp', '--url', site.url], {
      env: site.folders.env,
      input: `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })}\n`,
    });
    expect([code, err]).toEqual([3, expect.stringContaining('HOSTPLANE_API_KEY is not')]);
  });

  it('--print-config shows the settings, with the address of the server', async () => {
    const { code, out } = await runLine(['mcp', '--print-config'], {
      env: { HOSTPLANE_URL: 'https://api.example.com/' },
    });
    expect(code).toBe(0);
    expect(out).toContain('"url": "https://api.example.com/mcp"');
    expect(out).toContain('"HOSTPLANE_URL": "https://api.example.com"');
    expect(out).toContain('--preset ai-agent');
  });
});
