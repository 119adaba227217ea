/** Takes an address from the machine that has it, if one has, and puts it into quarantine. */
import { step } from '../../../engines/engine-step.ts';
import { done, kind, type Outcome, type Work } from '../../../kernel/operations/kind.ts';
import { Nullable, Shape, type Static, Type } from '../../../kernel/schema.ts';
import { setAttachment, setStatus } from '../../../resources/addresses/holding/store.ts';
import { settledStatus } from '../../../resources/addresses/lifecycle.ts';
import { addresses, textOf } from '../../../resources/addresses/resource.ts';
import { type PublicAddressRow, readAddress, releaseAddress } from '../../../resources/addresses/store.ts';
import { keepAttached, unassignedEvent, unplugAddress, withhold } from '../../flexible-vps/offers.ts';

const Input = Shape({
  /** The machine that had the address when it was to be released. */
  vm_id: Nullable(Type.String()),
  /** The address was never reserved: the operation that was to do so failed. */
  failed: Type.Boolean(),
});
type Input = Static<typeof Input>;

/** The machine may have been deleted meanwhile, and then no longer has the address. */
const whileAssigned = (
  name: string,
  run: (work: Work<Input>, place: { addressId: string; vmId: string }) => Promise<Outcome>,
) =>
  step<Input>(name, async (work) => {
    const address = await readAddress(work.db, work.resourceId);
    const vmId = address?.vm_id ?? null;
    return address === undefined || vmId === null ? done() : run(work, { addressId: address.id, vmId });
  });

const named = (address: PublicAddressRow) => ({ ...address, name: textOf(address) });

export const releaseAddressKind = kind<typeof Input>({
  type: 'address.release',
  family: 'ip-management',
  resourceType: addresses.type,
  queue: 'attach',
  typicalSeconds: 5,
  deadlineSeconds: 600,
  cancellable: false,
  input: Input,
  steps: [
    whileAssigned('withhold', (work, place) => withhold(work, place, 'detachVmPublicIp')),
    whileAssigned('unplug', (work, place) =>
      unplugAddress(work, place, async (tx, vm, address) => {
        await setAttachment(tx, address.id, null, 'releasing');
        return [unassignedEvent(address, vm)];
      }),
    ),
    step('release', async ({ db, resourceId, now }) => {
      const address = await readAddress(db, resourceId);
      if (address === undefined) return done({ changed: false });
      return done({ changed: true }, async (tx) => {
        await releaseAddress(tx, address.id, now);
        return [addresses.event('released', named(address))];
      });
    }),
  ],
  async settle(tx, { status, resourceId }, { vm_id, failed }) {
    if (status === 'succeeded') return undefined;
    if (vm_id !== null) await keepAttached(tx, { addressId: resourceId, vmId: vm_id });
    const address = await readAddress(tx, resourceId);
    if (address !== undefined) await setStatus(tx, address.id, failed ? 'error' : settledStatus(address));
    return undefined;
  },
});
