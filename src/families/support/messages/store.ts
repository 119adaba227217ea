import { type RawBuilder, sql } from 'kysely';
import type { Call } from '../../../kernel/call.ts';
import {
  type CreatedWithin,
  createdWithin,
  type Page,
  readPage,
  type SortKey,
} from '../../../kernel/pages/store.ts';
import type { Db } from '../../../store/database.ts';
import type { FileFacts } from '../attachments/table.ts';
import type { MessageRow } from './table.ts';

/** Ids sort in the order in which the messages were written. */
const byId: SortKey = { column: sql.ref('ticket_messages.id'), type: 'text' };

interface PageQuery extends CreatedWithin {
  readonly limit: number;
  readonly cursor?: string;
  readonly sort: string;
}

export function readMessages(call: Call<unknown, PageQuery>, ticketId: string): Promise<Page<MessageRow>> {
  const query = call.db
    .selectFrom('ticket_messages')
    .selectAll()
    .where('account_id', '=', call.caller.account.id)
    .where(createdWithin(sql.ref('ticket_messages.created_at'), call.query));
  return readPage(call, query, {
    owner: { column: sql.ref('ticket_messages.ticket_id'), id: ticketId },
    endpoint: `listTicketMessages ${ticketId}`,
    id: byId,
    sorts: { created_at: byId },
  });
}

/** A message with its files, in which times are strings. */
export type MessageJson = Omit<MessageRow, 'created_at' | 'updated_at'> & {
  readonly created_at: string;
  readonly files: readonly FileFacts[];
};

/** The newest messages of the ticket that a query reads, the oldest of them first. */
export const newestMessages = (count: number): RawBuilder<MessageJson[]> => sql<MessageJson[]>`(
  select coalesce(jsonb_agg(newest.message order by newest.id), '[]') from (
    select m.id, to_jsonb(m) || jsonb_build_object('files', (
      select coalesce(jsonb_agg(to_jsonb(a) order by a.id), '[]') from (
        select id, filename, content_type, size_bytes, sha256 from ticket_attachments
        where message_id = m.id) a)) as message
    from ticket_messages m where m.ticket_id = tickets.id order by m.id desc limit ${count}) newest)`;

/** What the member is called; undefined if there is no such member any more. */
export async function readMemberName(db: Db, accountId: string, id: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('members')
    .select('name')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.name;
}
