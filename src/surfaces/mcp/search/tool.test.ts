import { afterAll, beforeAll, expect, it } from 'vitest';
import { createKey, type TestAccount } from '../../../testing/accounts.ts';
import type { TestApp } from '../../../testing/app.ts';
import { connectMcp, type McpClient, type McpServer, openAssistant } from '../../../testing/mcp.ts';
import { estimateTokens } from '../tokens.ts';

let t: TestApp;
let close: () => Promise<void>;
let mcp: McpServer;
let account: TestAccount;
let agent: McpClient;

beforeAll(async () => {
  const there = await openAssistant();
  ({ t, mcp, agent, close } = there);
  ({ account } = there.home);
});
afterAll(() => close?.());

it('a search that finds nothing answers with the nearest topics and what to do with them', async () => {
  const { json, text } = await agent.call('search_operations', { query: 'xyzzy qwrtzz' });
  expect(json.hits).toEqual([]);
  expect(json.topics).toHaveLength(8);
  expect(json.topics[0]).toMatchObject({ title: expect.any(String), operation: expect.any(String) });
  expect(json.note).toBe('Nothing here is about “xyzzy qwrtzz”.');
  expect(json.next_step).toContain('topics');
  expect(estimateTokens(text)).toBeLessThanOrEqual(900);
});

it('a search for what is not there says so, with the nearest topics and no hits', async () => {
  const { json } = await agent.call('search_operations', { query: 'load balancer' });
  expect(json.note).toBe('Nothing here is about load balancers.');
  expect(json.hits).toEqual([]);
  expect(json.topics.map(({ topic }: { topic: string }) => topic)).toEqual([
    'vm',
    'placement_group',
    'firewall',
  ]);
  expect(json.next_step).toContain('nearest topics');
});

it('a search that is only partly about what is there says so before its hits', async () => {
  const { json, text } = await agent.call('search_operations', { query: 'create a vm with a gpu' });
  expect(json.note).toContain('Nothing here is about GPUs.');
  expect(json.hits[0].operation).toBe('createVm');
  expect(json.topics[0].topic).toBe('vps_plan');
  expect(text.indexOf('"note"')).toBeLessThan(text.indexOf('"hits"'));
});

it('a search for what is there has no note', async () => {
  const { json } = await agent.call('search_operations', { query: 'create a vm' });
  expect(json).not.toHaveProperty('note');
  expect(json).not.toHaveProperty('topics');
});

it('a search within a family answers with topics of that family', async () => {
  const { json } = await agent.call('search_operations', { query: 'xyzzy qwrtzz', family: 'account' });
  expect(json.topics.map(({ operation }: { operation: string }) => operation)).toContain('getWhoami');
});

it('a search that finds only what the key may not call names the missing permissions', async () => {
  const { key } = await createKey(t.services.db, account, { permissions: ['account:pricing:read'] });
  const weak = await connectMcp(mcp.url, key);
  const { json } = await weak.call('search_operations', { query: 'delete a server', family: 'flexible-vps' });
  expect(json.hits).toEqual([]);
  expect(json.not_callable[0]).toEqual({ operation: 'deleteVm', missing: 'flexible-vps:vms:delete' });
  expect(json.next_step).toContain('callable_only');
  await weak.close();
});

it('the search understands typing errors and German', async () => {
  const first = async (query: string): Promise<string> =>
    (await agent.call('search_operations', { query })).json.hits[0].operation;
  expect(await first('delte my sevrer')).toBe('deleteVm');
  expect(await first('Server herunterfahren')).toBe('performVmAction');
});
