/**
 * Tells the engine of the machine that has an address that its traffic is dropped, or no longer. The command of the
 * operator and the schedule that ends a null route have written the table before.
 */
import { step } from '../../../engines/engine-step.ts';
import { done, kind, NoInput } from '../../../kernel/operations/kind.ts';
import { addresses } from '../../../resources/addresses/resource.ts';
import { readAddress } from '../../../resources/addresses/store.ts';
import { routeAgain } from '../../flexible-vps/offers.ts';

export const routeAddressKind = kind<typeof NoInput>({
  type: 'address.route',
  family: 'ip-management',
  resourceType: addresses.type,
  queue: 'attach',
  typicalSeconds: 5,
  deadlineSeconds: 600,
  cancellable: false,
  input: NoInput,
  steps: [
    step('route', async (work) => {
      const address = await readAddress(work.db, work.resourceId);
      return address === undefined ? done({ changed: false }) : routeAgain(work, address);
    }),
  ],
});
