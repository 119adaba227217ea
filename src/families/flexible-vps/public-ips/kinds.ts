/** Operations that attach public addresses to machines and detach them, whichever call starts them. */
import { step } from '../../../engines/engine-step.ts';
import { type Ended, kind } from '../../../kernel/operations/kind.ts';
import { readOperation } from '../../../kernel/operations/store.ts';
import { Nullable, Shape, type Static, Type } from '../../../kernel/schema.ts';
import type { Services } from '../../../kernel/services.ts';
import { setAttachment } from '../../../resources/addresses/holding/store.ts';
import { type PublicAddressRow, releaseAddress } from '../../../resources/addresses/store.ts';
import type { Db } from '../../../store/database.ts';
import { ATTACH_PUBLIC_IP, DETACH_PUBLIC_IP } from '../interface-changes/connection-operations.ts';
import { noteVm } from '../vms/inventory.ts';
import { updateVm } from '../vms/store.ts';
import type { VmRow } from '../vms/table.ts';
import { withoutEphemeral } from './address-price.ts';
import {
  abandon,
  announce,
  keepAttached,
  type Prepared,
  prepare,
  type Route,
  restore,
  unassignedEvent,
  unplugAddress,
  withdraw,
  withhold,
} from './routing.ts';

const common = {
  family: 'flexible-vps',
  resourceType: 'vm',
  queue: 'attach',
  typicalSeconds: 5,
  deadlineSeconds: 600,
  cancellable: false,
} as const;

const AttachInput = Shape({
  ip_id: Type.String(),
  /** The machine that loses the address; the operation holds its queue too. */
  from: Nullable(Type.String()),
});
type AttachInput = Static<typeof AttachInput>;

const routeOf = ({ resourceId }: Pick<Ended, 'resourceId'>, { ip_id, from }: AttachInput): Route => ({
  addressId: ip_id,
  vmId: resourceId,
  from,
});

export const attachPublicIpKind = kind<typeof AttachInput>({
  ...common,
  type: ATTACH_PUBLIC_IP,
  input: AttachInput,
  steps: [
    step('prepare', (work) => prepare(work, routeOf(work, work.input))),
    step('withdraw', (work) => withdraw(work, routeOf(work, work.input))),
    step('announce', (work) => announce(work, routeOf(work, work.input))),
    step('restore', (work) => restore(work, routeOf(work, work.input))),
  ],
  async settle(tx, ended, input) {
    if (ended.status === 'succeeded') return undefined;
    const prepared = (await readOperation(tx, ended.id))?.results['prepare'] as Prepared | undefined;
    await abandon(tx, routeOf(ended, input), prepared);
    return undefined;
  },
});

const DetachInput = Shape({ ip_id: Type.String() });

/**
 * Detaches a reserved address, which stays in the account, or releases an ephemeral one. No other account gets a
 * released address for a week, and the machine costs less without it.
 */
async function letGo(
  services: Services,
  tx: Db,
  vm: VmRow,
  address: PublicAddressRow,
  now: Date,
): Promise<void> {
  const { configuration } = withoutEphemeral(vm, address);
  const changed = await updateVm(tx, vm.id, { configuration });
  if (address.kind !== 'ephemeral') {
    await setAttachment(tx, address.id, null);
    return;
  }
  await releaseAddress(tx, address.id, now);
  if (changed !== undefined) await noteVm(services, tx, changed, now);
}

const placeOf = ({ resourceId, input }: { resourceId: string; input: Static<typeof DetachInput> }) => ({
  addressId: input.ip_id,
  vmId: resourceId,
});

export const detachPublicIpKind = kind<typeof DetachInput>({
  ...common,
  type: DETACH_PUBLIC_IP,
  input: DetachInput,
  steps: [
    step('withhold', (work) => withhold(work, placeOf(work), 'detachVmPublicIp')),
    step('unplug', (work) =>
      unplugAddress(work, placeOf(work), async (tx, vm, address) => {
        await letGo(work.services, tx, vm, address, work.now);
        return [unassignedEvent(address, vm)];
      }),
    ),
  ],
  async settle(tx, { status, resourceId }, input) {
    if (status !== 'succeeded') await keepAttached(tx, placeOf({ resourceId, input }));
    return undefined;
  },
});
