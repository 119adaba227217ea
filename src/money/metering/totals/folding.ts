/** Schedule that adds new entries of the meter to the totals, in small transactions, so that calls read few rows. */
import type { Schedule } from '../../../kernel/schedule.ts';
import type { Db } from '../../../store/database.ts';
import { foldEntries } from './store.ts';

const BATCH = 2_000;

export async function foldMeter(db: Db): Promise<void> {
  while ((await foldEntries(db, BATCH)) === BATCH);
}

export const folding: Schedule = {
  name: 'metering.fold',
  everySeconds: 30,
  run: ({ db }) => foldMeter(db),
};
