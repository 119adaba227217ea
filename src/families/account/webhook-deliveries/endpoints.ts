import { NameOrId, referenceOf } from '../../../kernel/named/named.ts';
import { List, ListQuery } from '../../../kernel/pages/list.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { accepted, endpoint, ok } from '../../../kernel/record.ts';
import { Ref } from '../../../kernel/reference.ts';
import { Id, Shape, Time, Type } from '../../../kernel/schema.ts';
import { announceDue } from '../../../operations/webhooks/attempts/store.ts';
import { DeliveryStatusShape } from '../../../operations/webhooks/tables.ts';
import { EVENTS } from '../references.ts';
import { webhooks } from '../webhooks/resource.ts';
import { Delivery, exampleDelivery, presentDelivery } from './schema.ts';
import { findDelivery, findPending, insertRedelivery, isEventKept, readDeliveries } from './store.ts';

export const listWebhookDeliveries = endpoint({
  id: 'listWebhookDeliveries',
  method: 'GET',
  path: '/account/v1/webhooks/{id}/deliveries',
  summary: 'List deliveries of a webhook',
  description:
    'Every attempt of the last 30 days, the newest first. Attempts at one message share its `message_id`.',
  permission: 'account:webhook-deliveries:read',
  access: 'read',
  resource: { name: 'webhook_delivery', role: 'list' },
  params: NameOrId('wh'),
  query: ListQuery(
    {
      status: Type.Optional({ ...DeliveryStatusShape, description: 'Only attempts with this status.' }),
      event_type: Type.Optional(
        Type.String({ maxLength: 100, description: 'Only messages about events of exactly this type.' }),
      ),
      event_id: Type.Optional(Ref(Id('evt', { description: 'Only messages about this event.' }), EVENTS)),
      since: Type.Optional({ ...Time, description: 'Only attempts made or planned at or after this time.' }),
    },
    { sort: ['-created_at', 'created_at'] },
  ),
  answers: { 200: List(Delivery) },
  problems: [],
  example: {
    params: { id: 'deploys' },
    query: { status: 'failed' },
    answer: { status: 200, body: { data: [exampleDelivery], next_cursor: null } },
  },
  async handle(call) {
    const webhook = await webhooks.get(call, call.params.id);
    const { rows, nextCursor } = await readDeliveries(call, webhook.id);
    return ok({ data: rows.map((row) => presentDelivery(call, row)), next_cursor: nextCursor });
  },
});

export const redeliverWebhook = endpoint({
  id: 'redeliverWebhook',
  method: 'POST',
  path: '/account/v1/webhooks/{id}/deliveries/{delivery_id}/redeliver',
  summary: 'Send a webhook message again',
  description:
    'Sends the same message with the same `webhook-id`, signed with the current time, as one more attempt; it is not retried if it fails. It creates no operation: watch the delivery. If an attempt at the message is already pending, the answer is 200 with that attempt.',
  permission: 'account:webhook-deliveries:write',
  access: 'write',
  resource: { name: 'webhook_delivery', role: 'action' },
  params: Shape({ ...NameOrId('wh').properties, delivery_id: Id('dlv') }),
  body: Shape({}),
  answers: { 200: Delivery, 202: Delivery },
  problems: ['webhook_disabled', 'event_expired'],
  example: {
    params: { id: 'deploys', delivery_id: exampleDelivery.id },
    body: {},
    answer: {
      status: 202,
      body: {
        ...exampleDelivery,
        id: 'dlv_01jqzwbx8nj2qes0v6z3x1r9hy',
        attempt: 11,
        trigger: 'redelivery',
        status: 'pending',
        http_status: null,
        error_code: null,
        duration_ms: null,
        response_excerpt: null,
      },
    },
  },
  async handle(call) {
    const { db, caller, params, effect } = call;
    const accountId = caller.account.id;
    const webhook = await webhooks.lock(call, referenceOf(params.id));
    if (webhook === undefined) throw new Problem('not_found');
    const delivery = await findDelivery(db, accountId, webhook.id, params.delivery_id);
    if (delivery === undefined) throw new Problem('not_found');
    if (webhook.status === 'disabled' || !webhook.account_is_served) {
      throw new Problem('webhook_disabled', { detail: `The webhook ${webhook.name} is disabled.` });
    }
    const pending = await findPending(db, delivery.message_id);
    if (pending !== undefined) {
      effect({ action: 'none', type: 'webhook_delivery', id: pending.id, name: null });
      return ok(presentDelivery(call, pending));
    }
    if (!(await isEventKept(db, accountId, delivery.event_id))) throw new Problem('event_expired');
    const again = await insertRedelivery(db, delivery);
    await announceDue(db, accountId);
    effect({ action: 'create', type: 'webhook_delivery', id: again.id, name: null });
    return accepted(presentDelivery(call, again));
  },
});
