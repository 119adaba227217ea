import { type Insertable, sql } from 'kysely';
import type { Db, Tables } from '../../../store/database.ts';
import type { AttachmentRow } from './table.ts';

/** All but the bytes, which lists do not need. */
const columns = [
  'id',
  'account_id',
  'message_id',
  'filename',
  'content_type',
  'size_bytes',
  'sha256',
  'location',
  'created_at',
] as const;

export async function insertAttachments(
  db: Db,
  rows: readonly Insertable<Tables['ticket_attachments']>[],
): Promise<AttachmentRow[]> {
  const written: AttachmentRow[] = [];
  // One at a time, so that one statement has the bytes of one file.
  for (const row of rows)
    written.push(
      await db.insertInto('ticket_attachments').values(row).returning(columns).executeTakeFirstOrThrow(),
    );
  return written;
}

/** The files of these messages, in the order in which they were sent. */
export async function attachmentsOf(db: Db, messageIds: readonly string[]): Promise<AttachmentRow[]> {
  if (messageIds.length === 0) return [];
  return db
    .selectFrom('ticket_attachments')
    .select(columns)
    .where(sql<boolean>`message_id = any(${messageIds}::text[])`)
    .orderBy('id')
    .execute();
}

export function findAttachment(db: Db, id: string): Promise<AttachmentRow | undefined> {
  return db.selectFrom('ticket_attachments').select(columns).where('id', '=', id).executeTakeFirst();
}

/** The encrypted bytes, if they are not in a store yet. */
export async function readSealed(db: Db, id: string): Promise<Buffer | null> {
  const row = await db
    .selectFrom('ticket_attachments')
    .select('sealed')
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.sealed ?? null;
}

/** The ids of files whose bytes are still in the database, oldest first. */
export async function unmoved(db: Db, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('ticket_attachments')
    .select('id')
    .where('location', 'is', null)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** The store has the bytes. Does nothing if another worker has noted it. */
export async function noteMoved(db: Db, id: string, location: string): Promise<void> {
  await db
    .updateTable('ticket_attachments')
    .set({ location, sealed: null })
    .where('id', '=', id)
    .where('location', 'is', null)
    .execute();
}
