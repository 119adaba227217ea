/**
 * Which processes are running now: each holds a shared advisory lock on its LISTEN connection. PostgreSQL releases
 * the lock when the process ends in any way, so nothing has to expire.
 */
import { sql } from 'kysely';
import type { Db } from './database.ts';

/** A two-part key of `pg_advisory_lock`. */
export type PresenceLock = readonly [number, number];

/** Held by every process that answers API requests. The first part spells "here" in ASCII. */
export const API_PROCESSES: PresenceLock = [0x68657265, 1];

export async function countPresent(db: Db, [first, second]: PresenceLock): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from pg_locks
    where locktype = 'advisory' and classid = ${first} and objid = ${second} and objsubid = 2 and granted
      and database = (select oid from pg_database where datname = current_database())`.execute(db);
  return rows[0]?.count ?? 0;
}
