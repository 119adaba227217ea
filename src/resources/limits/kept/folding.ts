/** Schedule that replaces the rows of kept counts by their sums, so that calls read few rows. */
import type { Schedule } from '../../../kernel/schedule.ts';
import type { Db } from '../../../store/database.ts';
import { foldCounts } from './store.ts';

const BATCH = 2_000;

export async function foldAllCounts(db: Db): Promise<void> {
  while ((await foldCounts(db, BATCH)) >= BATCH);
}

export const countFolding: Schedule = {
  name: 'limits.fold',
  everySeconds: 30,
  run: ({ db }) => foldAllCounts(db),
};
