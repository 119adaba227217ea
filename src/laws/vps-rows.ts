/** Machines and what is part of them, straight in the tables: a list shows them whether an engine has them or not. */
import { randomBytes } from 'node:crypto';
import { newMac } from '../families/flexible-vps/interfaces/macs.ts';
import { newId } from '../kernel/ids.ts';
import { listParams, noteFilled, type World } from './walk.ts';

const MACHINES = '/flexible-vps/v1/vms';

async function addMachine({ app, account }: World, name: string): Promise<string> {
  const id = newId('vm');
  await app.services.db
    .insertInto('vms')
    .values({
      id,
      account_id: account.id,
      name,
      description: name,
      labels: { mark: name },
      status: 'stopped',
      location: 'fra1',
      plan: 'flex-2-4',
      requested: { location: 'fra1', plan: 'flex-2-4' },
      vcpus: 2,
      memory_mb: 4096,
      disk_gb: 80,
      architecture: 'amd64',
      hostname: name,
      source: { type: 'image', id: 'ubuntu-24.04' },
      boot_mode: 'uefi',
      secure_boot: false,
      seed: name,
      configuration: { location: 'fra1', plan: 'flex-2-4', public_ipv4: { mode: 'none' } },
    })
    .execute();
  return id;
}

/** The one that has all the parts. */
export async function fillMachine(world: World, mark: string): Promise<void> {
  noteFilled(world, MACHINES, await addMachine(world, `${mark}-full`));
}

/** Row number `i` of the machines, and of the parts of the one that has them. */
export async function addMachineRows(world: World, name: string, i: number): Promise<void> {
  const { app, account } = world;
  const { db } = app.services;
  await addMachine(world, name);
  const { id: vm_id = '' } = await listParams({ path: `${MACHINES}/{id}/interfaces` }, world);
  await db
    .insertInto('vm_interfaces')
    .values({
      id: newId('interface'),
      account_id: account.id,
      vm_id,
      kind: 'public',
      network_id: null,
      mac: newMac(),
      position: i,
      mtu: 1500,
      description: name,
      status: 'active',
    })
    .execute();
  await db
    .insertInto('vm_snapshots')
    .values({
      id: newId('snapshot'),
      account_id: account.id,
      vm_id,
      name,
      status: 'available',
      disk_gb: 80,
      created_by: 'user',
    })
    .execute();
  await db
    .insertInto('console_sessions')
    .values({
      id: newId('console_session'),
      account_id: account.id,
      vm_id,
      type: 'serial',
      token_hash: randomBytes(32),
      expires_at: new Date(Date.now() + 3_600_000),
    })
    .execute();
}
