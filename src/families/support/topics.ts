import type { Topic } from '../../kernel/registry.ts';

/** What the resources of the family are for, in the order in which people meet them. */
export const topics: Readonly<Record<string, Topic>> = {
  ticket: {
    title: 'Tickets',
    purpose: 'Questions to the provider: open one, follow it, close it.',
  },
  ticket_message: {
    title: 'Messages',
    purpose: 'What you and the provider wrote in a ticket, with the files.',
  },
};
