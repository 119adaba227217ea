import { accountEventTypes } from '../../kernel/events/account-types.ts';
import type { EventType } from '../../kernel/events/event.ts';
import { Nullable, Shape, Time, Type } from '../../kernel/schema.ts';
import { budgetEventTypes } from '../../money/budgets/event-types.ts';

const operation = Shape({
  type: Type.String(),
  status: Type.String(),
  error_code: Nullable(Type.String()),
});

const announcedPrice = Shape({
  valid_from: Time,
  skus: Type.Array(Type.String()),
});

export const eventTypes: readonly EventType[] = [
  ...accountEventTypes,
  {
    type: 'price.change_announced',
    severity: 'info',
    when: 'Prices of resources of the account will change.',
    data: announcedPrice,
  },

  ...budgetEventTypes,

  { type: 'operation.started', severity: 'info', when: 'An operation began to run.', data: operation },
  { type: 'operation.succeeded', severity: 'info', when: 'An operation succeeded.', data: operation },
  { type: 'operation.failed', severity: 'error', when: 'An operation failed.', data: operation },
  { type: 'operation.cancelled', severity: 'info', when: 'An operation was cancelled.', data: operation },

  { type: 'webhook.updated', severity: 'info', when: 'A webhook was changed.', data: Shape({}) },
  { type: 'webhook.deleted', severity: 'warning', when: 'A webhook was removed.', data: Shape({}) },
  {
    type: 'webhook.test',
    severity: 'info',
    when: 'A webhook was created; this event tests its delivery.',
    data: Shape({}),
  },
  {
    type: 'webhook.failing',
    severity: 'warning',
    when: 'Deliveries of a webhook fail again and again, or so many wait that the oldest were dropped.',
    data: Shape({ reason: Type.String(), pending: Type.Integer() }),
  },
  {
    type: 'webhook.disabled',
    severity: 'error',
    when: 'A webhook was switched off because its receiver is gone or failed for too long.',
    data: Shape({ reason: Type.String() }),
  },
  {
    type: 'webhook.recovered',
    severity: 'info',
    when: 'Deliveries of a failing webhook succeed again.',
    data: Shape({}),
  },
];
