import { objectsPort } from '../../engines/objects/port.ts';
import type { Family } from '../../kernel/registry.ts';
import { findFileDownload } from './attachments/download.ts';
import { attachmentMoves } from './attachments/storage.ts';
import { ticketMessages } from './messages/resource.ts';
import { passingTime } from './passing-time/schedule.ts';
import { supportPrices } from './prices.ts';
import { listTicketMessages, replyToTicket } from './ticket-messages/endpoints.ts';
import { createTicket } from './ticket-opening/endpoint.ts';
import { getTicket, listTickets } from './ticket-reading/endpoints.ts';
import { updateTicket } from './ticket-update/endpoint.ts';
import { ticketLife } from './tickets/lifecycle.ts';
import { tickets } from './tickets/resource.ts';
import { ticketCounts } from './tickets/store.ts';
import { topics } from './topics.ts';

export const support: Family = {
  name: 'support',
  title: 'Support',
  description: 'Questions to the provider and their answers, with files.',
  topics,
  endpoints: [listTickets, createTicket, getTicket, updateTicket, listTicketMessages, replyToTicket],
  resources: [tickets, ticketMessages],
  pricedTypes: supportPrices,
  limitCounts: ticketCounts,
  lifecycles: [ticketLife],
  schedules: [attachmentMoves, passingTime],
  ports: [objectsPort],
  findDownload: findFileDownload(listTicketMessages),
};
