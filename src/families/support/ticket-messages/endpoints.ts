import { dateFilters, List, ListQuery } from '../../../kernel/pages/list.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { created, endpoint, ok } from '../../../kernel/record.ts';
import { Id, label, Shape, Type } from '../../../kernel/schema.ts';
import { requireRoom } from '../../../resources/limits/require-room.ts';
import { BODY_LIMIT_BYTES, NewAttachments } from '../attachments/schema.ts';
import { presentMessages } from '../messages/present.ts';
import { ticketMessages } from '../messages/resource.ts';
import { exampleMessage, NewBody, TicketMessage } from '../messages/schema.ts';
import { readMessages } from '../messages/store.ts';
import { bodyOf, filesOf, prepareMessage, writeMessage } from '../messages/write.ts';
import { isOver, requireReopenable } from '../tickets/over.ts';
import { tickets } from '../tickets/resource.ts';

const path = '/support/v1/tickets/{id}/messages';
const TicketParams = Shape({ id: Id('tkt') });

export const listTicketMessages = endpoint({
  id: 'listTicketMessages',
  method: 'GET',
  path,
  summary: 'List the messages of a ticket',
  description:
    'The oldest message is first. Links to files work for five minutes; read the messages again for new ones.',
  permission: 'support:messages:read',
  access: 'read',
  resource: { name: ticketMessages.type, role: 'list' },
  params: TicketParams,
  query: ListQuery(dateFilters, { sort: ['created_at', '-created_at'] }),
  answers: { 200: List(TicketMessage) },
  problems: [],
  example: {
    params: { id: exampleMessage.ticket_id },
    answer: { status: 200, body: { data: [exampleMessage], next_cursor: null } },
  },
  async handle(call) {
    const { id } = await tickets.get(call, call.params.id);
    const { rows, nextCursor } = await readMessages(call, id);
    return ok({ data: await presentMessages(call, rows, 'listTicketMessages'), next_cursor: nextCursor });
  },
});

const reply = 'It still happens, now also on *web-2*. The output of `mtr` is attached.';

export const replyToTicket = endpoint({
  id: 'replyToTicket',
  method: 'POST',
  path,
  summary: 'Reply to a ticket',
  description:
    'A reply opens a ticket that waits for you, is solved, or was closed less than 30 days ago. A text or a file that contains a secret is refused, and nothing of it is kept.',
  permission: 'support:messages:write',
  access: 'write',
  whileSuspended: true,
  bodyLimitBytes: BODY_LIMIT_BYTES,
  resource: { name: ticketMessages.type, role: 'create' },
  params: TicketParams,
  body: Shape({
    body: NewBody(1),
    attachments: NewAttachments,
    close: Type.Optional(
      Type.Boolean({
        default: false,
        ...label('Close the ticket'),
        description: 'Whether the ticket is closed with this message.',
      }),
    ),
  }),
  answers: { 201: TicketMessage },
  problems: ['ticket_closed'],
  prepare: prepareMessage,
  example: {
    params: { id: exampleMessage.ticket_id },
    body: { body: reply },
    answer: { status: 201, body: { ...exampleMessage, id: 'tmsg_01jqzw9c7xe9rs5d3k8w4t6y0f', body: reply } },
  },
  async handle(call, prepared) {
    const files = filesOf(prepared);
    const { db, now } = call;
    const body = bodyOf(call.body.body, 1);
    const before = await tickets.lock(call, { by: 'id', value: call.params.id });
    if (before === undefined) throw new Problem('not_found');
    requireReopenable(before, now);
    const closes = call.body.close === true;
    const reopens = !closes && isOver(before.status);
    if (reopens) await requireRoom(call, 'support.open-tickets');
    const status = closes
      ? 'closed'
      : reopens || before.status === 'waiting_customer'
        ? 'open'
        : before.status;
    const message = await writeMessage(call, before.id, body, files);
    const row = await tickets.change(db, before.id, {
      status,
      message_count: before.message_count + 1,
      last_message_at: now,
      last_message_from: 'customer',
      ...(status !== before.status && { status_since: now }),
      ...(status !== before.status && { closed_at: closes ? now : null }),
    });
    const changes =
      status === before.status ? [] : [{ pointer: '/status', before: before.status, after: status }];
    call.effect({ action: 'update', ...tickets.ref(before), changes });
    call.event(tickets.event('replied', row ?? before, { data: { from: 'customer' } }));
    if (closes && before.status !== 'closed') call.event(tickets.event('closed', before));
    if (reopens) call.event(tickets.event('reopened', before));
    return created(message);
  },
});
