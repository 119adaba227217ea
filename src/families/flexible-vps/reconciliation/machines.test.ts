import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addFault, clearFaults } from '../../../engines/compute/sandbox/store.ts';
import { createTestApp } from '../../../testing/app.ts';
import { MachineRoom } from '../../../testing/machine-room.ts';
import { settle } from '../../../testing/operations.ts';

let room: MachineRoom;
beforeAll(async () => {
  room = await MachineRoom.open();
});
afterAll(() => room.close());

const newsOf = async (id: string) => (await room.eventsOf(id)).slice(1);

describe('a running machine', () => {
  it('is not changed while the engine reports the same state', async () => {
    const { id } = await room.create();
    const before = await room.row(id);
    await room.look();
    await room.look();
    expect(await room.row(id)).toEqual(before);
    expect(await newsOf(id)).toEqual([]);
  });

  it('is stopped once its guest shut down', async () => {
    const { id, etag } = await room.create();
    await room.halt(id, 'shutdown');
    await room.look();
    const vm = await room.read(id);
    expect(vm).toMatchObject({ status: 'stopped', status_reason: null, started_at: null });
    expect(vm.etag).not.toBe(etag);
    expect(await newsOf(id)).toEqual(['vm.stopped_by_guest']);
    const { status } = await room.app.services.db
      .selectFrom('resources')
      .select('status')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(status).toBe('stopped');
  });

  it('is stopped with the reason once it crashed, and can be started', async () => {
    const { id } = await room.create();
    await room.halt(id, 'crashed');
    await room.look();
    await room.look();
    expect(await room.read(id)).toMatchObject({ status: 'stopped', status_reason: 'crashed' });
    expect(await newsOf(id)).toEqual(['vm.crashed']);
    await room.call('POST', `vms/${id}/actions`, { type: 'power_on' });
    await settle(room.app);
    await room.look();
    expect(await room.read(id)).toMatchObject({ status: 'running', status_reason: null });
  });

  it('that the engine lost is in error and not billed, and billed again once it is found', async () => {
    const { id } = await room.create({ plan: 'flex-1-1' });
    // The machine keeps its disk, which is smaller than the disk of the new plan. Such a machine cannot be ordered.
    await room.call('POST', `vms/${id}/resize`, { plan: 'flex-1-2' });
    await settle(room.app);
    const price = await room.meterOf(id);
    expect(price).toBeGreaterThan(0);
    const putBack = await room.lose(id);
    await room.look();
    await room.look();
    expect(await room.read(id)).toMatchObject({ status: 'error', status_reason: 'lost', started_at: null });
    expect(await room.meterOf(id)).toBeNull();
    expect(await room.engine.observeInstance(room.ref(id))).toBeNull();
    await putBack();
    await room.look();
    expect(await room.read(id)).toMatchObject({ status: 'running', status_reason: null });
    expect(await room.meterOf(id)).toBe(price);
    expect(await newsOf(id)).toEqual(['vm.resized', 'vm.lost', 'vm.recovered']);
  });

  it('whose host is down is in error, until the host is back', async () => {
    const { id } = await room.create();
    const price = await room.meterOf(id);
    await room.befall(id, { problem: 'host_lost' });
    await room.look();
    await room.look();
    expect(await room.read(id)).toMatchObject({ status: 'error', status_reason: 'host_lost' });
    expect(await room.meterOf(id)).toBeNull();
    await room.befall(id, { problem: null, power: { on: false, at: 0 } });
    await room.look();
    expect(await room.read(id)).toMatchObject({ status: 'stopped', status_reason: null });
    expect(await room.meterOf(id)).not.toBeNull();
    expect(await room.meterOf(id)).toBeLessThanOrEqual(price ?? 0);
    expect(await newsOf(id)).toEqual(['vm.crashed', 'vm.recovered']);
  });

  it('is not marked as lost because one list or one read did not contain it', async () => {
    const { id } = await room.create();
    const { services, registry } = room.app;
    const { engine } = room;
    const forgetful = Object.create(engine, { observeInstances: { value: async () => [] } });
    const compute = { at: () => engine, all: [forgetful] };
    await addFault(services.db, { call: 'observeInstance', target: id, times: 1, effect: { kind: 'lie' } });
    const drift = registry.schedules.find(({ name }) => name === 'flexible-vps.machines');
    await drift?.run({ ...services, compute });
    expect((await room.read(id)).status).toBe('running');
    expect(await clearFaults(services.db)).toBe(1);
  });

  it('gets its host, start time and agent state updated without a new ETag', async () => {
    const { id, etag, started_at } = await room.create();
    await room.halt(id, 'reboot');
    await room.befall(id, { host: 'elsewhere' });
    await room.look();
    const vm = await room.read(id);
    expect(vm).toMatchObject({ etag, guest_agent: { connected: true } });
    expect((await room.row(id)).host_group).toBe('elsewhere');
    expect(Date.parse(vm.started_at ?? '')).toBeGreaterThan(Date.parse(started_at ?? ''));
    await room.befall(id, { boots: [{ ...(await bootOf(id)), upAt: Date.now() + 3_600_000 }] });
    await room.look();
    const silent = await room.read(id);
    expect(silent.guest_agent).toEqual({ ...vm.guest_agent, connected: false });
    expect(await newsOf(id)).toEqual([]);
  });
});

async function bootOf(id: string) {
  const name = { project: room.account.id, id };
  const boot = (await room.engine.core.store.find('machine', name))?.boots.at(-1);
  if (boot === undefined) throw new Error('It was never booted.');
  return boot;
}

describe('a stopped machine', () => {
  it('is running after it was started at the engine', async () => {
    const { id } = await room.create({ start: false });
    expect(await room.read(id)).toMatchObject({ status: 'stopped', user_data_pending: false });
    await room.engine.ensureRunning(room.ref(id));
    await room.look();
    expect((await room.read(id)).status).toBe('running');
    expect(await newsOf(id)).toEqual(['vm.started']);
    const { seed, applied_seed } = await room.row(id);
    expect(applied_seed).toBe(seed);
  });

  it('can be marked as lost as well', async () => {
    const { id } = await room.create({ start: false });
    await room.lose(id);
    await room.look();
    expect(await room.read(id)).toMatchObject({ status: 'error', status_reason: 'lost' });
    expect(await newsOf(id)).toEqual(['vm.lost']);
  });
});

describe('the reconciler does not change', () => {
  it('machines of an engine that does not answer', async () => {
    const { id } = await room.create();
    const { db } = room.app.services;
    await room.halt(id, 'shutdown');
    await addFault(db, { call: 'observeInstances', effect: { kind: 'unreachable' } });
    await room.look();
    expect((await room.read(id)).status).toBe('running');
    await clearFaults(db);
    await room.look();
    expect((await room.read(id)).status).toBe('stopped');
  });

  it('a machine that the provider suspended', async () => {
    const { id } = await room.create();
    await room.app.services.db.updateTable('vms').set({ status: 'suspended' }).where('id', '=', id).execute();
    const before = await room.row(id);
    await room.halt(id, 'shutdown');
    await room.look();
    expect(await room.row(id)).toEqual(before);
  });

  it('a machine whose row is newer than the observation', async () => {
    const { id } = await room.create();
    const { db } = room.app.services;
    await room.halt(id, 'shutdown');
    await db
      .updateTable('vms')
      .set({ updated_at: sql`clock_timestamp() + interval '1 minute'` })
      .where('id', '=', id)
      .execute();
    await room.look();
    expect((await room.read(id)).status).toBe('running');
  });
});

describe('concurrent reconcilers', () => {
  it('write each event once', async () => {
    const machines = [await room.create(), await room.create(), await room.create()];
    const [a, b, c] = machines.map(({ id }) => id) as [string, string, string];
    await room.halt(a, 'shutdown');
    await room.halt(b, 'crashed');
    await room.lose(c);
    await Promise.all(Array.from({ length: 6 }, room.look));
    expect(await newsOf(a)).toEqual(['vm.stopped_by_guest']);
    expect(await newsOf(b)).toEqual(['vm.crashed']);
    expect(await newsOf(c)).toEqual(['vm.lost']);
    expect((await room.row(a)).version).toBe((await room.row(b)).version);
  });

  it('in another process write no further event', async () => {
    const { id } = await room.create();
    await room.halt(id, 'shutdown');
    const other = await createTestApp({ database: room.app.database });
    try {
      const drift = other.registry.schedules.find(({ name }) => name === 'flexible-vps.machines');
      await drift?.run(other.services);
    } finally {
      await other.close();
    }
    expect((await room.read(id)).status).toBe('stopped');
    await room.look();
    expect(await newsOf(id)).toEqual(['vm.stopped_by_guest']);
  });
});
