/** The calls of a batch change what the calls after them do, so these are rehearsed again when their turn comes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../../testing/app.ts';
import { type McpClient, openAssistant } from '../../testing/mcp.ts';
import { newMachine } from '../../testing/mcp-tasks/task.ts';
import { settle } from '../../testing/operations.ts';
import type { VpsAccount } from '../../testing/vps.ts';

let t: TestApp;
let close: () => Promise<void>;
let home: VpsAccount;
let agent: McpClient;

beforeAll(async () => {
  ({ t, home, agent, close } = await openAssistant());
  await home.send('POST', 'vms', newMachine('web'));
  for (const name of ['drop-a', 'drop-b']) await makeFirewall(name, 'drop');
  await makeFirewall('lax', 'allow');
  await settle(t);
  for (const name of ['drop-a', 'drop-b']) await write(attach(name));
  await settle(t);
});
afterAll(() => close?.());

const write = (call: object) => agent.call('call_write', call);
const makeFirewall = (name: string, default_in: string) =>
  write({ operation: 'createVpsFirewall', body: { name, default_in, default_out: 'allow' } });
const target = { type: 'vm', id: 'web' };
const attach = (id: string) => ({ operation: 'attachVpsFirewall', path: { id }, body: { target } });
const openAll = {
  operation: 'addVpsFirewallRule',
  path: { id: 'lax' },
  body: { direction: 'in', action: 'allow', protocol: 'any' },
};

async function firewallsOfWeb(): Promise<string[]> {
  const { data } = (await t.call({ url: '/flexible-vps/v1/vms?name=web', key: home.key })).json();
  return data[0].firewall_ids;
}

it('a call that opens more because of the calls before it is confirmed before any of them is made', async () => {
  const before = await firewallsOfWeb();
  const calls = [openAll, attach('lax')];
  const dry = (await write({ calls, dry_run: true })).json;
  expect(dry.calls[1].rehearsed).toMatch(/^after the calls before it/);
  const { json } = await write({ calls });
  expect([json.code, json.made]).toEqual(['confirmation_required', undefined]);
  expect(json.calls.at(-1)).toMatchObject({ operation: 'attachVpsFirewall', loosens: true });
  expect(await firewallsOfWeb()).toEqual(before);
  const done = await write({ calls, confirm: json.confirm_with });
  expect([done.isError, (await firewallsOfWeb()).length]).toEqual([false, before.length + 1]);
  await settle(t);
});

it('a call that is the last of several to loosen together is asked for before the first is made', async () => {
  const made = (await t.call({ url: '/flexible-vps/v1/firewalls', key: home.key })).json().data;
  const detach = (name: string) => {
    const firewall = made.find((each: { name: string }) => each.name === name);
    const path = { id: name, attachment_id: firewall.attachments[0].id };
    return { operation: 'detachVpsFirewall', path };
  };
  await write({ operation: 'updateVpsFirewall', path: { id: 'lax' }, body: { rules: [] } });
  await settle(t);
  const { json } = await write({ calls: [detach('drop-a'), detach('drop-b')] });
  expect(json).toMatchObject({
    code: 'confirmation_required',
    calls: [{ operation: 'detachVpsFirewall', loosens: true }],
    all_calls: [{ call: 0 }, { call: 1, changes: [{ loosens: false }, { loosens: true }] }],
  });
  expect(json.made).toBeUndefined();
});

it('a confirmed batch is not refused for a version that its own calls have changed', async () => {
  await makeFirewall('wide', 'allow');
  await settle(t);
  const rule = { ...openAll, path: { id: 'wide' } };
  expect((await write(rule)).isError).toBe(false);
  await settle(t);
  const calls = [attach('wide'), { operation: 'updateVm', path: { id: 'web' }, body: { description: 'x' } }];
  const asked = (await write({ calls })).json;
  expect(asked.code).toBe('confirmation_required');
  const { isError, json } = await write({ calls, confirm: asked.confirm_with });
  expect([isError, json.status]).toEqual([false, 200]);
});

it.each(['if_match', 'approval_id'])(
  '%s with several calls is refused, because it is for one call',
  async (name) => {
    const calls = [{ operation: 'updateVm', path: { id: 'web' }, body: { description: 'y' } }];
    const { json } = await write({ calls, [name]: 'op_1' });
    expect(json).toMatchObject({ code: 'validation_failed', next_step: expect.stringContaining('alone') });
  },
);

describe('the id of another type', () => {
  it.each([
    ['in a path', { operation: 'getVm', path: { id: '$0.id' } }, 'path/id'],
    ['in a path, by the name', { operation: 'getVm', path: { id: '$0.name' } }, 'path/id'],
    [
      'in a body',
      { operation: 'attachVpsFirewall', path: { id: 'lax' }, body: { target: { type: 'vm', id: '$0.id' } } },
      'body/target/id',
    ],
    ['in a query', { operation: 'listVpsVolumes', query: { vm_id: '$0.id' } }, 'query/vm_id'],
  ])('%s is refused before any call is made', async (_, second, place) => {
    const first = { operation: 'createVpsVolume', body: { name: 'wrong', size_gb: 10, location: 'fra1' } };
    const { isError, json } = await write({ calls: [first, second], dry_run: true });
    expect([isError, json.code, json.call]).toEqual([true, 'wrong_type', 1]);
    expect(json.detail).toContain(`takes a vm at ${place}`);
    expect(json.detail).toContain('names a volume');
  });

  it('is none if the types are the same', async () => {
    const first = { operation: 'createVpsFirewall', body: { name: 'right' } };
    const second = { operation: 'updateVpsFirewall', path: { id: '$0.id' }, body: { description: 'x' } };
    expect((await write({ calls: [first, second], dry_run: true })).isError).toBe(false);
  });
});
