/** Operations that assign an address to a machine and take it away, for the calls about addresses. */
import { step } from '../../../engines/engine-step.ts';
import { done, type Ended, kind } from '../../../kernel/operations/kind.ts';
import { readOperation } from '../../../kernel/operations/store.ts';
import { Nullable, Shape, type Static, Type } from '../../../kernel/schema.ts';
import { setAttachment } from '../../../resources/addresses/holding/store.ts';
import { addresses } from '../../../resources/addresses/resource.ts';
import {
  ASSIGN_ADDRESS,
  abandon,
  announce,
  keepAttached,
  type Prepared,
  prepare,
  restore,
  UNASSIGN_ADDRESS,
  unassignedEvent,
  unplugAddress,
  withdraw,
  withhold,
} from '../../flexible-vps/offers.ts';

const common = {
  family: 'ip-management',
  resourceType: addresses.type,
  queue: 'attach',
  typicalSeconds: 5,
  deadlineSeconds: 600,
  cancellable: false,
} as const;

const AssignInput = Shape({
  vm_id: Type.String(),
  /** The machine that loses the address; the operation holds its queue too. */
  from: Nullable(Type.String()),
});
type AssignInput = Static<typeof AssignInput>;

const routeOf = ({ resourceId }: Pick<Ended, 'resourceId'>, { vm_id, from }: AssignInput) => ({
  addressId: resourceId,
  vmId: vm_id,
  from,
});

export const assignAddressKind = kind<typeof AssignInput>({
  ...common,
  type: ASSIGN_ADDRESS,
  input: AssignInput,
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

const UnassignInput = Shape({
  /** The machine that has the address; null if nothing has it. */
  vm_id: Nullable(Type.String()),
});

export const unassignAddressKind = kind<typeof UnassignInput>({
  ...common,
  type: UNASSIGN_ADDRESS,
  input: UnassignInput,
  steps: [
    step('withhold', async (work) => {
      const { vm_id: vmId } = work.input;
      if (vmId === null) return done({ changed: false });
      return withhold(work, { addressId: work.resourceId, vmId }, 'detachVmPublicIp');
    }),
    step('unplug', async (work) => {
      const { vm_id: vmId } = work.input;
      if (vmId === null) return done({ changed: false });
      return unplugAddress(work, { addressId: work.resourceId, vmId }, async (tx, vm, address) => {
        await setAttachment(tx, address.id, null);
        return [unassignedEvent(address, vm)];
      });
    }),
  ],
  async settle(tx, { status, resourceId }, { vm_id: vmId }) {
    if (status !== 'succeeded' && vmId !== null) await keepAttached(tx, { addressId: resourceId, vmId });
    return undefined;
  },
});
