import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { diskOf, haltInside, writeInside } from '../../../engines/compute/sandbox/guest-actions.ts';
import type { Sandbox } from '../../../engines/compute/sandbox/sandbox.ts';
import { addFault, clearFaults } from '../../../engines/compute/sandbox/store.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { outwaitGuests, settle } from '../../../testing/operations.ts';
import { VpsAccount } from '../../../testing/vps.ts';
import type { Snapshot } from '../snapshots/schema.ts';
import type { Vm } from '../vms/schema.ts';

let app: TestApp;
let mine: VpsAccount;
let vm: Vm;

beforeAll(async () => {
  app = await createTestApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  mine = await VpsAccount.open(app);
  vm = await mine.vm();
});
afterEach(() => clearFaults(app.services.db));

const room = () => (app.services.compute.at('fra1') as Sandbox).core;
const ref = () => ({ account: mine.account.id, id: vm.id });
const write = (text: string) => writeInside(room(), ref(), '/root/note', text);
const noted = async () => (await diskOf(room(), ref()))['/root/note'];
const take = async (): Promise<string> => (await mine.do('POST', `vms/${vm.id}/snapshots`, {})).id;
const snapshotIds = async (): Promise<string[]> =>
  (await mine.send('GET', `vms/${vm.id}/snapshots?sort=created_at`))
    .json<{ data: Snapshot[] }>()
    .data.map(({ id }) => id);
const power = (type: string) => mine.do('POST', `vms/${vm.id}/actions`, { type });

const restore = (snapshot_id: string, body: object = {}) =>
  mine.send('POST', `vms/${vm.id}/restore`, {
    source: { type: 'snapshot', snapshot_id },
    confirm: vm.name,
    ...body,
  });

async function restored(snapshotId: string, body: object = {}) {
  const answer = await restore(snapshotId, body);
  expect(answer.statusCode, answer.body).toBe(202);
  await settle(app);
  const id = answer.json<Vm>().operation?.id ?? '';
  return { id, vm: await mine.readVm(vm.id), operation: await mine.operation(id) };
}

const fault = (call: 'ensureRestored' | 'removeSnapshot' | 'requestShutdown' | 'ensureRunning', more = {}) =>
  addFault(app.services.db, {
    call,
    target: vm.id,
    effect: { kind: 'fail', code: 'engine_failed', detail: 'Told to.' },
    ...more,
  });

describe('a restore', () => {
  it('restores the disk and starts the machine, without running cloud-init', async () => {
    await write('before');
    const id = await take();
    await write('after');
    const boots = await bootsOfCloudInit();
    const answer = await restore(id);
    expect(answer.json()).toMatchObject({ status: 'restoring', operation: { type: 'vm.restore' } });
    await settle(app);
    const now = await mine.readVm(vm.id);
    const { started_at: _, updated_at: __, etag: ___, guest_agent: ____, ...kept } = vm;
    expect(now).toMatchObject({ ...kept, status: 'running', operation: null });
    expect(await noted()).toBe('before');
    expect(await bootsOfCloudInit()).toBe(boots);
    expect(await snapshotIds()).toEqual([id]);
    expect(await eventTypes()).toContain('vm.restored');
  });

  it('does not run cloud-init again although new user data was pending', async () => {
    const id = await take();
    await mine.do('PATCH', `vms/${vm.id}`, {
      user_data: '#cloud-config\n',
      apply_user_data_on_next_boot: true,
    });
    const boots = await bootsOfCloudInit();
    const { vm: now } = await restored(id);
    expect(await bootsOfCloudInit()).toBe(boots);
    expect(now.user_data_pending).toBe(true);
  });

  it.each([
    ['as_before', 'running', 'running'],
    ['as_before', 'stopped', 'stopped'],
    ['yes', 'stopped', 'running'],
    ['no', 'running', 'stopped'],
  ])('with start_after %s of a machine that is %s leaves it %s', async (start_after, before, after) => {
    const id = await take();
    if (before === 'stopped') await power('power_off');
    expect((await restored(id, { start_after })).vm).toMatchObject({ status: after });
    expect(await mine.instance(vm)).toMatchObject({ state: after });
  });

  it('stops a guest by force that ignores the shutdown request', async () => {
    const id = await take();
    await addFault(app.services.db, { target: vm.id, effect: { kind: 'ignore_shutdown' } });
    const restore = await restored(id);
    expect(restore.operation).toMatchObject({ status: 'running', waiting_for: 'guest' });
    expect(await outwaitGuests(app)).toBe(1);
    expect(await mine.operation(restore.id)).toMatchObject({ status: 'succeeded' });
  });

  it('409: to an older snapshot names the newer ones that would be deleted, and deletes them if allowed', async () => {
    await write('one');
    const [one, two, three] = [await take(), await take(), await take()];
    const refused = await restore(one);
    expect(refused.statusCode).toBe(409);
    expect(refused.json()).toMatchObject({ code: 'newer_snapshots_exist', snapshot_ids: [two, three] });
    await write('later');
    const dry = await mine.send('POST', `vms/${vm.id}/restore?dry_run=true`, {
      source: { type: 'snapshot', snapshot_id: one },
      confirm: vm.name,
      delete_newer_snapshots: true,
    });
    expect(dry.json().effects).toMatchObject([
      { action: 'wipe_disk', type: 'vm', id: vm.id, loss: { recoverable: false } },
      { action: 'delete', type: 'snapshot', id: three },
      { action: 'delete', type: 'snapshot', id: two },
    ]);
    await restored(one, { delete_newer_snapshots: true });
    expect(await snapshotIds()).toEqual([one]);
    expect((await mine.instance(vm))?.snapshots.map(({ id }) => id)).toEqual([one]);
    expect(await noted()).toBe('one');
  });

  it('is not hindered by the remains of a failed snapshot', async () => {
    const one = await take();
    await addFault(app.services.db, {
      call: 'observeInstance',
      target: vm.id,
      skip: 1,
      times: 1,
      effect: lost,
    });
    const { id } = (await mine.send('POST', `vms/${vm.id}/snapshots`, {})).json<Snapshot>();
    await settle(app);
    await app.services.db
      .updateTable('operations')
      .set({ deadline_at: sql`now()`, run_at: sql`now()` })
      .where('resource_id', '=', id)
      .execute();
    await settle(app);
    expect((await mine.instance(vm))?.snapshots).toHaveLength(2);
    expect((await restored(one)).operation).toMatchObject({ status: 'succeeded' });
    expect(await snapshotIds()).toEqual([one]);
  });
});

const lost = { kind: 'unreachable' } as const;

describe('a restore is refused', () => {
  it.each([
    ['without confirmation', { confirm: undefined }, '/confirm', 'confirmation_missing'],
    ['with another name', { confirm: 'other' }, '/confirm', 'confirmation_mismatch'],
    ['of a backup without its id', { source: { type: 'backup' } }, '/source/backup_id', 'required'],
    ['without its snapshot', { source: { type: 'snapshot' } }, '/source/snapshot_id', 'required'],
    [
      'of a snapshot nobody took',
      { source: { type: 'snapshot', snapshot_id: 'snap_01jqzv2m7xe9rs5d3k8w4t6y0b' } },
      '/source/snapshot_id',
      'unknown_reference',
    ],
    ['with what only backups have', { safety_backup: true }, '/safety_backup', 'incompatible'],
  ])('422: %s', async (_, body, pointer, code) => {
    const answer = await restore(await take(), body);
    expect(answer.statusCode, answer.body).toBe(422);
    expect(answer.json().errors).toMatchObject([{ pointer, code }]);
  });

  it('409: for a protected machine, one in rescue mode, and a busy one', async () => {
    const id = await take();
    await mine.do('PATCH', `vms/${vm.id}`, { protection: { redeploy: true } });
    expect((await restore(id)).json()).toMatchObject({ code: 'resource_protected' });
    await mine.do('PATCH', `vms/${vm.id}`, { protection: { redeploy: false } });
    await app.services.db
      .updateTable('vms')
      .set({ rescue_expires_at: sql`now() + interval '1 hour'` })
      .where('id', '=', vm.id)
      .execute();
    expect((await restore(id)).json()).toMatchObject({ code: 'vm_in_rescue' });
    await app.services.db
      .updateTable('vms')
      .set({ rescue_expires_at: null })
      .where('id', '=', vm.id)
      .execute();
    await mine.send('POST', `vms/${vm.id}/snapshots`, {});
    expect((await restore(id, { delete_newer_snapshots: true })).json()).toMatchObject({
      code: 'operation_in_progress',
    });
  });

  it('409: while a machine is being created from a snapshot that would be deleted', async () => {
    const [one, two] = [await take(), await take()];
    const copy = { type: 'snapshot', vm_id: vm.id, snapshot_id: two };
    await mine.send('POST', 'vms', {
      name: `c-${two.slice(-8)}`,
      location: 'fra1',
      plan: 'flex-2-4',
      source: copy,
    });
    const answer = await restore(one, { delete_newer_snapshots: true });
    expect(answer.json()).toMatchObject({ code: 'resource_in_use', used_by_count: 1 });
  });

  it('409: the snapshot that is being restored cannot be deleted', async () => {
    const id = await take();
    await restore(id);
    const answer = await mine.send('DELETE', `vms/${vm.id}/snapshots/${id}`);
    expect(answer.json()).toMatchObject({ code: 'resource_in_use', used_by: [{ type: 'vm', id: vm.id }] });
  });
});

describe('a restore that fails', () => {
  it('leaves the machine stopped, with its previous disk', async () => {
    await write('before');
    const id = await take();
    await write('after');
    await fault('ensureRestored');
    const { vm: now, operation } = await restored(id);
    expect(operation).toMatchObject({ status: 'failed', error: { code: 'engine_failed' } });
    expect(now).toMatchObject({ status: 'stopped', operation: null, started_at: null });
    await power('power_on');
    expect(await noted()).toBe('after');
  });

  it('leaves the machine running if it could not be stopped', async () => {
    const id = await take();
    await fault('requestShutdown');
    const { vm: now, operation } = await restored(id);
    expect(operation).toMatchObject({ status: 'failed' });
    expect(now).toMatchObject({ status: 'running', operation: null });
  });

  it('keeps exactly the snapshots that still exist', async () => {
    const ids = [await take(), await take(), await take(), await take()];
    await fault('removeSnapshot', { skip: 2 });
    const answer = await restore(ids[0] ?? '', { delete_newer_snapshots: true });
    await settle(app);
    await later(answer.json<Vm>().operation?.id);
    expect(await mine.operation(answer.json<Vm>().operation?.id ?? '')).toMatchObject({ status: 'failed' });
    expect(await snapshotIds()).toEqual(ids.slice(0, 2));
    expect((await mine.instance(vm))?.snapshots.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    expect((await mine.readVm(vm.id)).status).toBe('stopped');
  });

  it('without an answer of the engine is done once', async () => {
    await write('before');
    const id = await take();
    await addFault(app.services.db, {
      call: 'ensureRestored',
      target: vm.id,
      times: 1,
      effect: { kind: 'fail_after' },
    });
    const answer = await restore(id);
    await settle(app);
    expect((await mine.readVm(vm.id)).status).toBe('restoring');
    await later(answer.json<Vm>().operation?.id);
    expect(await mine.readVm(vm.id)).toMatchObject({ status: 'running' });
    expect(await noted()).toBe('before');
  });

  it('leaves the machine as before when it is cancelled in time, and cannot be cancelled later', async () => {
    const id = await take();
    await addFault(app.services.db, { call: 'requestShutdown', target: vm.id, times: 1, effect: lost });
    const answer = await restore(id);
    const operationId = answer.json<Vm>().operation?.id ?? '';
    await settle(app);
    const url = `/account/v1/operations/${operationId}/cancel`;
    expect((await app.call({ method: 'POST', url, key: mine.key })).statusCode).toBeLessThan(300);
    await settle(app);
    expect(await mine.operation(operationId)).toMatchObject({ status: 'cancelled' });
    expect(await mine.readVm(vm.id)).toMatchObject({ status: 'running', operation: null });

    await addFault(app.services.db, { call: 'ensureRestored', target: vm.id, times: 1, effect: lost });
    const second = (await restore(id)).json<Vm>().operation?.id ?? '';
    await settle(app);
    const tooLate = await app.call({
      method: 'POST',
      url: `/account/v1/operations/${second}/cancel`,
      key: mine.key,
    });
    expect(tooLate.json()).toMatchObject({ code: 'not_cancellable' });
  });
});

describe('a restore that is cancelled while the guest shuts down', () => {
  const cancel = (id: string) =>
    app.call({ method: 'POST', url: `/account/v1/operations/${id}/cancel`, key: mine.key });

  async function waiting(): Promise<string> {
    const snapshot = await take();
    // The guest does not react to the request yet.
    await addFault(app.services.db, { call: 'requestShutdown', target: vm.id, effect: { kind: 'lie' } });
    const { id, operation } = await restored(snapshot);
    expect(operation).toMatchObject({ status: 'running', waiting_for: 'guest' });
    expect((await cancel(id)).statusCode).toBeLessThan(300);
    await settle(app);
    expect(await mine.operation(id)).toMatchObject({ status: 'cancelling', waiting_for: 'guest' });
    return id;
  }

  it('starts the machine again once the guest is off', async () => {
    const id = await waiting();
    await haltInside(room(), ref(), 'shutdown');
    await later(id);
    expect(await mine.operation(id)).toMatchObject({ status: 'cancelled' });
    expect(await mine.readVm(vm.id)).toMatchObject({ status: 'running', operation: null });
    expect(await mine.instance(vm)).toMatchObject({ state: 'running' });
  });

  it('leaves the machine running if its guest ignores the request', async () => {
    const id = await waiting();
    expect(await outwaitGuests(app)).toBe(1);
    expect(await mine.operation(id)).toMatchObject({ status: 'cancelled' });
    expect(await mine.readVm(vm.id)).toMatchObject({ status: 'running', operation: null });
  });

  it('does not delay a deletion', async () => {
    const id = await waiting();
    expect((await mine.send('DELETE', `vms/${vm.id}`)).statusCode).toBe(202);
    await later(id);
    await settle(app);
    expect(await mine.instance(vm)).toBeNull();
  });
});

async function later(operationId: string | undefined): Promise<void> {
  await app.services.db
    .updateTable('operations')
    .set({ run_at: sql`now()` })
    .where('id', '=', operationId ?? '')
    .execute();
  await settle(app);
}

async function bootsOfCloudInit(): Promise<number> {
  const log = (await app.services.compute.at('fra1')?.readConsoleLog(ref(), 100_000)) ?? '';
  return log.split('modules:final').length;
}

const eventTypes = async (): Promise<string[]> =>
  (
    await app.services.db
      .selectFrom('events')
      .select('type')
      .where('account_id', '=', mine.account.id)
      .execute()
  ).map(({ type }) => type);
