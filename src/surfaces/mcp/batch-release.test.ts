/** A call of a batch that is refused only for what a call before it is about to change: a volume is detached, then deleted. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestApp } from '../../testing/app.ts';
import { type McpClient, openAssistant } from '../../testing/mcp.ts';
import { newMachine } from '../../testing/mcp-tasks/task.ts';
import type { VpsAccount } from '../../testing/vps.ts';

let t: TestApp;
let close: () => Promise<void>;
let home: VpsAccount;
let agent: McpClient;

const waiting = { prefer: 'wait=60' };

beforeAll(async () => {
  ({ t, home, agent, close } = await openAssistant({ works: true }));
  await home.send('POST', 'vms', newMachine('web'), waiting);
});
afterAll(() => close?.());

const write = (call: object) => agent.call('call_write', { wait_seconds: 60, ...call });
const rowOf = async (path: string, name: string) =>
  (await t.call({ url: `/flexible-vps/v1/${path}?name=${name}`, key: home.key })).json().data[0];
const detach = (id: string) => ({
  operation: 'performVpsVolumeAction',
  path: { id },
  body: { type: 'detach' },
});
const remove = (id: string) => ({ operation: 'deleteVpsVolume', path: { id } });

async function attachedVolume(name: string): Promise<void> {
  const { id: vm_id } = await rowOf('vms', 'web');
  await home.send('POST', 'volumes', { name, size_gb: 10, location: 'fra1', vm_id }, waiting);
}

it('is rehearsed again after it, so that one confirmation is enough to release and delete', async () => {
  await attachedVolume('spare');
  const calls = [detach('spare'), remove('spare')];
  const { json: dry } = await agent.call('call_destructive', { calls, dry_run: true });
  expect(dry.calls[1]).toMatchObject({
    rehearsed: expect.stringMatching(/^after the calls before it/),
    data: { effects: [{ action: 'delete', type: 'volume' }] },
  });
  const { json: asked } = await agent.call('call_destructive', { calls });
  expect(asked).toMatchObject({
    code: 'confirmation_required',
    calls: [{ operation: 'deleteVpsVolume', would_lose: [{ action: 'delete', type: 'volume' }] }],
  });
  expect((await rowOf('volumes', 'spare')).status).toBe('attached');
  const confirm = asked.confirm_with;
  const { json } = await agent.call('call_destructive', { calls, confirm, wait_seconds: 60 });
  expect(json).toMatchObject({ status: 200, calls: [{ status: 200 }, { status: 200 }] });
  expect(await rowOf('volumes', 'spare')).toBeUndefined();
});

it('works for a firewall that is detached and deleted', async () => {
  await write({ operation: 'createVpsFirewall', body: { name: 'guard', default_in: 'allow' } });
  const target = { type: 'vm', id: 'web' };
  await write({ operation: 'attachVpsFirewall', path: { id: 'guard' }, body: { target } });
  const found = await rowOf('firewalls', 'guard');
  const path = { id: 'guard', attachment_id: found.attachments[0].id };
  const calls = [
    { operation: 'detachVpsFirewall', path },
    { operation: 'deleteVpsFirewall', path: { id: 'guard' } },
  ];
  const { json: asked } = await agent.call('call_destructive', { calls });
  expect(asked.code).toBe('confirmation_required');
  const confirm = asked.confirm_with;
  const { json } = await agent.call('call_destructive', { calls, confirm });
  expect(json).toMatchObject({ status: 200 });
});

it('is refused at once if no call before it has to do with it', async () => {
  await attachedVolume('kept');
  const calls = [
    { operation: 'createPlacementGroup', body: { name: 'unrelated', location: 'fra1', policy: 'spread' } },
    remove('kept'),
  ];
  const { json } = await agent.call('call_destructive', { calls, dry_run: true });
  expect(json).toMatchObject({ code: 'resource_in_use', call: 1, nothing_changed: true });
});

it('asks at once for everything that it then takes away', async () => {
  const protection = (isOn: boolean) => ({
    operation: 'updateVm',
    path: { id: 'web' },
    body: { protection: { delete: isOn } },
  });
  await attachedVolume('data');
  await write(protection(true));
  const calls = [protection(false), { operation: 'deleteVm', path: { id: 'web' } }];
  const { json: asked } = await agent.call('call_destructive', { calls });
  expect(asked.calls).toMatchObject([
    { operation: 'updateVm', loosens: true },
    {
      operation: 'deleteVm',
      would_lose: expect.arrayContaining([expect.objectContaining({ action: 'detach', type: 'volume' })]),
    },
  ]);
  const { json } = await agent.call('call_destructive', { calls, confirm: asked.confirm_with });
  expect(json.status).toBe(200);
});
