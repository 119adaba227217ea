/** An address that lives with its machine becomes one of its own, which the machine still has. */
import type { Call } from '../../../kernel/call.ts';
import { pendingOn } from '../../../kernel/operations/store.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { type PublicAddressRow, readAddress } from '../../../resources/addresses/store.ts';
import { vms } from '../vms/resource.ts';
import { lockVmIfThere, readVm } from '../vms/store.ts';
import type { VmRow } from '../vms/table.ts';
import { withoutEphemeral } from './address-price.ts';

/** Locks the machine that has the address, before the address is locked. */
export async function lockHolderOf(
  { db, caller }: Pick<Call, 'db' | 'caller'>,
  addressId: string,
): Promise<VmRow | undefined> {
  const seen = await readAddress(db, addressId);
  if (seen === undefined || seen.vm_id === null || seen.account_id !== caller.account.id) return undefined;
  return lockVmIfThere(db, caller.account.id, seen.vm_id);
}

/** The price of the machine no longer has the address. Throws 409 while an operation works on the machine. */
export async function giveUpEphemeral(
  call: Pick<Call, 'db' | 'services' | 'now' | 'cost'>,
  address: PublicAddressRow,
): Promise<void> {
  const { db, services, now } = call;
  const vm = address.vm_id === null ? undefined : await readVm(db, address.vm_id);
  if (vm === undefined) return;
  const busy = (await pendingOn(db, [vm.id])).get(vm.id);
  if (busy !== undefined)
    throw new Problem('operation_in_progress', {
      detail: `An operation works on the machine ${vm.name}, which has the address.`,
      extra: { operation_id: busy.id },
    });
  const { configuration } = withoutEphemeral(vm, address);
  await vms.reportCost(call, [vm], { configuration });
  await vms.change(db, vm.id, { configuration }, { services, at: now });
}
