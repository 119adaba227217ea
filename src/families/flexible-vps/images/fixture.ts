import type { Fixture } from '../../../laws/fixture.ts';
import { freshName, type World } from '../../../laws/world.ts';
import { runKind } from '../../../testing/run-kind.ts';
import { makeBackupOf } from '../backups/fixture.ts';
import { BYTES_PER_GB } from '../gigabytes.ts';
import { makeSnapshot } from '../snapshots/fixture.ts';
import { makeVm, stopVm } from '../vms/fixture.ts';
import { createImageKind } from './kinds.ts';
import { images } from './resource.ts';
import type { ImageRow } from './table.ts';

const columns = {
  os: { family: 'linux', distribution: 'debian', version: '13' },
  architecture: 'amd64',
  boot_mode: 'uefi',
  min_disk_gb: 10,
  min_memory_mb: 512,
  cloud_init: true,
  guest_agent: false,
  default_user: 'root',
} as const;

/** Creates a stopped machine, from which an image can be captured. */
async function makeStoppedVm(world: World): Promise<string> {
  const id = await makeVm(world);
  await stopVm(world, id);
  return id;
}

const insertRow = (
  { app, account }: World,
  own: Pick<ImageRow, 'name' | 'status' | 'source'> & Partial<ImageRow>,
): Promise<ImageRow> =>
  app.services.db
    .insertInto('vps_images')
    .values({ ...columns, id: images.newId(), account_id: account.id, ...own })
    .returningAll()
    .executeTakeFirstOrThrow();

export const fixture: Fixture = {
  collection: '/flexible-vps/v1/images',
  async make(world) {
    const { app, account, key } = world;
    const vm_id = await makeStoppedVm(world);
    const row = await insertRow(world, {
      name: freshName(),
      status: 'creating',
      progress_percent: 0,
      source: { type: 'vm', id: vm_id, url: null },
    });
    await images.note(app.services.db, row, { apiKeyId: key.id });
    const input = { source: 'vm', location: 'fra1', vm_id, snapshot_id: null } as const;
    await runKind(app, createImageKind, { accountId: account.id, resource: images.ref(row), input });
    return row.id;
  },
  async addRow(world, name) {
    const source = { type: 'url', id: null, url: `https://images.example.com/${name}` } as const;
    await insertRow(world, { name, status: 'available', source });
  },
  bodies: {
    createImage: async (world) => ({ source: { type: 'vm', vm_id: await makeStoppedVm(world) } }),
  },
  variations: {
    deleteImage: {
      'that takes space': async ({ app: { services } }, { id = '' }) => {
        await images.change(services.db, id, { size_bytes: 20 * BYTES_PER_GB }, { services });
        return {};
      },
    },
  },
  counted: {
    createImage: {
      'from a file': async () => ({
        body: {
          source: { type: 'url', url: 'https://images.example.com/disk.qcow2', architecture: 'amd64' },
        },
      }),
    },
  },
  creations: {
    createImage: [
      async (world) => {
        const snapshot_id = await makeSnapshot(world, await makeVm(world));
        return { source: { type: 'snapshot', snapshot_id } };
      },
      async (world) => ({
        source: { type: 'backup', backup_id: await makeBackupOf(world, await makeVm(world)) },
      }),
    ],
  },
};
