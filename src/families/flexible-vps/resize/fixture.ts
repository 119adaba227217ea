import type { Fixture } from '../../../laws/fixture.ts';
import { vmLife } from '../vms/lifecycle.ts';

export const fixture: Fixture = {
  ways: {
    updateVm: [
      { body: { description: 'The front of the shop' }, states: vmLife.allowedFor('updateVm') },
      { body: { plan: 'flex-1-2' }, states: vmLife.allowedFor('resizeVm') },
    ],
  },
  variations: {
    updateVm: {
      'to a larger plan': async () => ({ body: { plan: 'flex-4-8' } }),
      'to a larger disk': async () => ({ body: { plan: 'flex-2-4', disk_gb: 160 } }),
      'that leaves the size as it is': async () => ({ body: { plan: 'flex-2-4', disk_gb: 80 } }),
    },
    resizeVm: {
      'to a smaller plan': async () => ({ body: { plan: 'flex-1-2', disk_gb: 80 } }),
      'that starts the machine': async () => ({ body: { start_after: 'yes' } }),
      'that leaves the machine stopped': async () => ({ body: { start_after: 'no' } }),
    },
  },
};
