import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount, createKey, type TestAccount } from '../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { connectMcp, type McpClient, type McpServer, startMcp } from '../../testing/mcp.ts';

let t: TestApp;
let mcp: McpServer;
let account: TestAccount;
let key: string;
let agent: McpClient;

beforeAll(async () => {
  t = await createTestApp({ works: true });
  mcp = await startMcp(t);
  account = await createAccount(t.services.db);
  ({ key } = await createKey(t.services.db, account));
  agent = await connectMcp(mcp.url, key);
});
afterAll(async () => {
  await agent?.close();
  await mcp?.close();
  await t?.close();
});

it('try', async () => {
  console.log(agent.client.getServerVersion?.(), agent.client.getInstructions?.()?.slice(0, 50));
  const { tools } = await agent.client.listTools();
  console.log(
    encode(JSON.stringify({ tools })).length,
    tools.map((x) => x.name),
  );
  const show = async (tool: string, given: object = {}) => {
    const a = await agent.call(tool, given);
    console.log(tool, JSON.stringify(given), encode(a.text).length, a.isError, a.text.slice(0, 1500));
    return a;
  };
  await show('get_context');
  await show('search_operations', { query: 'spin up a server' });
  const d = await show('describe_operations', { ids: ['createVm'] });
  console.log(d.text);
  const c = await show('call_write', {
    operation: 'createVm',
    body: { name: 'web-1', location: 'fra1', plan: 's1', source: { type: 'image', image_id: 'debian-12' } },
    dry_run: true,
  });
  await show('call_read', { operation: 'listVpsPlans' });
  await show('call_read', { operation: 'listImages', fields: ['slug', 'name'] });
  const s = await show('call_write', {
    operation: 'createPlacementGroup',
    body: { name: 'pg', location: 'fra1', policy: 'spread' },
  });
  await show('call_destructive', { operation: 'deletePlacementGroup', path: { id: s.json.data?.id } });
  await show('call_read', { operation: 'deletePlacementGroup' });
  await show('call_destructive', {
    operation: 'deletePlacementGroup',
    path: { id: s.json.data?.id },
    confirm: 'pg',
  });
  await show('wait_operations', { operation_ids: ['op_01jqzv2m7xe9rs5d3k8w4t6y0b'], timeout_seconds: 0 });
  const r = await agent.client.readResource({ uri: 'hostplane://operations/createVm' });
  console.log(encode(JSON.stringify(r)).length);
  console.log(JSON.stringify(await agent.client.readResource({ uri: 'hostplane://account' })));
  console.log(
    (await agent.client.listPrompts()).prompts.length,
    await agent.client.getPrompt({ name: 'plan_change', arguments: { goal: 'x' } }),
  );
});
