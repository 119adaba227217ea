import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addFault, clearFaults } from '../../../engines/compute/sandbox/store.ts';
import { MachineRoom } from '../../../testing/machine-room.ts';
import { settle } from '../../../testing/operations.ts';
import type { Vm } from '../vms/schema.ts';

let room: MachineRoom;
beforeAll(async () => {
  room = await MachineRoom.open();
});
afterAll(() => room.close());
beforeEach(() => clearFaults(room.app.services.db));

/** Creates a machine whose start fails: the engine has created its disk when the creation fails. */
async function failed(): Promise<Vm> {
  const { id } = await room.order();
  const effect = { kind: 'fail', code: 'engine_failed', detail: 'No.' } as const;
  await addFault(room.app.services.db, { call: 'ensureRunning', target: id, effect });
  await settle(room.app);
  const vm = await room.read(id);
  expect(vm).toMatchObject({ status: 'error', status_reason: 'engine_failed', public_ips: [] });
  return vm;
}

const seen = (id: string) => room.engine.observeInstance(room.ref(id));

const age = (id: string, hours: number) =>
  room.app.services.db
    .updateTable('vms')
    .set({ failed_at: sql`now() - ${hours} * interval '1 hour'` })
    .where('id', '=', id)
    .execute();

const clear = () => room.run('flexible-vps.failed-creates');

describe('a creation that failed', () => {
  it('is removed from the engine, and keeps its reason in the database', async () => {
    const { id } = await failed();
    expect(await seen(id)).not.toBeNull();
    const before = await room.row(id);
    await room.look();
    expect(await seen(id)).toBeNull();
    expect(await room.row(id)).toEqual(before);
  });

  it('is removed with its interfaces, including one that was attached meanwhile', async () => {
    const { id: network_id } = await room.call<{ id: string }>('POST', 'networks', {
      name: 'office',
      location: 'fra1',
      ipv4_cidr: '10.77.0.0/24',
    });
    await settle(room.app);
    const { id } = await room.order();
    const effect = { kind: 'fail', code: 'engine_failed', detail: 'No.' } as const;
    await addFault(room.app.services.db, { call: 'ensureRunning', target: id, effect });
    await room.call('POST', `vms/${id}/interfaces`, { network_id });
    await settle(room.app);
    expect(await room.read(id)).toMatchObject({
      status: 'error',
      interfaces: [{ kind: 'public', status: 'active' }],
    });
  });

  it('is removed in the next run if the engine did not answer', async () => {
    const { id } = await failed();
    const { db } = room.app.services;
    await addFault(db, { call: 'removeInstance', target: id, times: 1, effect: { kind: 'unreachable' } });
    await room.look();
    expect(await seen(id)).not.toBeNull();
    await room.look();
    expect(await seen(id)).toBeNull();
  });

  it('is deleted after a day, by the system', async () => {
    const { id, name } = await failed();
    await age(id, 23.9);
    await clear();
    expect((await room.read(id)).operation).toBeNull();
    await age(id, 24.1);
    await Promise.all([clear(), clear()]);
    expect(await room.read(id)).toMatchObject({ status: 'deleting', operation: { type: 'vm.delete' } });
    const started = await room.app.services.db
      .selectFrom('operations')
      .select('actor')
      .where('resource_id', '=', id)
      .where('type', '=', 'vm.delete')
      .execute();
    expect(started).toEqual([{ actor: { kind: 'system', api_key_id: null, member_id: null } }]);
    await settle(room.app);
    await expect(room.read(id)).rejects.toThrow('404');
    expect((await room.order({ name })).status).toBe('creating');
    await settle(room.app);
  });

  it('that a customer deletes is not deleted a second time', async () => {
    const { id } = await failed();
    await age(id, 25);
    await room.call('DELETE', `vms/${id}`);
    const before = await room.row(id);
    await clear();
    await room.look();
    expect(await room.row(id)).toEqual(before);
    expect(await seen(id)).not.toBeNull();
    await settle(room.app);
    expect(await seen(id)).toBeNull();
  });
});

describe('a machine that was created successfully', () => {
  it('is never deleted automatically, however long it has been lost', async () => {
    const { id } = await room.create();
    const putBack = await room.lose(id);
    await room.look();
    await age(id, 1000);
    await clear();
    expect((await room.row(id)).status).toBe('error');
    await putBack();
    await room.look();
    expect(await seen(id)).not.toBeNull();
    expect((await room.read(id)).status).toBe('running');
  });
});
