/**
 * Which plans fit the source of a new machine. The list uses it to offer only what a request can name. A source that
 * does not exist fits nothing, so the list is empty.
 */
import type { Call } from '../../../kernel/call.ts';
import type { Hardware } from '../catalog/fitting.ts';
import type { SoldPlan } from '../catalog/sold-plans.ts';
import { findImage } from '../images/references.ts';
import { findKnownIso } from '../isos/references.ts';
import { machineOfSnapshot, readSnapshot } from '../snapshots/store.ts';
import { findVmIfThere } from '../vms/store.ts';

/** What a machine made from this image, snapshot, machine or ISO needs at least. */
export async function needsOf(
  call: Pick<Call, 'db' | 'caller' | 'services'>,
  id: string,
): Promise<Hardware | undefined> {
  const { db, caller } = call;
  const accountId = caller.account.id;
  const image = await findImage(call, accountId, id);
  if (image !== undefined)
    return {
      architecture: image.architecture,
      diskGb: image.min_disk_gb,
      memoryMb: image.min_memory_mb,
    };
  const iso = await findKnownIso(call, id);
  if (iso !== undefined) return { architecture: iso.architecture, diskGb: 1, memoryMb: 0 };
  const owner = id.startsWith('snap_') ? await machineOfSnapshot(db, accountId, id) : id;
  const vm = owner === undefined ? undefined : await findVmIfThere(db, accountId, owner);
  if (vm === undefined) return undefined;
  const diskGb = owner === id ? vm.disk_gb : ((await readSnapshot(db, id))?.disk_gb ?? vm.disk_gb);
  return { architecture: vm.architecture, diskGb, memoryMb: 0 };
}

/** Whether the plan has what is needed. The size of the custom plan is chosen later. */
export function fits({ architecture, category, size }: SoldPlan, needs: Hardware): boolean {
  const isLarge = size.diskGb >= needs.diskGb && size.memoryMb >= needs.memoryMb;
  return architecture === needs.architecture && (category === 'custom' || isLarge);
}
