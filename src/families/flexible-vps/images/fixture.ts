import type { Fixture } from '../../../laws/fixture.ts';
import { freshName, type World } from '../../../laws/world.ts';
import { insertFor, provision } from '../../../testing/provision.ts';
import { makeBackupOf } from '../backups/fixture.ts';
import { BYTES_PER_GB } from '../gigabytes.ts';
import { makeSnapshot } from '../snapshots/fixture.ts';
import { makeVm, stopVm } from '../vms/fixture.ts';
import { createImageKind } from './kinds.ts';
import { images } from './resource.ts';

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

export const fixture: Fixture = {
  collection: '/flexible-vps/v1/images',
  async make(world) {
    const vm_id = await makeStoppedVm(world);
    const row = await insertFor(world, images, {
      ...columns,
      name: freshName(),
      status: 'creating',
      progress_percent: 0,
      source: { type: 'vm', id: vm_id, url: null },
    });
    const input = { source: 'vm', location: 'fra1', vm_id, snapshot_id: null } as const;
    return provision(world, images, row, createImageKind, input);
  },
  async addRow(world, name) {
    const source = { type: 'url', id: null, url: `https://images.example.com/${name}` } as const;
    await insertFor(world, images, { ...columns, name, status: 'available', source });
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
