/** The changes of a batch are rehearsed together, so that a person sees what they do to what the batch itself makes. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { TestApp } from '../../testing/app.ts';
import { type McpClient, openAssistant } from '../../testing/mcp.ts';
import { newMachine } from '../../testing/mcp-tasks/task.ts';
import type { VpsAccount } from '../../testing/vps.ts';
import { ApiCaller } from './inner-call.ts';

let t: TestApp;
let close: () => Promise<void>;
let home: VpsAccount;
let agent: McpClient;
let openId: string;

beforeAll(async () => {
  ({ t, home, agent, close } = await openAssistant());
  const open = { name: 'open', default_in: 'allow' };
  openId = (await write({ operation: 'createVpsFirewall', body: open })).json.data.id;
});
afterAll(() => close?.());

const write = (call: object) => agent.call('call_write', call);
const target = { type: 'vm', id: '$0.id' };
const machineWithParts = (name: string) => [
  { operation: 'createVm', body: newMachine(name) },
  { operation: 'createVpsVolume', body: { name, size_gb: 10, location: 'fra1', vm_id: '$0.id' } },
  { operation: 'attachVpsFirewall', path: { id: 'open' }, body: { target } },
];
const openAll = { direction: 'in', action: 'allow', protocol: 'any' };
const guardThatOpens = (name: string) => [
  { operation: 'createVpsFirewall', body: { name } },
  { operation: 'addVpsFirewallRule', path: { id: '$0.id' }, body: openAll },
];
const named = async (path: string, name: string): Promise<{ id: string }[]> =>
  (await t.call({ url: `/flexible-vps/v1/${path}?name=${name}`, key: home.key })).json().data;

/** A hash of all rows of each table. What is written beside the call itself, about keys and tokens, is left out. */
async function tables(): Promise<Record<string, string>> {
  const { db } = t.services;
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = current_schema() order by 1`.execute(db);
  const hashes: Record<string, string> = {};
  for (const { name } of rows) {
    if (['rehearsals', 'presence'].includes(name)) continue;
    const { rows: found } = await sql<{ hash: string }>`
      select md5(coalesce(string_agg(row::text, '|' order by row::text), '')) as hash
      from ${sql.table(name)} row`.execute(db);
    hashes[name] = found[0]?.hash ?? '';
  }
  return hashes;
}

it('shows price and effects of calls on what the batch makes', async () => {
  const { isError, json } = await write({ calls: machineWithParts('web'), dry_run: true });
  expect(isError).toBe(false);
  expect(json.calls).toMatchObject([
    { data: { effects: [{ action: 'create', type: 'vm' }] }, price: { monthly: '3.50' } },
    {
      rehearsed: expect.stringMatching(/^after the calls before it/),
      data: {
        effects: [
          { action: 'create', type: 'volume' },
          { action: 'attach', type: 'vm', id: '$0.id' },
        ],
      },
      price: { monthly: '0.44' },
    },
    {
      data: {
        effects: [{ action: 'attach', type: 'firewall', id: openId }],
        changes: [
          { customer_text: { text: 'attaches the firewall "open" to the machine "web"' }, loosens: false },
        ],
      },
    },
  ]);
  expect(json.price).toMatchObject({ monthly: '3.94', currency: 'EUR' });
});

it('leaves nothing in the database, and makes the calls as they were rehearsed', async () => {
  const calls = [...machineWithParts('kept'), ...guardThatOpens('kept').slice(0, 1)];
  await write({ calls, dry_run: true });
  const before = await tables();
  expect(Object.keys(before).length).toBeGreaterThan(50);
  await write({ calls, dry_run: true });
  expect(await tables()).toEqual(before);
  const { isError, json } = await write({ calls });
  expect([isError, json.calls?.length]).toEqual([false, 4]);
  expect(await named('vms', 'kept')).toHaveLength(1);
});

it('asks before the first call for what only a reference loosens, and takes the token once', async () => {
  const calls = guardThatOpens('guard');
  const { json } = await write({ calls });
  expect(json).toMatchObject({
    code: 'confirmation_required',
    calls: [{ operation: 'addVpsFirewallRule', changes: [{ loosens: true }] }],
    all_calls: [
      { call: 0, operation: 'createVpsFirewall', cost_change: { monthly: '0.00' } },
      { call: 1, operation: 'addVpsFirewallRule', changes: [{ loosens: true }] },
    ],
    cost_change_of_all: { monthly: '0.00' },
  });
  expect(await named('firewalls', 'guard')).toEqual([]);
  const confirm = json.confirm_with;
  const done = await write({ calls, confirm });
  expect([done.isError, done.json.calls?.length]).toEqual([false, 2]);
  const again = await write({ calls: guardThatOpens('other'), confirm });
  expect(again.json.code).toBe('confirmation_mismatch');
  expect(await named('firewalls', 'other')).toEqual([]);
});

it('a token is not for a batch with another call in it', async () => {
  const { confirm_with: confirm } = (await write({ calls: guardThatOpens('bound') })).json;
  const more = [...guardThatOpens('bound'), { operation: 'createVpsFirewall', body: { name: 'more' } }];
  expect((await write({ calls: more, confirm })).json.code).toBe('confirmation_mismatch');
  expect(await named('firewalls', 'bound')).toEqual([]);
});

it('a call that must wait until the thing is ready says so, with the total of what is known', async () => {
  const calls = [
    { operation: 'createVm', body: newMachine('later') },
    { operation: 'resizeVm', path: { id: '$0.id' }, body: { plan: 'flex-4-8' } },
    ...guardThatOpens('later').map(({ path, ...call }) => (path ? { ...call, path: { id: '$2.id' } } : call)),
  ];
  const dry = (await write({ calls, dry_run: true })).json;
  expect(dry.calls?.[1]).toMatchObject({
    rehearsed: expect.stringContaining('until call 0 has ended. Checked again after call 0'),
    price: null,
  });
  const { json } = await write({ calls });
  expect(json.code).toBe('confirmation_required');
  expect(json.all_calls[1].not_foreseen).toContain('Checked again after call 0');
  expect(await named('vms', 'later')).toEqual([]);
});

it('the price of a machine is known although its network is not ready yet', async () => {
  const network = { name: 'soon', location: 'fra1', ipv4_cidr: '10.79.0.0/24' };
  const networks = [{ network_id: '$0.id' }];
  const calls = [
    { operation: 'createVpsNetwork', body: network },
    { operation: 'createVm', body: newMachine('soon', { networks }) },
  ];
  const { json } = await write({ calls, dry_run: true });
  expect(json.calls[1]).toMatchObject({
    rehearsed: expect.stringContaining('The price is that without networks.'),
    price: { monthly: '3.50' },
  });
  expect(json.price.monthly).toBe('3.50');
});

it('calls that only together exceed a budget are refused before the first', async () => {
  const labels = { cap: 'on' };
  const thresholds = [{ percent: 80 }];
  const body = { amount: '5', action: 'block_new_cost', scope: { label_selector: 'cap=on' }, thresholds };
  const made = await write({ operation: 'setBudget', path: { id: 'cap' }, body });
  expect(made.json.errors).toBeUndefined();
  const calls = ['cap-a', 'cap-b'].map((name) => ({
    operation: 'createVm',
    body: { ...newMachine(name), labels },
  }));
  const { json } = await write({ calls });
  expect(json).toMatchObject({ code: 'budget_exceeded', call: 1, nothing_changed: true });
  expect(await named('vms', 'cap-a')).toEqual([]);
});

it('gives up rather than wait for the lock of another call, and says that each call was rehearsed alone', async () => {
  const original = ApiCaller.prototype.rehearse;
  vi.spyOn(ApiCaller.prototype, 'rehearse').mockImplementationOnce(function (this: ApiCaller, ...given) {
    return t.services.db.transaction().execute(async (tx) => {
      await sql`select 1 from firewalls where id = ${openId} for update`.execute(tx);
      return original.apply(this, given);
    });
  });
  const change = (description: string) => ({
    operation: 'updateVpsFirewall',
    path: { id: 'open' },
    body: { description },
  });
  const { isError, json } = await write({ calls: [change('a'), change('b')], dry_run: true });
  vi.restoreAllMocks();
  expect(isError).toBe(false);
  expect(json.calls[1].rehearsed).toMatch(/^as if the calls before it were not made/);
});
