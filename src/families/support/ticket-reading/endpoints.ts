import { UnnamedQuery } from '../../../kernel/listing/query.ts';
import { Time, Type } from '../../../kernel/schema.ts';
import { listOf, readOf } from '../../../resources/records/records.ts';
import { presentNewest } from '../messages/present.ts';
import { exampleMessage } from '../messages/schema.ts';
import { newestMessages } from '../messages/store.ts';
import { ticketLife } from '../tickets/lifecycle.ts';
import { ticketView } from '../tickets/present.ts';
import { CategoryShape, exampleTicket, ResourceRef, SeverityShape } from '../tickets/schema.ts';
import { contains, mentions, updatedSince } from '../tickets/store.ts';

export const listTickets = listOf(ticketView, {
  id: 'listTickets',
  description: 'The newest ticket is first. A ticket has to match all filters.',
  query: UnnamedQuery({
    status: Type.Optional({ ...ticketLife.Status, description: 'Only tickets in this state.' }),
    category: Type.Optional({ ...CategoryShape, description: 'Only tickets of this category.' }),
    severity: Type.Optional({ ...SeverityShape, description: 'Only tickets of this severity.' }),
    resource_id: Type.Optional({ ...ResourceRef, description: 'Only tickets about this resource.' }),
    updated_since: Type.Optional({
      ...Time,
      description: 'Only tickets that were changed at or after this time.',
    }),
    q: Type.Optional(
      Type.String({
        minLength: 2,
        maxLength: 100,
        description: 'Only tickets that contain this text in the subject or in a message.',
      }),
    ),
  }),
  where: ({ query: { status, category, severity } }) => ({ status, category, severity }),
  also: ({ resource_id, updated_since, q }) => [
    ...(resource_id === undefined ? [] : [mentions(resource_id)]),
    ...(updated_since === undefined ? [] : [updatedSince(updated_since)]),
    ...(q === undefined ? [] : [contains(q)]),
  ],
});

const newest = newestMessages(20);

export const getTicket = readOf(ticketView, {
  id: 'getTicket',
  description:
    'Returns the ticket with its newest 20 messages. `listTicketMessages` has them all. Links to files work for five minutes.',
  example: { ...exampleTicket, messages: [exampleMessage] },
  async read(call) {
    const row = await ticketView.find(call, call.params.id, { newest });
    return row && { ...row, messages: presentNewest(call, row.newest, 'getTicket') };
  },
});
