import { type Insertable, sql } from 'kysely';
import type { Db, Tables } from '../../../store/database.ts';
import type { ImageRow } from '../tables.ts';

export async function findImageRow(
  db: Db,
  accountId: string,
  id: string,
  lock?: 'share' | 'update',
): Promise<ImageRow | undefined> {
  let query = db
    .selectFrom('vps_images')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', accountId);
  if (lock === 'share') query = query.forShare();
  if (lock === 'update') query = query.forUpdate();
  return query.executeTakeFirst();
}

export async function findImageRows(db: Db, accountId: string, ids: readonly string[]): Promise<ImageRow[]> {
  return db
    .selectFrom('vps_images')
    .selectAll()
    .where('account_id', '=', accountId)
    .where(sql<boolean>`id = any(${[...ids]}::text[])`)
    .execute();
}

export async function findImageByName(db: Db, accountId: string, name: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('vps_images')
    .select('id')
    .where('account_id', '=', accountId)
    .where('name', '=', name)
    .executeTakeFirst();
  return row?.id;
}

export async function insertImage(db: Db, row: Insertable<Tables['vps_images']>): Promise<ImageRow> {
  return db.insertInto('vps_images').values(row).returningAll().executeTakeFirstOrThrow();
}

type Change = Partial<Omit<ImageRow, 'id' | 'account_id' | 'version' | 'created_at' | 'updated_at'>>;

/** Undefined: it is gone. */
export async function updateImage(db: Db, id: string, change: Change): Promise<ImageRow | undefined> {
  return db
    .updateTable('vps_images')
    .set({ ...change, version: sql`version + 1`, updated_at: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** Only a figure: nothing that anybody could undo, so its version stays. */
export async function noteProgress(db: Db, id: string, percent: number): Promise<void> {
  await db
    .updateTable('vps_images')
    .set({ progress_percent: percent })
    .where('id', '=', id)
    .where('status', '=', 'creating')
    .execute();
}

/** Its bytes lie there too from now on. */
export async function noteImageAt(db: Db, id: string, location: string): Promise<void> {
  await sql`
    update vps_images set locations = array_append(locations, ${location})
    where id = ${id} and not ${location} = any(locations)`.execute(db);
}

export async function removeImageRow(db: Db, id: string): Promise<ImageRow | undefined> {
  return db.deleteFrom('vps_images').where('id', '=', id).returningAll().executeTakeFirst();
}
