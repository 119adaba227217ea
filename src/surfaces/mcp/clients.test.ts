/** Two client libraries, over HTTP and over stdio, against the server as it is started by an operator. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createMCPClient } from '@ai-sdk/mcp';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount, createKey } from '../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { behindProxy, connectMcp, type McpServer, startMcp } from '../../testing/mcp.ts';

const PROGRAM = fileURLToPath(new URL('../../../bin/hostplane.mjs', import.meta.url));

let t: TestApp;
let mcp: McpServer;
let key: string;

beforeAll(async () => {
  // The first start of the program builds it, which takes longer than a client waits for a server.
  await promisify(execFile)(process.execPath, [PROGRAM, '--version']);
  t = await createTestApp({ provider: behindProxy });
  mcp = await startMcp(t);
  ({ key } = await createKey(t.services.db, await createAccount(t.services.db)));
});
afterAll(async () => {
  await mcp?.close();
  await t?.close();
});

type Call = (tool: string, given: object) => Promise<string>;

/** What every client has to be able to do. */
async function useAll(call: Call): Promise<void> {
  expect(await call('search_operations', { query: 'show all my servers' })).toContain('listVms');
  expect(await call('describe_operations', { ids: ['listVms'] })).toContain('label_selector');
  expect(JSON.parse(await call('call_read', { operation: 'listVms' }))).toMatchObject({
    status: 200,
    data: [],
  });
}

const textOf = ({ content }: { content?: unknown }): string =>
  (content as readonly { readonly text?: string }[])[0]?.text ?? '';

const callOf =
  (client: Client): Call =>
  async (name, given) =>
    textOf(await client.callTool({ name, arguments: { ...given } }));

describe('the official client', () => {
  it.each(['auto', 'legacy'] as const)(
    'lists, searches, describes and calls over HTTP (%s)',
    async (mode) => {
      const { client, close } = await connectMcp(mcp.url, key, { mode });
      expect(client.getNegotiatedProtocolVersion()).toMatch(mode === 'auto' ? /^2026-/ : /^2025-/);
      expect((await client.listTools()).tools).toHaveLength(7);
      expect(client.getInstructions()).toContain('customer_text');
      await useAll(callOf(client));
      await close();
    },
  );

  it.each(['auto', 'legacy'] as const)('does the same over stdio (%s)', async (mode) => {
    const env = { PATH: process.env['PATH'] ?? '', HOSTPLANE_URL: mcp.url, HOSTPLANE_API_KEY: key };
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [PROGRAM, 'mcp'], env }),
    );
    expect((await client.listTools()).tools).toHaveLength(7);
    expect((await client.listPrompts()).prompts).toHaveLength(3);
    await useAll(callOf(client));
    await expect(client.callTool({ name: 'no_tool', arguments: {} })).rejects.toThrow(/no tool/);
    await client.close();
  });

  it('gets over stdio what is wrong with its key', async () => {
    const env = { PATH: process.env['PATH'] ?? '', HOSTPLANE_URL: mcp.url, HOSTPLANE_API_KEY: 'hpk1_wrong' };
    const client = new Client({ name: 'test', version: '1' });
    const transport = new StdioClientTransport({ command: process.execPath, args: [PROGRAM, 'mcp'], env });
    await expect(client.connect(transport)).rejects.toThrow(/56 characters/);
    await client.close();
  });
});

describe('a program that closes its end of stdio', () => {
  it('still gets the answers to its requests, and then the end', async () => {
    const env = { PATH: process.env['PATH'] ?? '', HOSTPLANE_URL: mcp.url, HOSTPLANE_API_KEY: key };
    const program = spawn(process.execPath, [PROGRAM, 'mcp'], { env, stdio: ['pipe', 'pipe', 'inherit'] });
    const ended = once(program, 'close');
    const ask = (id: number, method: string, params: object): string =>
      `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
    const tool = { name: 'call_read', arguments: { operation: 'listVms' } };
    const client = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    };
    program.stdin.end(ask(1, 'initialize', client) + ask(2, 'tools/list', {}) + ask(3, 'tools/call', tool));
    const lines = (await text(program.stdout)).trim().split('\n');
    const ids = lines.map((line) => (JSON.parse(line) as { id: number }).id);
    expect(ids.sort()).toEqual([1, 2, 3]);
    expect((await ended)[0]).toBe(0);
  });
});

describe('methods other than POST', () => {
  it.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    '405: %s says that POST is offered',
    async (method) => {
      for (const path of ['/mcp', '/mcp/readonly']) {
        const answer = await fetch(`${mcp.url}${path}`, { method, headers: { 'x-api-key': key } });
        expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
      }
    },
  );
});

describe('a notification', () => {
  it('gets an answer without a body, so that stdio writes nothing for it', async () => {
    const answer = await fetch(`${mcp.url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'x-api-key': key,
      },
      body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
    });
    expect([answer.status, await answer.text()]).toEqual([202, '']);
  });
});

describe('the client of the AI SDK', () => {
  it('lists, searches, describes and calls', async () => {
    const client = await createMCPClient({
      transport: { type: 'http', url: `${mcp.url}/mcp`, headers: { 'X-API-Key': key } },
    });
    const tools = await client.tools();
    expect(Object.keys(tools)).toHaveLength(7);
    await useAll(async (name, given) => {
      const tool = tools[name];
      if (tool?.execute === undefined) throw new Error(`There is no tool ${name}.`);
      return textOf((await tool.execute(given, { toolCallId: '1', messages: [] } as never)) as object);
    });
    await client.close();
  });
});

describe('resources and prompts', () => {
  it('give the OpenAPI document of one operation, the state of the account and three tasks', async () => {
    const { client, close } = await connectMcp(mcp.url, key);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates[0]?.uriTemplate).toBe('hostplane://operations/{operation}');
    const { contents } = await client.readResource({ uri: 'hostplane://operations/createVm' });
    const document = JSON.parse((contents[0] as { text: string }).text);
    expect(document.paths['/flexible-vps/v1/vms'].post.operationId).toBe('createVm');
    expect(Object.keys(document.components.schemas)).toContain('ResourceName');
    const page = await client.readResource({ uri: 'hostplane://account' });
    expect(JSON.parse((page.contents[0] as { text: string }).text)).toHaveProperty('usage');
    await expect(client.readResource({ uri: 'hostplane://operations/none' })).rejects.toThrow();
    const prompt = await client.getPrompt({ name: 'plan_change', arguments: { goal: 'a "better" server' } });
    expect(JSON.stringify(prompt.messages)).toContain('dry_run');
    await expect(client.getPrompt({ name: 'plan_change' })).rejects.toThrow(/goal/);
    await close();
  });
});
