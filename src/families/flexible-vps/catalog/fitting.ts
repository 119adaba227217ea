/**
 * Which plans, images and locations fit an existing machine, image or snapshot. Lists use it to offer only what a
 * request can name. What does not exist fits nothing, so such a list is empty.
 */
import type { Call } from '../../../kernel/call.ts';
import { findImage } from '../images/references.ts';
import { findKnownIso } from '../isos/references.ts';
import { machineOfSnapshot, readSnapshot } from '../snapshots/store.ts';
import { type SoldPlan, soldPlans } from './sold-plans.ts';
import { findMachine } from './store.ts';

export interface Hardware {
  readonly architecture: 'amd64' | 'arm64';
  readonly diskGb: number;
  readonly memoryMb: number;
}

type Reader = Pick<Call, 'db' | 'caller' | 'services'>;

/** The location that both filters of a list leave; no location is called `''`. */
export async function locationFor(
  { db, caller }: Pick<Reader, 'db' | 'caller'>,
  { location, for_vm }: { readonly location?: string | undefined; readonly for_vm?: string | undefined },
): Promise<string | undefined> {
  if (for_vm === undefined) return location;
  const vm = await findMachine(db, caller.account.id, for_vm);
  return vm !== undefined && (location ?? vm.location) === vm.location ? vm.location : '';
}

/** What a machine made from this image, snapshot, machine or ISO needs at least. */
export async function needsOf(call: Reader, id: string): Promise<Hardware | undefined> {
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
  const vm = owner === undefined ? undefined : await findMachine(db, accountId, owner);
  if (vm === undefined) return undefined;
  const diskGb = owner === id ? vm.disk_gb : ((await readSnapshot(db, id))?.disk_gb ?? vm.disk_gb);
  return { architecture: vm.architecture, diskGb, memoryMb: 0 };
}

/** Whether the plan has what is needed. The size of the custom plan is chosen later. */
export function fits({ architecture, category, size }: SoldPlan, needs: Hardware): boolean {
  const isLarge = size.diskGb >= needs.diskGb && size.memoryMb >= needs.memoryMb;
  return architecture === needs.architecture && (category === 'custom' || isLarge);
}

/** The hardware that an image may need: that of a machine, or of the plans that are sold in a location. */
export async function hardwareFor(
  { db, caller, services, now }: Reader & Pick<Call, 'now'>,
  { location, for_vm }: { readonly location?: string | undefined; readonly for_vm?: string | undefined },
): Promise<Hardware[] | undefined> {
  if (for_vm !== undefined) {
    const vm = await findMachine(db, caller.account.id, for_vm);
    const isThere = vm !== undefined && (location ?? vm.location) === vm.location;
    return isThere ? [{ architecture: vm.architecture, diskGb: vm.disk_gb, memoryMb: vm.memory_mb }] : [];
  }
  if (location === undefined) return undefined;
  return soldPlans(services.provider.catalogue, now)
    .filter(({ locations, category }) => locations.includes(location) && category !== 'custom')
    .map(({ architecture, size: { diskGb, memoryMb } }) => ({ architecture, diskGb, memoryMb }));
}
