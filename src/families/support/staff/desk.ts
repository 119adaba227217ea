/** What the provider's staff does with tickets. It is in the audit log of the account, except for notes. */
import type { AuditChange, AuditEntry } from '../../../kernel/audit/entry.ts';
import { append } from '../../../kernel/audit/store.ts';
import type { NewEvent } from '../../../kernel/events/event.ts';
import { writeEvents } from '../../../kernel/events/write-events.ts';
import { newId } from '../../../kernel/ids.ts';
import { type FieldError, invalid, Problem } from '../../../kernel/problems/problem.ts';
import type { Registry } from '../../../kernel/registry.ts';
import type { ProviderConfig } from '../../../provider/schema.ts';
import type { RowChange } from '../../../resources/owned/table.ts';
import type { Db, Tx } from '../../../store/database.ts';
import { transact } from '../../../store/transaction.ts';
import { findAttachment } from '../attachments/store.ts';
import { mailReaders } from '../letters/letters.ts';
import { plainMarkdown } from '../messages/markdown.ts';
import { ticketMessages } from '../messages/resource.ts';
import { LONGEST_BODY } from '../messages/schema.ts';
import { secretsInMessage } from '../messages/secrets.ts';
import { ticketLife } from '../tickets/lifecycle.ts';
import { tickets } from '../tickets/resource.ts';
import { lockTicket } from '../tickets/store.ts';
import type { TicketRow } from '../tickets/table.ts';
import { SOLVED_DAYS } from '../tickets/times.ts';
import {
  findForStaff,
  insertAnswer,
  insertNote,
  readCalls,
  readConversation,
  readQueue,
  type Wanted,
} from './store.ts';

interface Staff {
  readonly db: Db;
  readonly config: ProviderConfig;
  readonly registry: Registry;
  readonly actor: { readonly name: string };
}

interface Answer {
  readonly body: string;
  /** The name that the customer sees. Left out: that of the provider. */
  readonly as?: string | undefined;
  /** Left out: somebody works on it. */
  readonly then?: 'in_progress' | 'waiting_customer' | 'solved' | undefined;
}

const MOST_LISTED = 200;
const MONTH_MS = 30 * 86_400_000;

const listTickets = (db: Db, wanted: Wanted) => readQueue(db, wanted, MOST_LISTED);

const notThere = (id: string): Problem =>
  new Problem('not_found', { detail: `There is no ticket ${id}. See: hostplane admin tickets list` });

/** Messages and notes in the order in which they were written. */
async function showTicket(db: Db, id: string) {
  const ticket = await findForStaff(db, id);
  if (ticket === undefined) throw notThere(id);
  const { messages, files, notes } = await readConversation(db, id);
  const entries = [
    ...messages.map((message) => ({
      at: message.created_at,
      kind: message.sender,
      by: message.author_name,
      body: message.body,
      files: files
        .filter(({ message_id }) => message_id === message.id)
        .map(({ id: file, filename, content_type, size_bytes }) => ({
          id: file,
          filename,
          content_type,
          size_bytes,
        })),
    })),
    ...notes.map((note) => ({
      at: note.created_at,
      kind: 'note' as const,
      by: note.author,
      body: note.body,
      files: [],
    })),
  ].sort((one, other) => one.at.getTime() - other.at.getTime());
  const since = new Date(ticket.created_at.getTime() - MONTH_MS);
  return { ticket, entries, calls: await readCalls(db, ticket.account_id, since, ticket.request_ids) };
}

function textOf(text: string): string {
  const errors = secretsInMessage(text).map((found): FieldError => ({ pointer: '/body', ...found }));
  if (errors.length > 0) throw new Problem('secret_in_text', { errors });
  const body = plainMarkdown(text);
  if (body === '') throw invalid([{ pointer: '/body', code: 'too_short', detail: 'The text is empty.' }]);
  if (body.length > LONGEST_BODY)
    throw invalid([
      { pointer: '/body', code: 'too_long', detail: `It may have ${LONGEST_BODY} characters.` },
    ]);
  return body;
}

function entryOf(
  { actor }: Staff,
  ticket: TicketRow,
  action: string,
  changes: readonly AuditChange[],
): AuditEntry {
  return {
    id: newId('audit_entry'),
    occurred_at: new Date().toISOString(),
    actor: { kind: 'provider_staff', api_key_id: null, member_id: null, name: actor.name },
    client_ip: null,
    user_agent: null,
    source: 'system',
    action,
    resource: tickets.ref(ticket),
    outcome: 'succeeded',
    http_status: null,
    problem_code: null,
    request_id: null,
    operation_id: null,
    approval_operation_id: null,
    changes,
  };
}

/** Locks the ticket, and writes what changes together with events and audit entry. */
async function work(
  staff: Staff,
  id: string,
  action: string,
  plan: (
    tx: Tx,
    ticket: TicketRow,
    now: Date,
  ) => Promise<{ change: RowChange<'tickets'>; events: NewEvent[] }>,
): Promise<TicketRow> {
  return transact(staff.db, async (tx) => {
    const ticket = await lockTicket(tx, id);
    if (ticket === undefined) throw notThere(id);
    const { change, events } = await plan(tx, ticket, new Date());
    const after = (await tickets.change(tx, id, change)) ?? ticket;
    const origin = {
      accountId: ticket.account_id,
      actor: { kind: 'provider_staff', api_key_id: null, member_id: null },
    } as const;
    await writeEvents(tx, staff.registry, origin, events);
    const changes =
      after.status === ticket.status
        ? []
        : [{ pointer: '/status', before: ticket.status, after: after.status }];
    await append(tx, ticket.account_id, entryOf(staff, ticket, action, changes));
    return after;
  });
}

function requireStates(ticket: TicketRow, allowed: readonly TicketRow['status'][]): void {
  if (allowed.includes(ticket.status)) return;
  const detail = `The ticket is ${ticket.status}. This is possible only while it is ${allowed.join(' or ')}; a reply of the customer opens it again.`;
  throw invalid([{ pointer: '/status', code: 'incompatible', detail }]);
}

/** Whatever is not over can be answered, and be solved. */
const ALIVE = ticketLife.transitions.flatMap(({ by, from, to }) =>
  by.includes('provider') && to.includes('solved') ? (from ?? []) : [],
);

const toStatus = (ticket: TicketRow, status: TicketRow['status'], now: Date): RowChange<'tickets'> =>
  status === ticket.status ? {} : { status, status_since: now, reminded_at: null };

const replyToCustomer = (staff: Staff, id: string, { body: text, as, then = 'in_progress' }: Answer) =>
  work(staff, id, 'replyToCustomer', async (tx, ticket, now) => {
    const body = textOf(text);
    requireStates(ticket, ALIVE);
    const { provider } = staff.config;
    await insertAnswer(tx, {
      id: ticketMessages.newId(),
      account_id: ticket.account_id,
      ticket_id: id,
      author_name: as ?? provider.name,
      body,
    });
    const data = { excerpt: body, waits: then === 'waiting_customer' };
    await mailReaders(tx, staff.config, ticket, 'ticket_answered', data);
    if (then === 'solved')
      await mailReaders(tx, staff.config, ticket, 'ticket_solved', { by: 'staff', days: SOLVED_DAYS });
    const isNew = then !== ticket.status && then !== 'in_progress';
    return {
      change: {
        message_count: ticket.message_count + 1,
        last_message_at: now,
        last_message_from: 'staff',
        first_response_at: ticket.first_response_at ?? now,
        ...toStatus(ticket, then, now),
        // A second question begins the wait again.
        ...(then === 'waiting_customer' && { status_since: now, reminded_at: null }),
      },
      events: [
        tickets.event('replied', ticket, { data: { from: 'staff' } }),
        ...(isNew ? [tickets.event(then, ticket)] : []),
      ],
    };
  });

const solveTicket = (staff: Staff, id: string) =>
  work(staff, id, 'solveTicket', async (tx, ticket, now) => {
    requireStates(ticket, ALIVE);
    await mailReaders(tx, staff.config, ticket, 'ticket_solved', { by: 'staff', days: SOLVED_DAYS });
    return { change: toStatus(ticket, 'solved', now), events: [tickets.event('solved', ticket)] };
  });

/** `person` null: nobody works on it any more. */
const assignTicket = (
  staff: Staff,
  id: string,
  { person, team }: { readonly person: string | null; readonly team?: string | undefined },
) =>
  work(staff, id, 'assignTicket', async (_, ticket, now) => {
    requireStates(ticket, ALIVE);
    const status =
      ticket.status === 'waiting_customer' ? ticket.status : person === null ? 'open' : 'in_progress';
    const change = {
      assigned_to: person,
      assigned_team: team ?? ticket.assigned_team,
      ...toStatus(ticket, status, now),
    };
    return { change, events: [tickets.event('updated', ticket)] };
  });

/** Leaves nothing that the customer could see: no event, no audit entry, no new version. */
const noteOnTicket = (staff: Staff, id: string, text: string): Promise<void> =>
  transact(staff.db, async (tx) => {
    const ticket = await lockTicket(tx, id);
    if (ticket === undefined) throw notThere(id);
    const note = {
      account_id: ticket.account_id,
      ticket_id: id,
      author: staff.actor.name,
      body: textOf(text),
    };
    await insertNote(tx, note);
  });

/** Where the bytes of a file are. */
export async function findFile(db: Db, id: string) {
  const row = await findAttachment(db, id);
  if (row === undefined) throw new Problem('not_found', { detail: `There is no file ${id}.` });
  return row;
}

/** What the command line calls. */
export const staffDesk = {
  statuses: ticketLife.states,
  list: listTickets,
  show: showTicket,
  reply: replyToCustomer,
  note: noteOnTicket,
  assign: assignTicket,
  solve: solveTicket,
};
