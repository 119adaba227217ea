import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { behindProxy, connectMcp, type McpClient, type McpServer, startMcp } from '../../testing/mcp.ts';
import { newMachine } from '../../testing/mcp-tasks/task.ts';
import { VpsAccount } from '../../testing/vps.ts';

let t: TestApp;
let mcp: McpServer;
let home: VpsAccount;
let agent: McpClient;

beforeAll(async () => {
  t = await createTestApp({ provider: behindProxy, works: true });
  mcp = await startMcp(t);
  home = await VpsAccount.open(t);
  agent = await connectMcp(mcp.url, home.key);
  await home.send('POST', 'vms', newMachine('web'), { prefer: 'wait=60' });
});
afterAll(async () => {
  await agent?.close();
  await mcp?.close();
  await t?.close();
});

const group = (name: string) => ({
  operation: 'createPlacementGroup',
  body: { name, location: 'fra1', policy: 'spread' },
});

const named = async (path: string, name: string): Promise<{ id: string }[]> =>
  (await t.call({ url: `/flexible-vps/v1/${path}?name=${name}`, key: home.key })).json().data;

it('calls are made one after the other, with members of earlier answers', async () => {
  const calls = [
    {
      operation: 'createVpsNetwork',
      body: { name: 'batch-net', location: 'fra1', ipv4_cidr: '10.78.0.0/24' },
    },
    { operation: 'attachVmInterface', path: { id: 'web' }, body: { network_id: '$0.id' } },
    { operation: 'listVmInterfaces', path: { id: 'web' } },
  ];
  const { isError, json } = await agent.call('call_write', { calls, wait_seconds: 60 });
  expect([isError, json.calls?.map(({ call }: { call: string }) => call)]).toEqual([
    false,
    ['createVpsNetwork', 'attachVmInterface', 'listVmInterfaces'],
  ]);
  const [net] = await named('networks', 'batch-net');
  const vm = (
    await t.call({ url: `/flexible-vps/v1/vms/${(await named('vms', 'web'))[0]?.id}`, key: home.key })
  ).json();
  expect(JSON.stringify(vm.interfaces)).toContain(net?.id);
});

it('a dry run rehearses all calls and changes nothing', async () => {
  const calls = [group('dry-a'), { operation: 'updateVm', path: { id: 'web' }, body: { name: 'other' } }];
  const { isError, json } = await agent.call('call_write', { calls, dry_run: true });
  expect(isError).toBe(false);
  expect(json).toMatchObject({
    dry_run: true,
    calls: [
      { data: { effects: [{ action: 'create' }] } },
      { data: { effects: [{ action: 'update' }] }, price: { monthly: '0.00' } },
    ],
  });
  expect([await named('placement-groups', 'dry-a'), await named('vms', 'other')]).toEqual([[], []]);
});

it('one token confirms all calls, and only these', async () => {
  for (const name of ['gone-a', 'gone-b']) await agent.call('call_write', group(name));
  const gone = (name: string) => ({ operation: 'deletePlacementGroup', path: { id: name } });
  const calls = [gone('gone-a'), gone('gone-b'), group('instead')];
  const asked = await agent.call('call_destructive', { calls });
  expect(asked.json).toMatchObject({
    code: 'confirmation_required',
    calls: [
      { operation: 'deletePlacementGroup', would_lose: [{ action: 'delete' }] },
      { operation: 'deletePlacementGroup', would_lose: [{ action: 'delete' }] },
    ],
  });
  const confirm = asked.json.confirm_with;
  const fewer = await agent.call('call_destructive', { calls: calls.slice(0, 2), confirm });
  expect(fewer.json.code).toBe('confirmation_mismatch');
  for (const name of ['gone-a', 'gone-b']) expect(await named('placement-groups', name)).toHaveLength(1);
  const { confirm_with } = (await agent.call('call_destructive', { calls })).json;
  expect((await agent.call('call_destructive', { calls, confirm: confirm_with })).isError).toBe(false);
  for (const name of ['gone-a', 'gone-b']) expect(await named('placement-groups', name)).toEqual([]);
  expect(await named('placement-groups', 'instead')).toHaveLength(1);
});

it('a confirmed batch may change the same resource twice', async () => {
  const { id } = (await agent.call('call_write', group('twice'))).json.data;
  const label = (value: string) => ({
    operation: 'updateVm',
    path: { id: 'web' },
    body: { labels: { a: value } },
  });
  const calls = [label('b'), label('c'), { operation: 'deletePlacementGroup', path: { id } }];
  const { confirm_with: confirm } = (await agent.call('call_destructive', { calls })).json;
  expect((await agent.call('call_destructive', { calls, confirm })).json.status).toBe(200);
});

it('nothing is done if one of the calls would be refused', async () => {
  const calls = [group('never-a'), { operation: 'updateVm', path: { id: 'nobody' }, body: { name: 'x' } }];
  const { isError, json } = await agent.call('call_write', { calls });
  expect([isError, json.code, json.call]).toEqual([true, 'not_found', 1]);
  expect(await named('placement-groups', 'never-a')).toEqual([]);
});

it('a batch that stops says which calls were made', async () => {
  const calls = [group('made-a'), { operation: 'getPlacementGroup', path: { id: '$0.nothing' } }];
  const { isError, json } = await agent.call('call_write', { calls });
  expect([isError, json.code, json.call, json.not_made]).toEqual([true, 'unknown_answer', 1, 1]);
  expect(json.made).toMatchObject([
    { call: 'createPlacementGroup', data: { customer_text: { name: 'made-a' } } },
  ]);
});

it.each([
  [
    'a destructive call in call_write',
    'call_write',
    [{ operation: 'deleteVm', path: { id: 'web' } }],
    'wrong_tool',
  ],
  ['a later answer', 'call_write', [{ ...group('x'), path: { id: '$0.id' } }], 'unknown_answer'],
  [
    'a destructive call on what the batch creates',
    'call_destructive',
    [group('x'), { operation: 'deletePlacementGroup', path: { id: '$0.id' } }],
    'not_in_one_batch',
  ],
  ['a member that calls do not have', 'call_write', [{ ...group('x'), force: true }], 'validation_failed'],
])('%s is refused before any call is made', async (_, tool, calls, code) => {
  const { isError, json } = await agent.call(tool, { calls });
  expect([isError, json.code]).toEqual([true, code]);
  expect(await named('placement-groups', 'x')).toEqual([]);
});

it.each([{}, { operation: 'createVm', calls: [group('x')] }])(
  'neither operation nor calls, or both, is refused: %j',
  async (given) => {
    expect((await agent.call('call_write', given)).json.code).toBe('validation_failed');
  },
);
