import type { FamilyContract } from '../../contract/form.ts';

export const accountContract = {
  name: 'account',
  meaning: 'The account itself: keys, members, operations, events, webhooks, prices, usage and budgets.',
  endpoints: 27,
  problems: {
    webhook_disabled: {
      status: 409,
      title: 'Webhook disabled',
      when: 'The webhook is disabled, so it cannot redeliver messages.',
      next_step: 'Enable the webhook, then request the redelivery again.',
    },
    event_expired: {
      status: 409,
      title: 'Event no longer available',
      when: 'The event is older than 30 days and was deleted.',
      next_step: 'Read the current state of the resource instead.',
    },
    stream_limit_reached: {
      status: 409,
      title: 'Too many event streams',
      when: 'Your key already has 5 open event streams, or your account has 20.',
      next_step: 'Close a stream, then open a new one.',
    },
    cursor_expired: {
      status: 410,
      title: 'Cursor too old',
      when: 'The event cursor is older than 30 days.',
      next_step: 'Read your resources again, then continue the feed from `since=now`.',
    },
  },
} as const satisfies FamilyContract;
