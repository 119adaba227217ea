import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readClock } from '../../../engines/reconciler/store.ts';
import { transact } from '../../../store/transaction.ts';
import { MachineRoom } from '../../../testing/machine-room.ts';
import { settle } from '../../../testing/operations.ts';
import type { VmState } from '../vms/lifecycle.ts';
import { observeMachine } from './observed-machine.ts';
import { align } from './reconcile.ts';
import { writeFacts } from './store.ts';

let room: MachineRoom;
beforeAll(async () => {
  room = await MachineRoom.open();
});
afterAll(() => room.close());

const mishaps = {
  nothing: async () => undefined,
  shutdown: (id: string) => room.halt(id, 'shutdown'),
  crash: (id: string) => room.halt(id, 'crashed'),
  reboot: (id: string) => room.halt(id, 'reboot'),
  move: (id: string) => room.befall(id, { host: 'elsewhere' }),
  lose: async (id: string) => void (await room.lose(id)),
} as const;

const orders = {
  restart: (id: string) => room.call('POST', `vms/${id}/actions`, { type: 'restart' }),
  power_off: (id: string) => room.call('POST', `vms/${id}/actions`, { type: 'power_off' }),
  snapshot: (id: string) => room.call('POST', `vms/${id}/snapshots`, { name: 'before' }),
  delete: (id: string) => room.call('DELETE', `vms/${id}`),
} as const;

const names = <T extends object>(of: T) => fc.constantFrom(...(Object.keys(of) as (keyof T)[]));

/** Sets `updated_at` one hour back, so that the machine counts as stuck if no operation works on it. */
const age = (id: string) =>
  room.app.services.db
    .updateTable('vms')
    .set({ updated_at: sql`now() - interval '1 hour'` })
    .where('id', '=', id)
    .execute();

describe('a machine with a running operation', () => {
  it('is never changed by the reconciler, whatever happens at the engine', async () => {
    await fc.assert(
      fc.asyncProperty(names(orders), names(mishaps), fc.boolean(), async (order, mishap, isOld) => {
        const { id } = await room.create();
        await orders[order](id);
        if (isOld) await age(id);
        await mishaps[mishap](id);
        const before = await room.row(id);
        await room.look();
        const { services } = room.app;
        await align(services, room.ref(id), await observeMachine(services, room.engine, room.ref(id)));
        expect(await room.row(id)).toEqual(before);
        await settle(room.app);
      }),
      { numRuns: 16 },
    );
  });

  it('is not changed while it is being created', async () => {
    const { id } = await room.order();
    await age(id);
    const before = await room.row(id);
    await room.look();
    expect(await room.row(id)).toEqual(before);
    await settle(room.app);
    expect((await room.read(id)).status).toBe('running');
  });

  it('is not changed by updates that keep the ETag', async () => {
    const { id } = await room.create();
    const { db } = room.app.services;
    const facts = { ...(await room.row(id)), host_group: 'elsewhere' };
    await room.call('POST', `vms/${id}/snapshots`, { name: 'meanwhile' });
    await transact(db, async (tx) => writeFacts(tx, [facts], await readClock(tx)));
    expect((await room.row(id)).host_group).not.toBe('elsewhere');
    await settle(room.app);
    await transact(db, async (tx) => writeFacts(tx, [facts], await readClock(tx)));
    expect((await room.row(id)).host_group).toBe('elsewhere');
  });

  it('is not changed by an observation from before the operation', async () => {
    const { id } = await room.create();
    const { services } = room.app;
    const ref = room.ref(id);
    await room.halt(id, 'shutdown');
    const stale = await observeMachine(services, room.engine, ref);
    await room.call('POST', `vms/${id}/actions`, { type: 'restart' });
    await settle(room.app);
    expect((await room.read(id)).status).toBe('running');
    await align(services, ref, stale);
    expect((await room.read(id)).status).toBe('running');
  });

  it('is not changed when both start at the same moment', async () => {
    const { id } = await room.create();
    const { services } = room.app;
    await room.halt(id, 'shutdown');
    const sighting = await observeMachine(services, room.engine, room.ref(id));
    let aligned: Promise<void> = Promise.resolve();
    await transact(services.db, async (tx) => {
      await sql`select id from vms where id = ${id} for update`.execute(tx);
      aligned = align(services, room.ref(id), sighting);
      await sql`update vms set status = 'restarting' where id = ${id}`.execute(tx);
    });
    await aligned;
    expect((await room.row(id)).status).toBe('restarting');
  });
});

describe('a machine in a transitional status without an operation', () => {
  const strand = async (id: string, status: VmState) => {
    await room.app.services.db.updateTable('vms').set({ status }).where('id', '=', id).execute();
    await room.look();
    expect((await room.row(id)).status).toBe(status);
    await age(id);
    await room.look();
  };

  it('gets the status that the engine reports, and an alarm', async () => {
    const { id } = await room.create();
    await strand(id, 'resizing');
    expect(await room.read(id)).toMatchObject({ status: 'running', status_reason: null });
    const rendered = await room.app.services.metrics.render();
    expect(rendered).toContain('hostplane_alarms_total{alarm="stuck_machine"} 1');
    const told = room.app.logged.filter((line) => line.includes('no operation works on it'));
    expect(told).toEqual([expect.stringContaining(id)]);
  });

  it('counts as a failed creation if it was never created', async () => {
    const { id } = await room.order();
    await room.app.services.db.deleteFrom('operations').where('resource_id', '=', id).execute();
    await age(id);
    await room.look();
    const vm = await room.read(id);
    expect(vm).toMatchObject({ status: 'error', status_reason: 'engine_failed', public_ips: [] });
    expect(await room.meterOf(id)).toBeNull();
  });
});
