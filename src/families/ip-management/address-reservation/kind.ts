/**
 * Reserves an address that the call has allocated, and assigns it to a machine if the call named one. The address is
 * billed from the end of the operation on. If it fails, the address can only be released.
 */
import { step } from '../../../engines/engine-step.ts';
import type { NewEvent } from '../../../kernel/events/event.ts';
import { done, kind, type Outcome, type Work } from '../../../kernel/operations/kind.ts';
import { readOperation } from '../../../kernel/operations/store.ts';
import { Nullable, Shape, type Static, Type } from '../../../kernel/schema.ts';
import { setAttachment, setStatus } from '../../../resources/addresses/holding/store.ts';
import { settledStatus } from '../../../resources/addresses/lifecycle.ts';
import { addresses, textOf } from '../../../resources/addresses/resource.ts';
import { readAddress, releaseAddress } from '../../../resources/addresses/store.ts';
import type { Tx } from '../../../store/database.ts';
import {
  abandon,
  announce,
  type Prepared,
  prepare,
  RESERVE_ADDRESS,
  unplugAddress,
  withdraw,
} from '../../flexible-vps/offers.ts';

const Input = Shape({
  /** The machine that gets the address. */
  vm_id: Nullable(Type.String()),
});
type Input = Static<typeof Input>;

const routeTo = (addressId: string, vmId: string) => ({ addressId, vmId, from: null });

/** A step that is only needed if a machine gets the address. */
const forMachine = (
  name: string,
  run: (work: Work<Input>, route: ReturnType<typeof routeTo>) => Promise<Outcome>,
) =>
  step<Input>(name, async (work) =>
    work.input.vm_id === null ? done() : run(work, routeTo(work.resourceId, work.input.vm_id)),
  );

/** For the case that the address has to be given back: takes it from the machine that got it. */
const undo = [
  step<Input>('withhold', async ({ db, resourceId }) => {
    const address = await readAddress(db, resourceId);
    if (address === undefined || address.vm_id === null) return done();
    const vmId = address.vm_id;
    return done({}, async (tx) => {
      await setAttachment(tx, resourceId, { vmId, interfaceId: null }, address.status);
      return undefined;
    });
  }),
  step<Input>('unplug', async (work) => {
    const address = await readAddress(work.db, work.resourceId);
    if (address === undefined || address.vm_id === null) return done();
    return unplugAddress(work, { addressId: address.id, vmId: address.vm_id }, async (tx) => {
      await setAttachment(tx, address.id, null, address.status);
      return [];
    });
  }),
];

async function erase(tx: Tx, id: string): Promise<NewEvent[]> {
  const address = await readAddress(tx, id);
  if (address === undefined) return [];
  await releaseAddress(tx, id, new Date());
  return [addresses.event('released', { ...address, name: textOf(address) })];
}

export const reserveAddressKind = kind<typeof Input>({
  type: RESERVE_ADDRESS,
  family: 'ip-management',
  resourceType: addresses.type,
  queue: 'attach',
  typicalSeconds: 5,
  deadlineSeconds: 600,
  cancellable: true,
  input: Input,
  steps: [
    forMachine('prepare', prepare),
    forMachine('withdraw', withdraw),
    forMachine('announce', (work, route) => announce(work, route, 'reserving')),
    step('reserve', async ({ db, resourceId, services, now }) => {
      const address = await readAddress(db, resourceId);
      if (address === undefined) return done();
      return done({ changed: true }, async (tx) => {
        const change = { status: settledStatus(address), provisioned_at: now };
        await addresses.change(tx, address.id, change, { services, at: now });
        return [addresses.event('reserved', { ...address, name: textOf(address) })];
      });
    }),
  ],
  undo,
  erase,
  provisions: 'public_addresses',
  async settle(tx, { id, status, resourceId }, { vm_id }) {
    if (status === 'succeeded') return undefined;
    if (vm_id !== null) {
      const prepared = (await readOperation(tx, id))?.results['prepare'] as Prepared | undefined;
      await abandon(tx, routeTo(resourceId, vm_id), prepared);
    }
    await setStatus(tx, resourceId, 'error');
    return undefined;
  },
});
