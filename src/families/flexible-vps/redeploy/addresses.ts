/** Allocates new public addresses for a machine whose creation failed, because the failure released its addresses. */
import type { Call } from '../../../kernel/call.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { secondsUntilFree } from '../../../resources/addresses/availability/store.ts';
import { allocateAddress, attachedAddresses, setAttachment } from '../../../resources/addresses/store.ts';
import { readInterfaces } from '../interfaces/store.ts';
import { wasMade } from '../reconciliation/verdict.ts';
import type { VmRow } from '../vms/table.ts';

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
  for (const version of versions) {
    const request = {
      pools: services.provider.catalogue.address_pools,
      location: vm.location,
      accountId: vm.account_id,
      kind: 'ephemeral' as const,
      vmId: null,
      now,
      version,
    };
    const block = await allocateAddress(db, request);
    if (block === null)
      throw new Problem('capacity_unavailable', {
        detail: `No public address is left in ${vm.location} at the moment.`,
        extra: { alternatives: [] },
        retryAfterSeconds: await secondsUntilFree(db, request),
      });
    await setAttachment(db, block.id, { vmId: vm.id, interfaceId: front.id });
  }
}
