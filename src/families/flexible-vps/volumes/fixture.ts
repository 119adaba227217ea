import type { Fixture, Scenario, Walk } from '../../../laws/fixture.ts';
import { freshName, type World } from '../../../laws/world.ts';
import { insertFor, provision } from '../../../testing/provision.ts';
import { runKind } from '../../../testing/run-kind.ts';
import { makeVm } from '../vms/fixture.ts';
import { createVolumeKind } from '../volume-creation/kind.ts';
import { makeVolumeSnapshot } from '../volume-snapshots/fixture.ts';
import { attachVolumeKind } from './attach-kinds.ts';
import { volumes } from './resource.ts';
import { readVolume } from './store.ts';

const columns = {
  location: 'fra1',
  size_gb: 100,
  tier: 'standard',
  kind: 'block',
} as const;

/** Creates an available volume: inserts the row like createVpsVolume does, then runs the steps of the operation. */
export async function makeVolume(world: World): Promise<string> {
  const row = await insertFor(world, volumes, { ...columns, name: freshName(), status: 'creating' });
  return provision(world, volumes, row, createVolumeKind, { vm_id: null });
}

/** Attaches the volume to a new machine, in the tables and at the engine. */
async function attachToNew(world: World, id: string): Promise<string> {
  const { app, account } = world;
  const vm_id = await makeVm(world);
  const { db } = app.services;
  await volumes.change(db, id, { status: 'attaching', vm_id }, { keepsPrice: true });
  const resource = { type: 'volume', id, name: null };
  await runKind(app, attachVolumeKind, { accountId: account.id, resource, input: { vm_id, from: null } });
  return vm_id;
}

async function act(world: World, walk: Walk, id: string, payload: object) {
  const endpoint = walk.endpoint('performVpsVolumeAction');
  return walk.operationOf(world, await walk.call(endpoint, world, { params: { id }, payload }));
}

const acting = (prepare: (world: World, id: string) => Promise<object>): Scenario => ({
  async begin(world, walk) {
    const id = await makeVolume(world);
    return act(world, walk, id, await prepare(world, id));
  },
});

async function restoring(world: World, id: string): Promise<object> {
  const snapshot_id = await makeVolumeSnapshot(world, id);
  await makeVolumeSnapshot(world, id);
  const { name } = (await readVolume(world.app.services.db, id))!;
  return { type: 'restore', snapshot_id, confirm: name, delete_newer_snapshots: true };
}

const settled = ['available', 'attached'];

export const fixture: Fixture = {
  collection: '/flexible-vps/v1/volumes',
  make: makeVolume,
  async fillOnce(world) {
    return makeVolume(world);
  },
  async addRow({ app, account }, name) {
    await app.services.db
      .insertInto('vps_volumes')
      .values({
        id: volumes.newId(),
        account_id: account.id,
        name,
        description: name,
        labels: { mark: name },
        status: 'available',
        ...columns,
      })
      .execute();
  },
  bodies: {
    performVpsVolumeAction: async (world) => ({ vm_id: await makeVm(world) }),
  },
  scenarios: {
    'volume.detach': acting(async (world, id) => {
      await attachToNew(world, id);
      return { type: 'detach' };
    }),
    'volume.resize': acting(async (world, id) => {
      await attachToNew(world, id);
      return { type: 'resize', size_gb: 200 };
    }),
    'volume.restore': acting(restoring),
  },
  ways: {
    performVpsVolumeAction: [
      { body: { type: 'detach', vm_id: undefined }, states: settled },
      { body: { type: 'resize', size_gb: 200, vm_id: undefined }, states: settled },
    ],
  },
  variations: {
    createVpsVolume: {
      'that is attached at once': async (world) => ({ body: { vm_id: await makeVm(world) } }),
      'from a snapshot': async (world) => {
        const volume = await makeVolume(world);
        return { body: { source_snapshot_id: await makeVolumeSnapshot(world, volume) } };
      },
    },
    performVpsVolumeAction: {
      'that grows': async (_world, params) => ({
        params,
        body: { type: 'resize', size_gb: 300, vm_id: undefined },
      }),
    },
  },
};
