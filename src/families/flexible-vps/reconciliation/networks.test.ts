import { afterAll, beforeAll, expect, it } from 'vitest';
import { addFault, clearFaults } from '../../../engines/compute/sandbox/store.ts';
import { MachineRoom } from '../../../testing/machine-room.ts';
import { settle } from '../../../testing/operations.ts';
import type { Network } from '../networks/schema.ts';

let room: MachineRoom;
beforeAll(async () => {
  room = await MachineRoom.open();
});
afterAll(() => room.close());

const read = (id: string) => room.call<Network>('GET', `networks/${id}`);
const look = () => room.run('flexible-vps.networks');

async function create(name: string): Promise<string> {
  const { id } = await room.call<Network>('POST', 'networks', {
    name,
    location: 'fra1',
    ipv4_cidr: '10.20.0.0/24',
  });
  await settle(room.app);
  return id;
}

it('a network that its engine lost is in error, with one event, and is not created again', async () => {
  const id = await create('inner');
  const { store } = room.engine.core;
  const name = { project: room.account.id, id };
  const kept = await store.find('network', name);
  await look();
  expect((await read(id)).status).toBe('active');
  await store.delete('network', name);
  await Promise.all([look(), look()]);
  expect(await read(id)).toMatchObject({ status: 'error', status_reason: 'lost' });
  expect(await room.engine.observeNetwork(room.ref(id))).toBeNull();
  if (kept !== null) await store.insert('network', name, kept);
  await look();
  expect(await read(id)).toMatchObject({ status: 'active', status_reason: null });
  expect(await room.eventsOf(id)).toEqual(['network.created', 'network.lost', 'network.recovered']);
});

it('a network is not marked as lost by an unreachable engine or a single not_found', async () => {
  const id = await create('quiet');
  const { db } = room.app.services;
  await addFault(db, { call: 'observeNetwork', target: id, times: 1, effect: { kind: 'lie' } });
  await look();
  await addFault(db, { call: 'observeNetwork', target: id, times: 1, effect: { kind: 'unreachable' } });
  await look();
  await clearFaults(db);
  expect((await read(id)).status).toBe('active');
});

it('a network that cannot be observed does not hide another lost network', async () => {
  const [mute, lost] = [await create('mute'), await create('gone')];
  const { db } = room.app.services;
  await room.engine.removeNetwork(room.ref(lost));
  await addFault(db, { call: 'observeNetwork', target: mute, effect: { kind: 'unreachable' } });
  await look();
  await clearFaults(db);
  expect((await read(mute)).status).toBe('active');
  expect((await read(lost)).status_reason).toBe('lost');
});

it('a network that is being deleted is not changed', async () => {
  const id = await create('leaving');
  await room.engine.removeNetwork(room.ref(id));
  await room.call('DELETE', `networks/${id}`);
  await look();
  expect((await read(id)).status).toBe('deleting');
  await settle(room.app);
  await expect(read(id)).rejects.toThrow('404');
});
