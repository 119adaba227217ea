import type { Insertable } from 'kysely';
import { newLinkId } from '../../../kernel/downloads/link.ts';
import { insertLink } from '../../../kernel/downloads/store.ts';
import { newId } from '../../../kernel/ids.ts';
import type { Fixture } from '../../../laws/fixture.ts';
import { freshName, type World } from '../../../laws/world.ts';
import type { Tables } from '../../../store/database.ts';
import { runKind } from '../../../testing/run-kind.ts';
import { BYTES_PER_GB } from '../gigabytes.ts';
import { makeVm } from '../vms/fixture.ts';
import { readVm } from '../vms/store.ts';
import { createBackupKind } from './kinds.ts';
import { columnsOf } from './new-backup.ts';
import { backups } from './resource.ts';
import { notePassingImage } from './store.ts';
import type { BackupRow } from './table.ts';

function insertBackup(
  { app, account }: World,
  columns: Omit<Insertable<Tables['vm_backups']>, 'account_id'>,
): Promise<BackupRow> {
  return app.services.db
    .insertInto('vm_backups')
    .values({ ...columns, account_id: account.id })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Creates an available backup: inserts the row like createVmBackup does, then runs the steps of the operation. */
export async function makeBackupOf(world: World, vmId: string): Promise<string> {
  const { app, account, key } = world;
  const { db } = app.services;
  const vm = await readVm(db, vmId);
  // A law may pass the id of a deleted machine.
  if (vm === undefined) return backups.newId();
  const columns = columnsOf(vm, 'manual') as Omit<Insertable<Tables['vm_backups']>, 'account_id'>;
  const row = await insertBackup(world, { ...columns, name: freshName() });
  await backups.note(db, row, { apiKeyId: key.id });
  const input = { vm_id: vm.id, quiesce: 'auto' } as const;
  await runKind(app, createBackupKind, { accountId: account.id, resource: backups.ref(row), input });
  return row.id;
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
    const { id: resource_id } = await insertBackup(world, {
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
