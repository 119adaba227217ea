/** Says whether operations wait too long for a worker. */
import type { Lane } from '../kernel/operations/kind.ts';
import type { Db } from '../store/database.ts';
import type { Condition } from '../store/readiness.ts';
import { readOldestDue } from './claims/store.ts';

/** Foreign servers may be slow, and their slots are few: what waits for them may wait longer. */
const MOST_SECONDS: Readonly<Record<Lane, number>> = { own: 60, undo: 60, foreign: 15 * 60 };

/**
 * Never `down`: that would take the API away from the customers because of trouble that only the workers have, and no
 * operation would start the sooner.
 */
export async function checkStarvation(db: Db): Promise<Condition> {
  const oldest = await readOldestDue(db);
  const late = (Object.keys(oldest) as Lane[]).filter((lane) => oldest[lane] > MOST_SECONDS[lane]);
  if (late.length === 0) return { status: 'ok' };
  const waits = late.map((lane) => `${Math.round(oldest[lane])} s in the lane ${lane}`).join(', ');
  return { status: 'degraded', detail: `operations wait for a worker: the oldest ${waits}` };
}
