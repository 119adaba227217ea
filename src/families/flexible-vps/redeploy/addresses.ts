/** Allocates new public addresses for a machine whose creation failed, because the failure released its addresses. */
import type { Call } from '../../../kernel/call.ts';
import { noAddressLeft } from '../../../resources/addresses/availability/refusal.ts';
import { allocateAddresses, attachedAddresses } from '../../../resources/addresses/store.ts';
import { readInterfaces } from '../interfaces/store.ts';
import type { VmRow } from '../vms/table.ts';
import { wasMade } from '../vms/verdict.ts';

const NEXT_STEP =
  'Create a machine in another location instead, or ask your provider for more addresses here.';

const wantsIpv4 = ({ configuration }: VmRow): boolean =>
  (configuration['public_ipv4'] as { mode?: string } | undefined)?.mode === 'ephemeral';

const wantsIpv6 = ({ configuration }: VmRow): boolean => configuration['public_ipv6'] !== false;

export async function replaceLostAddresses(
  { db, services, now }: Pick<Call, 'db' | 'services' | 'now'>,
  vm: VmRow,
): Promise<void> {
  if (wasMade(vm)) return;
  const front = (await readInterfaces(db, [vm.id])).find(({ kind }) => kind === 'public');
  if (front === undefined || (await attachedAddresses(db, [vm.id])).length > 0) return;
  const versions = [...(wantsIpv4(vm) ? [4 as const] : []), ...(wantsIpv6(vm) ? [6 as const] : [])];
  const question = {
    pools: services.provider.catalogue.address_pools,
    location: vm.location,
    accountId: vm.account_id,
    now,
  };
  const { exhausted } = await allocateAddresses(
    db,
    { ...question, kind: 'ephemeral', vmId: vm.id, interfaceId: front.id },
    versions,
  );
  if (exhausted !== undefined) throw await noAddressLeft(db, question, exhausted, NEXT_STEP);
}
