/** What the deletion of a machine takes with it: its volumes, and their snapshots. */
import type { Call } from '../../../kernel/call.ts';
import { forGood, forNow } from '../../../kernel/effect.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import type { VmRow } from '../vms/table.ts';
import { volumeSnapshots } from '../volume-snapshots/resource.ts';
import { snapshotsOfVolume } from '../volume-snapshots/store.ts';
import type { VolumeTreatment } from '../volumes/machine-volumes.ts';
import { volumes } from '../volumes/resource.ts';
import { volumesOf } from '../volumes/store.ts';
import type { VolumeRow } from '../volumes/table.ts';

/** A deletion that is repeated finds volumes that already are `deleting`. */
const goesWithMachine = ({ status }: VolumeRow): boolean => status === 'attached' || status === 'deleting';

/**
 * Reports what the deletion of a machine does to its volumes. Returns the ids of those that it deletes: a volume that
 * something else happens to at present only loses its machine.
 */
export async function reportVolumes(
  call: Pick<Call, 'db' | 'effect' | 'cost' | 'services' | 'now'>,
  vm: Pick<VmRow, 'id'>,
  fate: VolumeTreatment,
): Promise<string[]> {
  const rows = await volumesOf(call.db, vm.id);
  const deleted = fate === 'delete' ? rows.filter(goesWithMachine) : [];
  const guarded = deleted.find((row) => row.protected);
  if (guarded !== undefined)
    throw new Problem('resource_protected', {
      detail: `The volume ${guarded.name} is protected: its protection.delete is true.`,
    });
  for (const row of rows) {
    if (!deleted.includes(row)) {
      const loss = forNow('The connection to the machine; the volume stays in your account.');
      call.effect({ action: 'detach', ...volumes.ref(row), loss });
      continue;
    }
    const loss = forGood(`All data on the volume (${row.size_gb} GB).`);
    call.effect({ action: 'delete', ...volumes.ref(row), loss });
    const snapshots = await snapshotsOfVolume(call.db, row.account_id, row.id);
    for (const snapshot of snapshots)
      call.effect({ action: 'delete', ...volumeSnapshots.ref(snapshot), loss: volumeSnapshots.loss });
    await volumes.reportCost(call, [row], null);
    await volumeSnapshots.reportCost(call, snapshots, null);
  }
  return deleted.map(({ id }) => id);
}
