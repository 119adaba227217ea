import { Shape } from '../../../kernel/schema.ts';
import { Owned } from '../../../resources/owned/owned.ts';
import { SenderShape } from '../messages/schema.ts';

/** Events say that there is a message, never what it says. */
export const tickets = new Owned({
  type: 'ticket',
  idPrefix: 'tkt',
  table: 'tickets',
  permission: 'support:tickets:read',
  path: '/support/v1/tickets/{id}',
  limit: 'support.open-tickets',
  loses: 'Its messages and files.',
  events: {
    created: { when: 'A ticket was opened.', says: 'was opened' },
    updated: {
      when: 'The severity, labels, resources or readers of a ticket were changed.',
      says: 'was changed',
    },
    replied: {
      when: 'A ticket has a new message.',
      says: 'has a new message',
      data: Shape({ from: { ...SenderShape, description: 'Who wrote the message.' } }),
    },
    waiting_customer: { when: 'The provider waits for your reply.', says: 'waits for your reply' },
    solved: { when: 'The provider considers a ticket solved.', says: 'is solved' },
    closed: { when: 'A ticket was closed.' },
    reopened: { when: 'A ticket that was solved or closed is open again.', says: 'is open again' },
  },
  inventory: ({ status }) => ({ status }),
});
