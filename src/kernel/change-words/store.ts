import { sql } from 'kysely';
import type { Db } from '../../store/database.ts';

/** The names of those resources among these ids that the inventory of the account has. */
export async function readNames(
  db: Db,
  accountId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('resources')
    .select(['id', 'name'])
    .where('account_id', '=', accountId)
    .where(sql<boolean>`id = any(${[...ids]}::text[])`)
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}
