import { type RawBuilder, sql } from 'kysely';
import type { RowOf } from '../../../resources/owned/table.ts';
import type { Deletable } from '../../../resources/records/deletion.ts';
import type { Db } from '../../../store/database.ts';
import type { OfferedTable } from '../catalog/store.ts';

/** Those that failed more than `days` days ago. They were kept so that the customer can read the reason. */
export async function readStale(db: Db, table: OfferedTable, days: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from ${sql.table(table)}
    where status = 'failed' and failed_at < now() - ${days} * interval '1 day'
    order by failed_at limit 100`.execute(db);
  return rows.map(({ id }) => id);
}

export async function lockFailed<T extends OfferedTable>(
  db: Db,
  table: T,
  id: string,
): Promise<(RowOf<T> & Deletable) | undefined> {
  const { rows } = await sql<RowOf<T> & Deletable>`
    select * from ${sql.table(table)} where id = ${id} and status = 'failed' for update`.execute(db);
  return rows[0];
}

/** Counts the URL imports of the account that are in progress. */
export const countImports = (accountId: string): RawBuilder<unknown> => sql`
  select (select count(*) from vps_images
      where account_id = ${accountId} and status = 'creating' and source ->> 'type' = 'url')
    + (select count(*) from vps_isos
      where account_id = ${accountId} and status in ('downloading', 'verifying'))`;

/** The oldest import of the account, of an image or an ISO, that has no room on the disk for imports. */
export async function findImportWithoutRoom(
  db: Db,
  accountId: string,
): Promise<{ readonly id: string } | undefined> {
  return db
    .selectFrom('operations')
    .select('id')
    .where('account_id', '=', accountId)
    .where('status', '=', 'running')
    .where('type', 'in', ['image.create', 'iso.create'])
    .where('waiting_for', '=', 'disk')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
}
