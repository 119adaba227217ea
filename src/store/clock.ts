import { sql } from 'kysely';
import type { Db } from './database.ts';

/** Beyond this, times that we show and times that the database decides by no longer fit together. */
export const MOST_SKEW_MS = 5_000;

/** Compares the database clock with the middle of the round trip, which is the best estimate of the same moment. */
export async function readClockSkew(db: Db): Promise<number> {
  const before = Date.now();
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db);
  const after = Date.now();
  return (rows[0]?.now.getTime() ?? after) - (before + after) / 2;
}
