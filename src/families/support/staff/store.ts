/** What the provider's staff reads: tickets of all accounts, with the notes that customers never see. */
import { sql } from 'kysely';
import { idPrefix } from '../../../kernel/ids.ts';
import type { Db } from '../../../store/database.ts';
import { attachmentsOf } from '../attachments/store.ts';
import type { TicketStatus } from '../tickets/lifecycle.ts';

export interface Wanted {
  /** One of the states; others have no tickets. */
  readonly status?: string;
  readonly account?: string;
  readonly assignedTo?: string;
}

/** The one that has to be answered first comes first. Without a status: what the provider has to do. */
export function readQueue(db: Db, { status, account, assignedTo }: Wanted, limit: number) {
  let query = db
    .selectFrom('tickets as t')
    .innerJoin('accounts as a', 'a.id', 't.account_id')
    .selectAll('t')
    .select(['a.name as account_name', 'a.support_plan'])
    .where('t.status', 'in', status === undefined ? ['open', 'in_progress'] : [status as TicketStatus]);
  if (account !== undefined) query = query.where('t.account_id', '=', account);
  if (assignedTo !== undefined) query = query.where('t.assigned_to', '=', assignedTo);
  return query
    .orderBy(sql`case when t.first_response_at is null then t.first_response_due_at end nulls last`)
    .orderBy('t.last_message_at')
    .limit(limit)
    .execute();
}

export function findForStaff(db: Db, id: string) {
  return db
    .selectFrom('tickets as t')
    .innerJoin('accounts as a', 'a.id', 't.account_id')
    .selectAll('t')
    .select(['a.name as account_name', 'a.support_plan'])
    .where('t.id', '=', id)
    .executeTakeFirst();
}

/** Everything that was written in a ticket, oldest first. */
export async function readConversation(db: Db, ticketId: string) {
  const messages = await db
    .selectFrom('ticket_messages')
    .selectAll()
    .where('ticket_id', '=', ticketId)
    .orderBy('id')
    .execute();
  const files = await attachmentsOf(
    db,
    messages.map(({ id }) => id),
  );
  const notes = await db
    .selectFrom('ticket_notes')
    .selectAll()
    .where('ticket_id', '=', ticketId)
    .orderBy('id')
    .execute();
  return { messages, files, notes };
}

/** How calls that a ticket names have ended, as far as the audit log has them. */
export async function readCalls(db: Db, accountId: string, since: Date, requestIds: readonly string[]) {
  if (requestIds.length === 0) return [];
  return db
    .selectFrom('audit_entries')
    .select([
      sql<string>`entry ->> 'request_id'`.as('request_id'),
      sql<string>`entry ->> 'action'`.as('action'),
      sql<number | null>`(entry ->> 'http_status')::int`.as('http_status'),
      sql<string | null>`entry ->> 'problem_code'`.as('problem_code'),
    ])
    .where('account_id', '=', accountId)
    .where('occurred_at', '>=', since)
    .where(sql<string>`entry ->> 'request_id'`, 'in', [...requestIds])
    .limit(100)
    .execute();
}

const newNoteId = idPrefix('ticket_note', 'tnote');

export async function insertNote(
  db: Db,
  note: {
    readonly account_id: string;
    readonly ticket_id: string;
    readonly author: string;
    readonly body: string;
  },
): Promise<void> {
  await db
    .insertInto('ticket_notes')
    .values({ id: newNoteId(), ...note })
    .execute();
}

export async function insertAnswer(
  db: Db,
  row: {
    readonly id: string;
    readonly account_id: string;
    readonly ticket_id: string;
    readonly author_name: string;
    readonly body: string;
  },
): Promise<void> {
  await db
    .insertInto('ticket_messages')
    .values({ ...row, sender: 'staff', via: 'portal' })
    .execute();
}
