import { sql } from 'kysely';
import type { Call } from '../../../kernel/call.ts';
import { type Page, readPage, type SortKey } from '../../../kernel/pages/store.ts';
import { type DeliveryStatus, newDeliveryId } from '../../../operations/webhooks/tables.ts';
import type { Db } from '../../../store/database.ts';
import type { DeliveryRow } from './schema.ts';

/** Ids sort in the order of the attempts. */
const id: SortKey = { column: sql.ref('webhook_deliveries.id'), type: 'text' };

/** Older rows are never returned, even if the cleanup has not deleted them yet. */
const KEPT = sql<Date>`now() - interval '30 days'`;

interface DeliveriesQuery {
  readonly limit: number;
  readonly cursor?: string;
  readonly sort: string;
  readonly status?: DeliveryStatus;
  readonly event_type?: string;
  readonly event_id?: string;
  readonly since?: string;
}

export async function readDeliveries(
  call: Call<unknown, DeliveriesQuery>,
  webhookId: string,
): Promise<Page<DeliveryRow>> {
  const { status, event_type, event_id, since } = call.query;
  let query = call.db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('account_id', '=', call.caller.account.id)
    .where('created_at', '>', KEPT);
  if (status !== undefined) query = query.where('status', '=', status);
  if (event_type !== undefined) query = query.where('event_type', '=', event_type);
  if (event_id !== undefined) query = query.where('event_id', '=', event_id);
  if (since !== undefined) query = query.where('created_at', '>=', new Date(since));
  return readPage(call, query, {
    owner: { column: sql.ref('webhook_deliveries.webhook_id'), id: webhookId },
    endpoint: `listWebhookDeliveries ${webhookId}`,
    id,
    sorts: { created_at: id },
  });
}

export async function findDelivery(
  db: Db,
  accountId: string,
  webhookId: string,
  deliveryId: string,
): Promise<DeliveryRow | undefined> {
  return db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('webhook_id', '=', webhookId)
    .where('id', '=', deliveryId)
    .where('created_at', '>', KEPT)
    .executeTakeFirst();
}

export async function findPending(db: Db, messageId: string): Promise<DeliveryRow | undefined> {
  return db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('message_id', '=', messageId)
    .where('status', '=', 'pending')
    .executeTakeFirst();
}

export async function isEventKept(db: Db, accountId: string, eventId: string): Promise<boolean> {
  const row = await db
    .selectFrom('events')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '=', eventId)
    .where('occurred_at', '>', KEPT)
    .executeTakeFirst();
  return row !== undefined;
}

/** Inserts the next attempt at the same message, due at once. The caller must hold the lock on the webhook. */
export async function insertRedelivery(db: Db, of: DeliveryRow): Promise<DeliveryRow> {
  const { account_id, webhook_id, message_id, event_id, event_type } = of;
  return db
    .insertInto('webhook_deliveries')
    .values({
      id: newDeliveryId(),
      account_id,
      webhook_id,
      message_id,
      event_id,
      event_type,
      attempt: sql<number>`(select max(attempt) + 1 from webhook_deliveries where message_id = ${message_id})`,
      trigger: 'redelivery',
      next_attempt_at: sql<Date>`now()`,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}
