/** A batch with an idempotency_key can be repeated: what was made answers as before, and the rest is made. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createKey } from '../../testing/accounts.ts';
import type { TestApp } from '../../testing/app.ts';
import { connectMcp, type McpClient, type McpServer, openAssistant } from '../../testing/mcp.ts';
import type { VpsAccount } from '../../testing/vps.ts';

let t: TestApp;
let close: () => Promise<void>;
let mcp: McpServer;
let home: VpsAccount;
let agent: McpClient;

beforeAll(async () => {
  ({ t, mcp, home, agent, close } = await openAssistant());
});
afterAll(() => close?.());

const firewall = (name: string) => ({ operation: 'createVpsFirewall', body: { name } });
const rename = (id: string, name: string) => ({
  operation: 'updateVpsFirewall',
  path: { id },
  body: { name },
});
const remove = (id: string) => ({ operation: 'deleteVpsFirewall', path: { id } });

const named = async (name: string): Promise<{ id: string }[]> =>
  (await t.call({ url: `/flexible-vps/v1/firewalls?name=${name}`, key: home.key })).json().data;

// biome-ignore lint/suspicious/noExplicitAny: the tests read members of any answer.
type Shown = any;
const withoutRequestIds = (calls: Shown[]): Shown[] =>
  calls.map(({ request_id: _, replayed: __, ...call }) => call);

it('the same batch with the same key answers as before, and makes nothing twice', async () => {
  const calls = [firewall('once'), rename('$0.id', 'once-more'), firewall('twin')];
  const given = { calls, idempotency_key: 'again-1' };
  const first = await agent.call('call_write', given);
  const second = await agent.call('call_write', given);
  expect([first.isError, second.isError]).toEqual([false, false]);
  expect(second.json.calls.map(({ replayed }: Shown) => replayed)).toEqual([true, true, true]);
  expect(withoutRequestIds(second.json.calls)).toEqual(withoutRequestIds(first.json.calls));
  expect([await named('once'), await named('once-more')]).toMatchObject([[], [{}]]);
});

it('a confirmed batch that deletes by name answers as before, although the names are gone', async () => {
  for (const name of ['gone-a', 'gone-b']) await agent.call('call_write', firewall(name));
  const given = { calls: [remove('gone-a'), remove('gone-b')], idempotency_key: 'again-2' };
  const { confirm_with: confirm } = (await agent.call('call_destructive', given)).json;
  const first = await agent.call('call_destructive', { ...given, confirm });
  const second = await agent.call('call_destructive', { ...given, confirm });
  expect([first.isError, second.isError]).toEqual([false, false]);
  expect(withoutRequestIds(second.json.calls)).toEqual(withoutRequestIds(first.json.calls));
});

it('a batch that stopped goes on where it stopped', async () => {
  await agent.call('call_write', firewall('in-the-way'));
  const read = { operation: 'getVpsFirewall', path: { id: '$0.id' } };
  // What needs the answer of a later read cannot be rehearsed with the others.
  const calls = [firewall('start'), read, rename('$1.id', 'in-the-way'), firewall('end')];
  const given = { calls, idempotency_key: 'again-3' };
  const stopped = await agent.call('call_write', given);
  expect(stopped.json).toMatchObject({ code: 'name_taken', call: 2 });
  const [start] = await named('start');
  const [other] = await named('in-the-way');
  await home.send('PATCH', `firewalls/${other?.id}`, { name: 'out-of-the-way' });
  const dry = await agent.call('call_write', { ...given, dry_run: true });
  expect(dry.json.calls[0]).toMatchObject({ rehearsed: expect.stringContaining('made before') });
  const { isError, json } = await agent.call('call_write', given);
  expect([isError, json.calls?.map(({ replayed = false }: Shown) => replayed)]).toEqual([
    false,
    [true, false, false, false],
  ]);
  expect([await named('start'), await named('in-the-way')]).toMatchObject([[], [{ id: start?.id }]]);
});

it('the same key with other calls makes these', async () => {
  const idempotency_key = 'again-4';
  await agent.call('call_write', { calls: [firewall('first-of-key')], idempotency_key });
  const { json } = await agent.call('call_write', { calls: [firewall('second-of-key')], idempotency_key });
  expect(json.calls).toMatchObject([{ status: 201 }]);
  expect(await named('second-of-key')).toHaveLength(1);
});

it('two calls that are the same are refused with a key, because it would count them as one', async () => {
  const calls = [firewall('same'), firewall('same')];
  const { json } = await agent.call('call_write', { calls, idempotency_key: 'again-5' });
  expect(json).toMatchObject({ code: 'validation_failed', call: 1 });
  expect(json.detail).toContain('Calls 0 and 1 are the same');
  expect(await named('same')).toEqual([]);
});

it('a key that may not make the call does not see what it answered', async () => {
  const given = { calls: [firewall('unseen')], idempotency_key: 'again-6' };
  await agent.call('call_write', given);
  const reader = await createKey(t.services.db, home.account, {
    permissions: ['flexible-vps:firewalls:read'],
  });
  const other = await connectMcp(mcp.url, reader.key);
  const { isError, json } = await other.call('call_write', given);
  await other.close();
  expect([isError, json.code, json.calls]).toEqual([true, 'permission_denied', undefined]);
});

it('a deletion that is repeated with its key answers as before', async () => {
  const { id } = (await agent.call('call_write', firewall('alone'))).json.data;
  const given = { ...remove(id), idempotency_key: 'again-7' };
  const { confirm_with: confirm } = (await agent.call('call_destructive', given)).json;
  const first = await agent.call('call_destructive', { ...given, confirm });
  const second = await agent.call('call_destructive', { ...given, confirm });
  expect([first.isError, second.isError, second.json.status]).toEqual([false, false, first.json.status]);
});
