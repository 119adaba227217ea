import { newLinkId } from '../../../kernel/downloads/link.ts';
import { insertLink } from '../../../kernel/downloads/store.ts';
import { newId } from '../../../kernel/ids.ts';
import type { Fixture } from '../../../laws/fixture.ts';
import { freshName, type World } from '../../../laws/world.ts';
import { insertFor, provision } from '../../../testing/provision.ts';
import { BYTES_PER_GB } from '../gigabytes.ts';
import { makeVm } from '../vms/fixture.ts';
import { readVm } from '../vms/store.ts';
import { createBackupKind } from './kinds.ts';
import { columnsOf } from './new-backup.ts';
import { backups } from './resource.ts';
import { notePassingImage } from './store.ts';

/** Creates an available backup: inserts the row like createVmBackup does, then runs the steps of the operation. */
export async function makeBackupOf(world: World, vmId: string): Promise<string> {
  const vm = await readVm(world.app.services.db, vmId);
  // A law may pass the id of a deleted machine.
  if (vm === undefined) return backups.newId();
  const row = await insertFor(world, backups, { ...columnsOf(vm, 'manual'), name: freshName() });
  return provision(world, backups, row, createBackupKind, { vm_id: vm.id, quiesce: 'auto' });
}

const makeBackup = async (world: World): Promise<string> => makeBackupOf(world, await makeVm(world));

/** A backup that costs money: those of the sandbox are small. */
async function makeLargeBackup(world: World): Promise<string> {
  const id = await makeBackup(world);
  const { services } = world.app;
  await backups.change(services.db, id, { size_bytes: 20 * BYTES_PER_GB }, { services });
  return id;
}

export const fixture: Fixture = {
  collection: '/flexible-vps/v1/backups',
  make: makeBackup,
  async addRow(world, name) {
    const { id: resource_id } = await insertFor(world, backups, {
      id: backups.newId(),
      name,
      description: name,
      labels: { mark: name },
      status: 'available',
      kind: 'manual',
      vm_id: 'vm_01jqzv2m7xe9rs5d3k8w4t6y0b',
      vm_name: 'web-1',
      location: 'fra1',
      disk_gb: 80,
      memory_mb: 4096,
      vcpus: 2,
      architecture: 'amd64',
      boot_mode: 'uefi',
      secure_boot: false,
    });
    const image = { operation_id: newId('operation'), account_id: world.account.id, location: 'fra1' };
    const { db } = world.app.services;
    await notePassingImage(db, image);
    await insertLink(db, {
      id: newLinkId(),
      account_id: world.account.id,
      resource_id,
      api_key_id: world.key.id,
      session_id: null,
      member_id: null,
      token_hash: Buffer.alloc(32),
      expires_at: new Date(Date.now() + 3_600_000),
    });
  },
  bodies: {
    createVmBackup: async (world) => ({ vm_id: await makeVm(world) }),
  },
  variations: {
    deleteVmBackup: {
      'that takes space': async (world) => ({ params: { id: await makeLargeBackup(world) } }),
    },
  },
};
