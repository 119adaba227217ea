import { view } from '../../../resources/records/records.ts';
import { tickets } from './resource.ts';
import { exampleTicket, Ticket } from './schema.ts';
import type { TicketRow } from './table.ts';
import { reopenUntil } from './times.ts';

export const ticketView = view(tickets, {
  schema: Ticket,
  example: exampleTicket,
  compute: (row: TicketRow) => ({
    resource_ids: row.resources.map(({ id }) => id),
    last_message: { at: row.last_message_at.toISOString(), from: row.last_message_from },
    reopen_until: row.closed_at && reopenUntil(row.closed_at).toISOString(),
  }),
});
