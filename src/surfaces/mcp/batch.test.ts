import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../../testing/app.ts';
import { type McpClient, openAssistant } from '../../testing/mcp.ts';
import { newMachine } from '../../testing/mcp-tasks/task.ts';
import type { VpsAccount } from '../../testing/vps.ts';

let t: TestApp;
let close: () => Promise<void>;
let home: VpsAccount;
let agent: McpClient;

beforeAll(async () => {
  ({ t, home, agent, close } = await openAssistant({ works: true }));
  await home.send('POST', 'vms', newMachine('web'), { prefer: 'wait=60' });
});
afterAll(() => close?.());

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

describe('a batch that stops', () => {
  it('says which calls were made and which were not, and goes on with these', async () => {
    const read = { operation: 'getPlacementGroup', path: { id: '$0.id' } };
    // Only the answer of the read shows that the name is taken.
    const { isError, json } = await agent.call('call_write', {
      calls: [group('made-a'), read, group('$1.name'), read],
    });
    expect([isError, json.code, json.call, json.not_made]).toEqual([true, 'name_taken', 2, 2]);
    expect(json.detail).toContain('Calls 0 to 1 were made, calls 2 to 3 were not.');
    expect(json.made).toMatchObject([
      { call: 'createPlacementGroup', data: { customer_text: { name: 'made-a' } } },
      { call: 'getPlacementGroup' },
    ]);
    const [again, readAgain] = json.remaining_calls;
    expect(readAgain.path).toEqual({ id: json.made[0].data.id });
    const corrected = { ...again, body: { ...again.body, name: 'made-b' } };
    const { json: rest } = await agent.call('call_write', { calls: [corrected, readAgain] });
    expect(rest.calls).toMatchObject([{ status: 201 }, { status: 200 }]);
  });

  const budget = (amount: string, more: object = {}) => ({ amount, thresholds: [{ percent: 80 }], ...more });
  const amountOf = async (name: string) => {
    const { data } = (await t.call({ url: `/account/v1/budgets?name=${name}`, key: home.key })).json();
    return data[0]?.amount;
  };

  it('before a call that loosens something asks for the rest of the calls, and makes them when confirmed', async () => {
    const calls = [
      { operation: 'setBudget', path: { id: 'late' }, body: budget('10') },
      // What needs the answer of a later read cannot be rehearsed with the others.
      { operation: 'listBudgets', query: { name: '$0.name' } },
      { operation: 'setBudget', path: { id: '$1.data.0.id' }, body: budget('500') },
      group('after-late'),
    ];
    const asked = await agent.call('call_write', { calls, idempotency_key: 'late-1' });
    expect(asked.json).toMatchObject({
      code: 'confirmation_required',
      call: 2,
      made: [{ call: 'setBudget' }, { call: 'listBudgets' }],
    });
    expect(asked.json.detail).toContain('Calls 0 to 1 were made, calls 2 to 3 were not.');
    expect(asked.text).not.toContain('Nothing was');
    expect(await amountOf('late')).toBe('10.00');
    const { remaining_calls, confirm_with: confirm } = asked.json;
    const again = { calls: remaining_calls, confirm, idempotency_key: 'late-1' };
    expect((await agent.call('call_write', again)).json).toMatchObject({ status: 200 });
    expect(await amountOf('late')).toBe('500.00');
    expect(await named('placement-groups', 'after-late')).toHaveLength(1);
  });

  it('does not begin if what a late call loosens is known before', async () => {
    await agent.call('call_write', { operation: 'setBudget', path: { id: 'early' }, body: budget('10') });
    const body = budget('500', { description: 'for $0.name' });
    const calls = [group('with-early'), { operation: 'setBudget', path: { id: 'early' }, body }];
    const { json } = await agent.call('call_write', { calls });
    expect([json.code, json.made]).toEqual(['confirmation_required', undefined]);
    expect(await named('placement-groups', 'with-early')).toEqual([]);
    const { json: made } = await agent.call('call_write', { calls, confirm: json.confirm_with });
    expect(made.status).toBe(200);
    expect(await amountOf('early')).toBe('500.00');
  });
});

it('a member of an earlier answer is put into a longer text, but not into a script', async () => {
  const described = (name: string, description: string) => ({
    operation: 'createVpsFirewall',
    body: { name, description },
  });
  const calls = [
    group('first-of'),
    described('one-line', 'next to $0.name, for $1.50'),
    described('two-lines', 'a\n$0.name'),
  ];
  const { json } = await agent.call('call_write', { calls });
  expect(json.status).toBe(200);
  const [one] = await named('firewalls', 'one-line');
  const [two] = await named('firewalls', 'two-lines');
  expect([one, two]).toMatchObject([
    { description: 'next to first-of, for $1.50' },
    { description: 'a\n$0.name' },
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
  [
    'a member that an earlier answer does not have',
    'call_write',
    [group('x'), { operation: 'getPlacementGroup', path: { id: '$0.nothing' } }],
    'unknown_answer',
  ],
  [
    'a member that an earlier answer does not have, inside a text',
    'call_write',
    [group('x'), { operation: 'createVpsFirewall', body: { name: 'y', description: 'as $0.nmae' } }],
    'unknown_answer',
  ],
  [
    'an invalid body of a call that needs an earlier answer',
    'call_write',
    [
      { operation: 'createVpsFirewall', body: { name: 'x' } },
      { operation: 'updateVpsFirewall', path: { id: '$0.id' }, body: { description: 1, nmae: 'z' } },
    ],
    'validation_failed',
  ],
  [
    'an invalid query of a read that needs an earlier answer',
    'call_write',
    [
      { operation: 'createVm', body: newMachine('x') },
      { operation: 'listVmInterfaces', path: { id: '$0.id' }, query: { limit: 'many' } },
    ],
    'validation_failed',
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
