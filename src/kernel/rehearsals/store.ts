/** Rehearsed calls that wait for their confirmation (`rehearsal.ts`). */
import { sql } from 'kysely';
import type { Db } from '../../store/database.ts';

interface RehearsalsTable {
  token_hash: Buffer;
  fingerprint: Buffer;
  expires_at: Date;
}

declare module '../../store/database.ts' {
  interface Tables {
    rehearsals: RehearsalsTable;
  }
}

export async function insertRehearsal(
  db: Db,
  row: Pick<RehearsalsTable, 'token_hash' | 'fingerprint'>,
  lifetimeSeconds: number,
): Promise<void> {
  const expires_at = sql<Date>`now() + make_interval(secs => ${lifetimeSeconds})`;
  await db
    .insertInto('rehearsals')
    .values({ ...row, expires_at })
    .execute();
}

/** Removes the row, so that of several processes only one gets it. Undefined if it was used, has expired or never was. */
export async function takeRehearsal(db: Db, tokenHash: Buffer): Promise<Buffer | undefined> {
  const row = await db
    .deleteFrom('rehearsals')
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', sql<Date>`now()`)
    .returning('fingerprint')
    .executeTakeFirst();
  return row?.fingerprint;
}

export async function removeExpiredRehearsals(db: Db): Promise<void> {
  await db.deleteFrom('rehearsals').where('expires_at', '<', sql<Date>`now()`).execute();
}

/** What the inventory says about these resources: another state of one of them is another state of what is touched. */
export async function readStates(db: Db, accountId: string, ids: readonly string[]): Promise<unknown[]> {
  if (ids.length === 0) return [];
  return db
    .selectFrom('resources')
    .select(['id', 'name', 'status', 'location', 'labels', 'parent_id', 'configuration', 'is_stopped'])
    .where('account_id', '=', accountId)
    .where('id', 'in', [...ids])
    .orderBy('id')
    .execute();
}
