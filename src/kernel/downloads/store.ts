/**
 * The links with which files can be downloaded. A row exists for as long as its link may be used, and no longer: the
 * database deletes it with its key, session, account and file (`0039-download-links.ts`).
 */
import { type Generated, type Insertable, type RawBuilder, type Selectable, sql } from 'kysely';
import type { Db, Tables } from '../../store/database.ts';
import { type Bearer, type BearerColumns, bearerIn } from '../access/bearer.ts';

interface DownloadLinksTable extends BearerColumns {
  id: string;
  account_id: string;
  /** The resource whose file it is. */
  resource_id: string;
  /** The owner of the key, or the person, when the link was made. */
  member_id: string | null;
  token_hash: Buffer;
  created_at: Generated<Date>;
  expires_at: Date;
  last_used_at: Generated<Date | null>;
  uses: Generated<number>;
}

declare module '../../store/database.ts' {
  interface Tables {
    download_links: DownloadLinksTable;
  }
}

export type DownloadLinkRow = Selectable<Tables['download_links']>;

/** A download that began before its link expired may go on for this time. Until then it can be ended, like the link. */
const GRACE = sql`interval '1 day'`;

export async function insertLink(db: Db, row: Insertable<Tables['download_links']>): Promise<void> {
  await db.insertInto('download_links').values(row).execute();
}

export interface FoundLink {
  readonly resourceId: string;
  readonly bearer: Bearer;
}

/** Undefined unless the link can be used now. */
export async function findLink(db: Db, id: string, tokenHash: Buffer): Promise<FoundLink | undefined> {
  const row = await db
    .selectFrom('download_links as l')
    .leftJoin('api_keys as k', 'k.id', 'l.api_key_id')
    .select(['k.public_id', 'l.session_id', 'l.account_id', 'l.resource_id'])
    .where('l.id', '=', id)
    .where('l.token_hash', '=', tokenHash)
    .where('l.expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst();
  const bearer = row && bearerIn(row);
  return row && bearer && { resourceId: row.resource_id, bearer };
}

/** Returns false if the link has ended meanwhile. */
export async function noteUse(db: Db, id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('download_links')
    .set({ uses: sql`uses + 1`, last_used_at: sql`now()` })
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Whether the link has not been ended. An expired link counts, too: its downloads go on. */
export async function isLinkThere(db: Db, id: string): Promise<boolean> {
  const row = await db.selectFrom('download_links').select('id').where('id', '=', id).executeTakeFirst();
  return row !== undefined;
}

/** The links of a resource that can be used now, oldest first, as JSON. `column` has the id of the resource. */
export const linksOf = (column: string): RawBuilder<LinkJson[]> => sql<LinkJson[]>`(
  select coalesce(jsonb_agg(to_jsonb(l) - 'token_hash' order by l.id), '[]') from download_links l
  where l.resource_id = ${sql.ref(column)} and l.expires_at > now())`;

/** A link without its token, in which times are strings. */
export type LinkJson = Pick<DownloadLinkRow, 'id' | 'api_key_id' | 'member_id' | 'uses'> & {
  readonly created_at: string;
  readonly expires_at: string;
  readonly last_used_at: string | null;
};

/** The links of an account that can be used now, oldest first. */
export function linksOfAccount(db: Db, accountId: string): Promise<DownloadLinkRow[]> {
  return db
    .selectFrom('download_links')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('expires_at', '>', sql<Date>`now()`)
    .orderBy('id')
    .execute();
}

export async function countLinks(db: Db, resourceId: string): Promise<number> {
  const { links } = await db
    .selectFrom('download_links')
    .select(({ fn }) => fn.countAll<number>().as('links'))
    .where('resource_id', '=', resourceId)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirstOrThrow();
  return Number(links);
}

/** Ends these links of a resource, also downloads that are running. Returns the ids of those that existed. */
export async function endLinks(db: Db, resourceId: string, ids: readonly string[]): Promise<string[]> {
  const ended = await db
    .deleteFrom('download_links')
    .where('resource_id', '=', resourceId)
    .where('id', 'in', [...ids])
    .returning('id')
    .execute();
  return ended.map(({ id }) => id);
}

/** Ends a link of an account, whatever its file is. */
export function endLink(db: Db, accountId: string, id: string): Promise<DownloadLinkRow | undefined> {
  return db
    .deleteFrom('download_links')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

export async function removeExpiredLinks(db: Db): Promise<void> {
  await db.deleteFrom('download_links').where('expires_at', '<=', sql<Date>`now() - ${GRACE}`).execute();
}
