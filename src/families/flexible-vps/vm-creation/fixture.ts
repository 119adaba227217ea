import type { Fixture } from '../../../laws/fixture.ts';
import { reserveFor } from '../../../testing/reserved-address.ts';
import { makeBackupOf } from '../backups/fixture.ts';
import { makeNetwork } from '../networks/fixture.ts';
import { makeSnapshot } from '../snapshots/fixture.ts';
import { makeVm } from '../vms/fixture.ts';

export const fixture: Fixture = {
  creations: {
    createVm: [
      async (world) => ({
        source: { type: 'snapshot', snapshot_id: await makeSnapshot(world, await makeVm(world)) },
        networks: [{ network_id: await makeNetwork(world) }],
        user_data: '#cloud-config\n',
      }),
      async (world) => ({
        source: { type: 'backup', backup_id: await makeBackupOf(world, await makeVm(world)) },
      }),
      async (world) => ({
        source: { type: 'vm', vm_id: await makeVm(world) },
        plan: undefined,
        custom_size: { vcpus: 2, memory_mb: 4096, disk_gb: 100 },
        public_ipv4: { mode: 'reserved', ip_id: (await reserveFor(world)).id },
        public_ipv6: false,
      }),
    ],
  },
};
