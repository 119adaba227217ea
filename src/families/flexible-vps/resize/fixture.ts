import type { Fixture } from '../../../laws/fixture.ts';

export const fixture: Fixture = {
  variations: {
    resizeVm: {
      'to a smaller plan': async () => ({ body: { plan: 'flex-1-2', disk_gb: 80 } }),
      'that starts the machine': async () => ({ body: { start_after: 'yes' } }),
      'that leaves the machine stopped': async () => ({ body: { start_after: 'no' } }),
    },
  },
};
