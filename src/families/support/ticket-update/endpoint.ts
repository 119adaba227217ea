import { changesBetween } from '../../../kernel/audit/changes.ts';
import { mergeLabels } from '../../../kernel/merged-labels.ts';
import { requireRoom } from '../../../resources/limits/require-room.ts';
import { writeOf } from '../../../resources/records/records.ts';
import { resolve, warnOfPlan } from '../tickets/checks.ts';
import { isOver, requireReopenable } from '../tickets/over.ts';
import { ticketView } from '../tickets/present.ts';
import { tickets } from '../tickets/resource.ts';
import { TicketChange } from '../tickets/schema.ts';
import { readPlan } from '../tickets/store.ts';
import type { TicketRow } from '../tickets/table.ts';
import { responseDue } from '../tickets/times.ts';

const shownOf = ({ status, severity, labels, resources, cc_member_ids }: TicketRow) => ({
  status,
  severity,
  labels,
  resource_ids: resources.map(({ id }) => id),
  cc_member_ids,
});

export const updateTicket = writeOf(ticketView, 'update', {
  id: 'updateTicket',
  description:
    'Closes a ticket, opens it again, or changes what is known about it. To close a closed ticket or to open one that is open changes nothing.',
  whileSuspended: true,
  body: TicketChange,
  problems: ['ticket_closed'],
  example: { body: { labels: { team: 'network' } }, answer: { labels: { team: 'network' } } },
  async handle(call) {
    const { db, body, caller, now } = call;
    const before = await tickets.take(call, call.params.id);
    const closes = body.status === 'closed' && before.status !== 'closed';
    const reopens = body.status === 'open' && isOver(before.status);
    if (reopens) {
      requireReopenable(before, now);
      await requireRoom(call, 'support.open-tickets');
    }
    const severity = body.severity ?? before.severity;
    const { resource_ids, cc_member_ids } = body;
    const resources = await resolve(call, {
      resourceIds: resource_ids ?? before.resources.map(({ id }) => id),
      memberIds: cc_member_ids ?? [],
      severity,
      before,
    });
    const plan = await readPlan(db, caller.account.id);
    if (body.severity !== undefined) warnOfPlan(call, plan, severity);
    const isAnswered = before.first_response_at !== null;
    const change = {
      severity,
      labels: mergeLabels(before.labels, body.labels),
      cc_member_ids: cc_member_ids ?? before.cc_member_ids,
      first_response_due_at:
        severity === before.severity || isAnswered
          ? before.first_response_due_at
          : responseDue(plan, severity, before.created_at),
      ...(closes && { status: 'closed' as const, status_since: now, closed_at: now }),
      ...(reopens && { status: 'open' as const, status_since: now, closed_at: null }),
    };
    const changes = changesBetween(shownOf(before), shownOf({ ...before, ...change, resources }));
    const row = await tickets.update(
      call,
      before,
      { ...change, resources: JSON.stringify(resources) },
      changes,
    );
    if (closes) call.event(tickets.event('closed', row));
    if (reopens) call.event(tickets.event('reopened', row));
    return { row };
  },
});
