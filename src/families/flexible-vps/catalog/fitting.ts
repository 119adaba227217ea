/**
 * Which images and locations fit an existing machine. Lists use it to offer only what a request can name. What does not
 * exist fits nothing, so such a list is empty.
 */
import type { Call } from '../../../kernel/call.ts';
import { findVmIfThere } from '../vms/store.ts';
import { soldPlans } from './sold-plans.ts';

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
  const vm = await findVmIfThere(db, caller.account.id, for_vm);
  return vm !== undefined && (location ?? vm.location) === vm.location ? vm.location : '';
}

/** The hardware that an image may need: that of a machine, or of the plans that are sold in a location. */
export async function hardwareFor(
  { db, caller, services, now }: Reader & Pick<Call, 'now'>,
  { location, for_vm }: { readonly location?: string | undefined; readonly for_vm?: string | undefined },
): Promise<Hardware[] | undefined> {
  if (for_vm !== undefined) {
    const vm = await findVmIfThere(db, caller.account.id, for_vm);
    const isThere = vm !== undefined && (location ?? vm.location) === vm.location;
    return isThere ? [{ architecture: vm.architecture, diskGb: vm.disk_gb, memoryMb: vm.memory_mb }] : [];
  }
  if (location === undefined) return undefined;
  return soldPlans(services.provider.catalogue, now)
    .filter(({ locations, category }) => locations.includes(location) && category !== 'custom')
    .map(({ architecture, size: { diskGb, memoryMb } }) => ({ architecture, diskGb, memoryMb }));
}
