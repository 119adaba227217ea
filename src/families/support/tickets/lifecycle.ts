import { Lifecycle } from '../../../kernel/lifecycle.ts';

export type TicketStatus = 'open' | 'in_progress' | 'waiting_customer' | 'solved' | 'closed';

export const ticketLife = new Lifecycle<TicketStatus>({
  resource: 'ticket',
  table: 'tickets',
  settable: true,
  states: {
    open: 'The provider has to answer.',
    in_progress: 'Somebody at the provider works on it.',
    waiting_customer: 'The provider has asked something and waits for your reply.',
    solved: 'The provider considers it solved. A reply opens it again.',
    closed: 'It is over. For 30 days, a reply opens it again.',
  },
  transitional: [],
  transitions: [
    { by: ['createTicket'], from: null, to: ['open'] },
    { by: ['provider'], from: ['open', 'in_progress'], to: ['in_progress', 'open'] },
    { by: ['provider'], from: ['open', 'in_progress'], to: ['waiting_customer'] },
    { by: ['provider'], from: ['open', 'in_progress', 'waiting_customer'], to: ['solved'] },
    { by: ['replyToTicket'], from: ['open', 'in_progress'], to: ['closed'] },
    { by: ['replyToTicket'], from: ['waiting_customer', 'solved', 'closed'], to: ['open', 'closed'] },
    { by: ['updateTicket'], from: ['open', 'in_progress', 'waiting_customer', 'solved'], to: ['closed'] },
    { by: ['updateTicket'], from: ['solved', 'closed'], to: ['open'] },
    { by: ['time'], from: ['waiting_customer'], to: ['solved'] },
    { by: ['time'], from: ['solved'], to: ['closed'] },
  ],
});
