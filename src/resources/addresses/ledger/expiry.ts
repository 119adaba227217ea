import type { Schedule } from '../../../kernel/schedule.ts';
import { deleteOldHoldings } from './store.ts';

const AT_ONCE = 1_000;

/** Forgets who had an address, a year after it was lost. */
export const holdingExpiry: Schedule = {
  name: 'ip-management.holdings',
  everySeconds: 3_600,
  async run({ db }) {
    while ((await deleteOldHoldings(db, AT_ONCE)) === AT_ONCE);
  },
};
