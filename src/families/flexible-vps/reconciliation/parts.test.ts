import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addFault, clearFaults, listFaults } from '../../../engines/compute/sandbox/store.ts';
import { MachineRoom } from '../../../testing/machine-room.ts';
import { settle } from '../../../testing/operations.ts';
import type { Snapshot } from '../snapshots/schema.ts';

let room: MachineRoom;
beforeAll(async () => {
  room = await MachineRoom.open();
});
afterAll(() => room.close());

const newsOf = async (id: string) => (await room.eventsOf(id)).slice(1);
const seenOf = async (id: string) => {
  const seen = await room.engine.observeInstance(room.ref(id));
  if (seen === null) throw new Error(`There is no machine ${id}.`);
  return seen;
};
const alarms = async (alarm: string): Promise<number> => {
  const { values } = await room.app.services.metrics.alarms.get();
  return values.find(({ labels }) => labels.alarm === alarm)?.value ?? 0;
};
/** Returns how many calls the fault rules affected, and clears the rules. */
const struck = async (): Promise<number> => {
  const { db } = room.app.services;
  const faults = await listFaults(db);
  await clearFaults(db);
  return faults.reduce((sum, fault) => sum + fault.struck, 0);
};
const act = async (id: string, type: string): Promise<void> => {
  await room.call('POST', `vms/${id}/actions`, { type });
  await settle(room.app);
};

const sold = { vcpus: 2, memoryMb: 4096, diskGb: 80 };
const larger = { vcpus: 4, memoryMb: 8192, diskGb: 80 };

describe('a machine whose size at the engine differs from its row', () => {
  it('gets its own size back while it is stopped, without an event', async () => {
    const { id, etag } = await room.create({ start: false });
    await room.engine.ensureSize(room.ref(id), larger);
    const before = await alarms('size_drift');
    await room.look();
    await room.look();
    expect((await seenOf(id)).size).toEqual(sold);
    expect((await room.read(id)).etag).toBe(etag);
    expect(await newsOf(id)).toEqual([]);
    expect(await alarms('size_drift')).toBe(before + 1);
  });

  it('keeps a larger size while it runs, and starts the next time with its own', async () => {
    const { id } = await room.create();
    await room.engine.ensureSize(room.ref(id), larger);
    const before = await alarms('size_drift');
    await room.look();
    expect(await seenOf(id)).toMatchObject({ state: 'running', size: larger });
    expect(await alarms('size_drift')).toBe(before + 1);
    await act(id, 'power_off');
    await act(id, 'power_on');
    expect(await seenOf(id)).toMatchObject({ state: 'running', size: sold });
  });

  it('gets missing resources while it runs', async () => {
    const { id } = await room.create();
    await room.befall(id, { size: { ...sold, vcpus: 1, diskGb: 40 } });
    await room.look();
    expect((await seenOf(id)).size).toEqual(sold);
  });

  it('keeps a disk that has grown, and is billed for it', async () => {
    const { id } = await room.create();
    const price = (await room.meterOf(id)) ?? 0;
    await room.engine.ensureSize(room.ref(id), { ...sold, diskGb: 160 });
    await room.look();
    await room.look();
    expect(await room.read(id)).toMatchObject({ disk_gb: 160, plan: 'flex-2-4', status: 'running' });
    expect(await room.meterOf(id)).toBeGreaterThan(price);
    expect(await newsOf(id)).toEqual(['vm.resized']);
  });

  it('starts even if the engine refuses its own size', async () => {
    const { id } = await room.create({ start: false });
    await room.engine.ensureSize(room.ref(id), larger);
    const { db } = room.app.services;
    await addFault(db, {
      call: 'ensureSize',
      effect: { kind: 'fail', code: 'engine_failed', detail: 'No.' },
    });
    await room.look();
    await act(id, 'power_on');
    expect(await struck()).toBe(2);
    expect(await room.read(id)).toMatchObject({ status: 'running', vcpus: 2 });
    expect((await seenOf(id)).size).toEqual(larger);
  });

  it('is not changed while an operation runs', async () => {
    const { id } = await room.create({ start: false });
    await room.engine.ensureSize(room.ref(id), larger);
    await room.app.services.db.updateTable('vms').set({ status: 'resizing' }).where('id', '=', id).execute();
    await room.look();
    expect((await seenOf(id)).size).toEqual(larger);
  });
});

describe('a machine whose boot source at the engine differs from its row', () => {
  const rescue = { sshKeys: [], passwordHash: null };

  it('boots from its own disk again', async () => {
    const { id, etag } = await room.create();
    await room.engine.ensureRescue(room.ref(id), rescue);
    await room.look();
    expect((await seenOf(id)).rescue).toEqual({ wanted: false, active: false });
    expect((await room.read(id)).etag).toBe(etag);
    expect(await newsOf(id)).toEqual([]);
  });

  it('boots from its own disk at its next start even without a run of the reconciler', async () => {
    const { id } = await room.create({ start: false });
    await room.engine.ensureRescue(room.ref(id), rescue);
    await act(id, 'power_on');
    expect((await seenOf(id)).rescue).toEqual({ wanted: false, active: false });
  });

  it('is not restarted while it runs the rescue system, and shows rescue mode', async () => {
    const { id } = await room.create();
    await room.engine.ensureRescue(room.ref(id), rescue);
    await room.halt(id, 'reboot');
    const { startedAt } = await seenOf(id);
    await room.look();
    await room.look();
    const vm = await room.read(id);
    expect(vm.rescue.active).toBe(true);
    expect(Date.parse(vm.rescue.expires_at ?? '')).toBeGreaterThan(Date.now() + 23 * 3_600_000);
    expect(await seenOf(id)).toMatchObject({ startedAt, rescue: { wanted: true, active: true } });
    expect(await newsOf(id)).toEqual(['vm.rescue_entered']);
  });

  it('shows that rescue mode was left if the engine says so', async () => {
    const { id } = await room.create();
    await room.call('POST', `vms/${id}/rescue`, { enabled: true, restart: false });
    await settle(room.app);
    await room.engine.ensureRescue(room.ref(id), null);
    await room.look();
    expect((await room.read(id)).rescue).toEqual({ active: false, expires_at: null });
    expect(await newsOf(id)).toEqual(['vm.rescue_entered', 'vm.rescue_left']);
  });
});

describe('a snapshot that the engine lost', () => {
  async function take(): Promise<{ vmId: string; id: string; path: string }> {
    const { id: vmId } = await room.create();
    const { id } = await room.call<Snapshot>('POST', `vms/${vmId}/snapshots`, {});
    await settle(room.app);
    return { vmId, id, path: `vms/${vmId}/snapshots/${id}` };
  }
  const snapshotsOf = async (vmId: string) =>
    (await room.call<{ data: Snapshot[] }>('GET', `vms/${vmId}/snapshots`)).data;

  it('has the status failed, is not billed, and stays until it is deleted', async () => {
    const { vmId, id, path } = await take();
    expect(await room.meterOf(id)).not.toBeNull();
    await room.engine.removeSnapshot(room.ref(vmId), id);
    const before = await alarms('snapshot_lost');
    await room.look();
    await room.look();
    expect(await room.call<Snapshot>('GET', path)).toMatchObject({ status: 'failed' });
    expect(await room.meterOf(id)).toBeNull();
    expect(await alarms('snapshot_lost')).toBe(before + 1);
    expect(await newsOf(id)).toEqual(['snapshot.lost']);
    await room.app.services.db
      .updateTable('vm_snapshots')
      .set({ failed_at: new Date(Date.now() - 48 * 3_600_000) })
      .where('id', '=', id)
      .execute();
    await room.run('flexible-vps.snapshot-expiry');
    await settle(room.app);
    expect(await snapshotsOf(vmId)).toHaveLength(1);
    await room.call('DELETE', path);
    await settle(room.app);
    expect(await snapshotsOf(vmId)).toEqual([]);
  });

  it('is available again once it is found', async () => {
    const { vmId, id, path } = await take();
    const price = await room.meterOf(id);
    const name = { project: room.account.id, id: vmId };
    const { snapshots = [] } = (await room.engine.core.store.find('machine', name)) ?? {};
    await room.befall(vmId, { snapshots: [] });
    await room.look();
    await room.befall(vmId, { snapshots });
    await room.look();
    await room.look();
    expect(await room.call<Snapshot>('GET', path)).toMatchObject({ status: 'available' });
    expect(await room.meterOf(id)).toBe(price);
    expect(await newsOf(id)).toEqual(['snapshot.lost', 'snapshot.recovered']);
  });

  it('is removed if its deletion was requested before', async () => {
    const { vmId, id, path } = await take();
    const { db } = room.app.services;
    const effect = { kind: 'fail', code: 'engine_failed', detail: 'Not today.' } as const;
    await addFault(db, { call: 'observeInstance', target: vmId, effect });
    await room.call('DELETE', path);
    await settle(room.app);
    await clearFaults(db);
    expect(await room.call<Snapshot>('GET', path)).toMatchObject({ status: 'available' });
    await room.look();
    expect(await snapshotsOf(vmId)).toEqual([]);
    expect(await newsOf(id)).toEqual(['snapshot.deleted']);
  });

  it('is not marked as failed because one list did not contain it', async () => {
    const { vmId, path } = await take();
    const { services, registry } = room.app;
    const { engine } = room;
    const blind = async () =>
      (await engine.observeInstances()).map((instance) => ({ ...instance, snapshots: [] }));
    const forgetful = Object.create(engine, { observeInstances: { value: blind } });
    const drift = registry.schedules.find(({ name }) => name === 'flexible-vps.machines');
    await drift?.run({ ...services, compute: { at: () => engine, all: [forgetful] } });
    expect(await room.call<Snapshot>('GET', path)).toMatchObject({ status: 'available' });
    expect(await snapshotsOf(vmId)).toHaveLength(1);
  });
});

it('a machine without drift causes no further calls to the engine', async () => {
  const { id } = await room.create();
  await room.call('POST', `vms/${id}/snapshots`, {});
  await settle(room.app);
  const { db } = room.app.services;
  await addFault(db, { call: 'observeInstance', target: id, effect: { kind: 'slow', seconds: 0 } });
  await room.look();
  expect(await struck()).toBe(0);
  expect(await newsOf(id)).toEqual([]);
});
