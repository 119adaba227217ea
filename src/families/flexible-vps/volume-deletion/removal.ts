/** Deletes the rows of volumes that the engine no longer has. */
import type { NewEvent } from '../../../kernel/events/event.ts';
import type { Tx } from '../../../store/database.ts';
import { updateVm } from '../vms/store.ts';
import { volumeSnapshots } from '../volume-snapshots/resource.ts';
import { snapshotsOfVolume } from '../volume-snapshots/store.ts';
import { volumes } from '../volumes/resource.ts';
import { readVolume } from '../volumes/store.ts';

export async function forgetVolume(tx: Tx, id: string, at: Date): Promise<NewEvent[]> {
  const row = await readVolume(tx, id);
  if (row === undefined) return [];
  if (row.vm_id !== null) await updateVm(tx, row.vm_id, {});
  for (const snapshot of await snapshotsOfVolume(tx, row.account_id, id))
    await volumeSnapshots.erase(tx, snapshot.id, { at });
  await volumes.erase(tx, id, { at });
  return [volumes.event('deleted', row)];
}
