import { newId } from '../../../kernel/ids.ts';
import type { Fixture } from '../../../laws/fixture.ts';
import { freshName, type World } from '../../../laws/world.ts';
import { allocateAddress } from '../../../resources/addresses/store.ts';
import { runKind } from '../../../testing/run-kind.ts';
import { addInterface } from '../interface-changes/network-membership.ts';
import { createVmKind } from '../vm-creation/kind.ts';
import { configurationOf, noteUnbilled } from './inventory.ts';
import { vms } from './resource.ts';
import { insertVm, readVm } from './store.ts';

const LOCATION = 'fra1';
const OS = { family: 'linux' as const, distribution: 'ubuntu', version: '24.04' };
const IMAGE = {
  id: 'ubuntu-24.04',
  slug: 'ubuntu-24.04',
  name: 'Ubuntu 24.04 LTS',
  os: OS,
  default_user: 'ubuntu',
};

const columns = {
  location: LOCATION,
  plan: 'flex-2-4',
  requested: { location: LOCATION, plan: 'flex-2-4' },
  vcpus: 2,
  memory_mb: 4096,
  disk_gb: 80,
  architecture: 'amd64',
  source: { type: 'image', id: IMAGE.id },
  boot_mode: 'uefi',
  secure_boot: false,
} as const;

/** Creates a running machine: inserts the rows that createVm inserts, and runs the steps of `createVmKind`. */
export async function makeVm({ app, account, key }: World): Promise<string> {
  const { db, provider } = app.services;
  const name = freshName();
  const row = await insertVm(db, {
    ...columns,
    id: vms.newId(),
    account_id: account.id,
    name,
    status: 'creating',
    hostname: name,
    image: IMAGE,
    seed: newId('request'),
    configuration: configurationOf(LOCATION, { plan: columns.plan }, 'ephemeral', IMAGE.id),
  });
  const front = await addInterface(db, row, [], null);
  const request = {
    pools: provider.catalogue.address_pools,
    location: LOCATION,
    accountId: account.id,
    kind: 'ephemeral',
    vmId: row.id,
    interfaceId: front.id,
    now: new Date(),
  } as const;
  await allocateAddress(db, { ...request, version: 4 });
  await allocateAddress(db, { ...request, version: 6 });
  await noteUnbilled(db, row, key.id);
  await runKind(app, createVmKind, { accountId: account.id, resource: vms.ref(row), input: { start: true } });
  return row.id;
}

/** Stops a machine in the tables and at the engine. */
export async function stopVm({ app, account }: World, id: string): Promise<void> {
  const { services } = app;
  const { db, compute } = services;
  const row = await readVm(db, id);
  await compute.at(row?.location ?? '')?.ensureStopped({ account: account.id, id });
  await vms.change(db, id, { status: 'stopped', started_at: null }, { services });
}

/** Inserts only a row, without an instance at an engine. Lists show such rows too. */
async function insertRow({ app, account }: World, name: string): Promise<string> {
  const { id } = await insertVm(app.services.db, {
    ...columns,
    id: vms.newId(),
    account_id: account.id,
    name,
    description: name,
    labels: { mark: name },
    status: 'stopped',
    hostname: name,
    seed: name,
    configuration: configurationOf(LOCATION, { plan: columns.plan }, 'none', null),
  });
  return id;
}

export const fixture: Fixture = {
  collection: '/flexible-vps/v1/vms',
  make: makeVm,
  settles: { stopped: stopVm },
  counted: { deleteVm: { 'after a last backup': async () => ({ query: { final_backup: true } }) } },
  variations: {
    createVm: { 'that is not started': async () => ({ body: { start: false } }) },
  },
  fillOnce: (world, mark) => insertRow(world, `${mark}-full`),
  addRow: async (world, name) => void (await insertRow(world, name)),
};
