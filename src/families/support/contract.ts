import type { FamilyContract } from '../../contract/form.ts';

export const supportContract = {
  name: 'support',
  meaning: 'Questions to the provider and their answers.',
  endpoints: 6,
  problems: {
    ticket_closed: {
      status: 409,
      title: 'Ticket closed for good',
      when: 'The ticket was closed more than 30 days ago.',
      next_step: 'Open a new ticket with this one as follow_up_of.',
    },
    duplicate_ticket: {
      status: 409,
      title: 'Same ticket just opened',
      when: 'A ticket with the same subject and message was opened within the last ten minutes.',
      next_step: 'Use the ticket in existing_id, or send an Idempotency-Key to open another one.',
      extra: ['existing_id'],
    },
  },
  fieldCodes: {
    password_in_url: 'It contains a URL with a password.',
  },
  presets: {
    'support-desk': {
      title: 'Support desk',
      description: 'Opens and answers tickets.',
      patterns: ['support:*:*'],
    },
  },
} as const satisfies FamilyContract;
