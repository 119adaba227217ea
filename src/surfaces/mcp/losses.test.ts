/** A write asks to be confirmed if something is lost that no other call brings back. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Vm } from '../../families/flexible-vps/vms/schema.ts';
import { type McpClient, openAssistant } from '../../testing/mcp.ts';
import type { VpsAccount } from '../../testing/vps.ts';

let home: VpsAccount;
let agent: McpClient;
let close: () => Promise<void>;
let vm: Vm;
let reserved: string;

beforeAll(async () => {
  ({ home, agent, close } = await openAssistant());
  reserved = (await home.reserveAddress()).id;
  vm = await home.vm({ name: 'web' });
  await home.do('POST', `vms/${vm.id}/public-ips`, { ip_id: reserved });
});
afterAll(() => close?.());

const act = (body: object) => ({ operation: 'performVmAction', path: { id: 'web' }, body });
const detach = (ip_id: string | undefined) => ({
  operation: 'detachVmPublicIp',
  path: { id: 'web', ip_id },
});
const ephemeral = (): string | undefined =>
  vm.public_ips.find(({ ip_id, version }) => ip_id !== reserved && version === 4)?.ip_id;

describe('a call that loses something for good', () => {
  it.each([
    ['an address that is released', () => detach(ephemeral()), 'which is released'],
    ['unsaved data of a machine that is forced off', () => act({ type: 'power_off' }), 'not yet written'],
    ['unsaved data of a machine that is reset', () => act({ type: 'reset' }), 'not yet written'],
    [
      'unsaved data, if the guest does not shut down in time',
      () => act({ type: 'shutdown', on_timeout: 'force' }),
      'not yet written',
    ],
    [
      'a password',
      () => ({ operation: 'resetVmPassword', path: { id: 'web' }, body: { username: 'root' } }),
      'The present password of',
    ],
  ])('asks: %s', async (_, call, lost) => {
    const before = await home.readVm(vm.id);
    const dry = (await agent.call('call_write', { ...call(), dry_run: true })).json;
    const { json } = await agent.call('call_write', call());
    expect(json).toMatchObject({
      code: 'confirmation_required',
      detail: expect.stringContaining('destroys something'),
      would_lose: [{ loss: { what: expect.stringContaining(lost), recoverable: false } }],
      confirm_with: expect.any(String),
    });
    expect(dry.confirm_with).toEqual(expect.any(String));
    expect(await home.readVm(vm.id)).toEqual(before);
  });
});

it.each([
  ['a machine that is asked to shut down', () => act({ type: 'shutdown' })],
  ['an address that stays in the account', () => detach(reserved)],
])('what can be had again is not asked about: %s', async (_, call) => {
  const own = await agent.call('call_write', { ...call(), dry_run: true });
  expect([own.isError, own.json.confirm_with]).toEqual([false, undefined]);
});

it('a call that loses something for good is made with the confirmation', async () => {
  const { confirm_with } = (await agent.call('call_write', detach(ephemeral()))).json;
  const { isError } = await agent.call('call_write', { ...detach(ephemeral()), confirm: confirm_with });
  expect(isError).toBe(false);
});
