import { Shape, Type } from '../../../kernel/schema.ts';
import { DisabledReasonShape, FailingReasonShape } from '../../../operations/webhooks/tables.ts';
import { Owned } from '../../../resources/owned/owned.ts';
import { isServed, pendingCount } from './store.ts';

/** Audit entries omit the query of the URL, because it often contains a token. */
const withoutQuery = (url: unknown): unknown => (typeof url === 'string' ? url.replace(/\?.*$/s, '?…') : url);

export const webhooks = new Owned({
  type: 'webhook',
  idPrefix: 'wh',
  table: 'webhooks',
  subject: 'Webhook',
  limit: 'account.webhooks',
  loses: 'Its address, its secret and its delivery history. Events are no longer sent to it.',
  events: {
    updated: { when: 'A webhook was changed.' },
    deleted: { severity: 'warning', when: 'A webhook was removed.' },
    test: { when: 'A webhook was created; this event tests its delivery.' },
    failing: {
      severity: 'warning',
      when: 'Deliveries of a webhook fail repeatedly, or so many deliveries wait that the oldest were dropped.',
      data: Shape({
        reason: FailingReasonShape,
        pending: Type.Integer({ description: 'How many delivery attempts wait.' }),
      }),
    },
    disabled: {
      severity: 'error',
      when: 'A webhook was disabled because its receiver answered 410 or failed for too long.',
      data: Shape({ reason: DisabledReasonShape }),
    },
    recovered: { when: 'Deliveries of a failing webhook succeed again.' },
  },
  eventData: () => ({}),
  audited: (change) =>
    change.pointer === '/url'
      ? { ...change, before: withoutQuery(change.before), after: withoutQuery(change.after) }
      : change,
  shows: { pending_count: pendingCount, account_is_served: isServed },
});
