import { sql } from 'kysely';
import '../tables.ts';
import type { Db, Tx } from '../../../store/database.ts';

export async function replaceCodes(tx: Tx, personId: string, hashes: readonly Buffer[]): Promise<void> {
  await tx.deleteFrom('recovery_codes').where('person_id', '=', personId).execute();
  if (hashes.length === 0) return;
  await tx
    .insertInto('recovery_codes')
    .values(hashes.map((hash) => ({ person_id: personId, hash })))
    .execute();
}

/** Returns false if the person has no such code, or has used it. */
export async function takeCode(tx: Tx, personId: string, hash: Buffer): Promise<boolean> {
  const { rows } = await sql`
    update recovery_codes set used_at = clock_timestamp()
    where person_id = ${personId} and hash = ${hash} and used_at is null returning person_id`.execute(tx);
  return rows.length === 1;
}

export async function countCodes(db: Db, personId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from recovery_codes where person_id = ${personId} and used_at is null`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}
