/** What happens to tickets in which nobody writes: a reminder, then they count as solved, then they are closed. */
import { HOSTPLANE } from '../../../kernel/events/event.ts';
import { writeEvents } from '../../../kernel/events/write-events.ts';
import type { Schedule } from '../../../kernel/schedule.ts';
import type { Services } from '../../../kernel/services.ts';
import type { Tx } from '../../../store/database.ts';
import { transact } from '../../../store/transaction.ts';
import { mailReaders } from '../letters/letters.ts';
import { tickets } from '../tickets/resource.ts';
import { lockTicket } from '../tickets/store.ts';
import type { TicketRow } from '../tickets/table.ts';
import { REMINDER_DAYS, reopenUntil, SILENCE_DAYS, SOLVED_DAYS } from '../tickets/times.ts';
import { type Due, dueTickets } from './store.ts';

const AT_ONCE = 200;
const DAY_MS = 86_400_000;

type Work = (tx: Tx, services: Services, ticket: TicketRow, now: Date) => Promise<void>;

async function tell(
  tx: Tx,
  services: Services,
  ticket: TicketRow,
  event: 'solved' | 'closed',
): Promise<void> {
  const origin = { accountId: ticket.account_id, actor: HOSTPLANE };
  await writeEvents(tx, services.registry, origin, [tickets.event(event, ticket)]);
}

const remind: Work = async (tx, { provider }, ticket, now) => {
  await tickets.change(tx, ticket.id, { reminded_at: now });
  const solved_at = new Date(ticket.status_since.getTime() + SILENCE_DAYS * DAY_MS);
  await mailReaders(tx, provider, ticket, 'ticket_reminder', { solved_at });
};

const solve: Work = async (tx, services, ticket, now) => {
  await tickets.change(tx, ticket.id, { status: 'solved', status_since: now });
  await tell(tx, services, ticket, 'solved');
  await mailReaders(tx, services.provider, ticket, 'ticket_solved', { by: 'silence', days: SOLVED_DAYS });
};

const close: Work = async (tx, services, ticket, now) => {
  await tickets.change(tx, ticket.id, { status: 'closed', status_since: now, closed_at: now });
  await tell(tx, services, ticket, 'closed');
  await mailReaders(tx, services.provider, ticket, 'ticket_closed', { reopen_until: reopenUntil(now) });
};

/** In this order: a ticket of which nobody was reminded in time gets no reminder when it is solved already. */
const steps: readonly (Due & { readonly work: Work })[] = [
  { status: 'solved', days: SOLVED_DAYS, work: close },
  { status: 'waiting_customer', days: SILENCE_DAYS, work: solve },
  { status: 'waiting_customer', days: REMINDER_DAYS, isUnreminded: true, work: remind },
];

export const passingTime: Schedule = {
  name: 'support.passing-time',
  everySeconds: 600,
  async run(services) {
    for (const { work, ...due } of steps)
      for (const { id } of await dueTickets(services.db, due, AT_ONCE))
        await transact(services.db, async (tx) => {
          const ticket = await lockTicket(tx, id);
          // A reply may have come meanwhile.
          const [isDue] = ticket === undefined ? [] : await dueTickets(tx, due, 1, id);
          if (ticket !== undefined && isDue !== undefined) await work(tx, services, ticket, isDue.now);
        });
  },
};
