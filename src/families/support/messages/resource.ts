import { Owned } from '../../../resources/owned/owned.ts';

/** Its text is in no event and no audit entry. */
export const ticketMessages = new Owned({
  type: 'ticket_message',
  idPrefix: 'tmsg',
  table: 'ticket_messages',
  permission: 'support:messages:read',
  words: 'message of a ticket',
  pricedAs: 'ticket',
  loses: 'Its text and files.',
  events: {},
});
