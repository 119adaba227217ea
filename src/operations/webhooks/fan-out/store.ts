import { type Expression, sql } from 'kysely';
import type { RoleName } from '../../../kernel/access/roles.ts';
import type { EventRow } from '../../../kernel/events/schema.ts';
import type { Db, Tx } from '../../../store/database.ts';
import type { Audience } from '../visibility.ts';
import '../tables.ts';
import type { WebhookStatus } from '../tables.ts';

/** Null uses the database's clock. */
export const at = (now: Date | null): Expression<Date> =>
  now === null ? sql<Date>`clock_timestamp()` : sql<Date>`${now}::timestamptz`;

/** The role of the active member that owns webhook `w`; null if there is none. */
export const ownerRole = sql<RoleName | null>`
  (select role from members m where m.id = w.owner_id and m.status = 'active')`;
export const products = sql<string[]>`
  array(select family from account_products p where p.account_id = w.account_id and p.enabled)`;
/**
 * Webhooks of suspended or closing accounts receive nothing. Once the account is active again, they receive
 * what they missed.
 */
export const accountIsServed = sql<boolean>`
  exists (select from accounts a where a.id = w.account_id and a.status in ('active', 'restricted'))`;

/**
 * Accounts with events that at least one of their webhooks has not processed. `null` searches all accounts.
 */
export async function accountsBehind(db: Db, accounts: readonly string[] | null): Promise<string[]> {
  const { rows } = await sql<{ account_id: string }>`
    select distinct w.account_id from webhooks w join event_heads h on h.account_id = w.account_id
    where w.status <> 'disabled' and w.cursor < h.sequence and ${accountIsServed}
      and (${accounts}::text[] is null or w.account_id = any(${accounts}::text[]))`.execute(db);
  return rows.map(({ account_id }) => account_id);
}

export interface Behind extends Audience {
  readonly name: string;
  readonly status: WebhookStatus;
  readonly cursor: number;
}

/** Locks the account's webhooks until the commit, so that each event is processed once. */
export async function lockBehind(tx: Tx, accountId: string): Promise<{ head: number; webhooks: Behind[] }> {
  const webhooks = await sql<Behind>`
    select w.id, w.name, w.status, w.cursor, w.event_types, w.visible_permissions,
      ${ownerRole} as owner_role, ${products} as products
    from webhooks w
    where w.account_id = ${accountId} and w.status <> 'disabled' and ${accountIsServed}
    order by w.id for update of w`.execute(tx);
  // Read after the lock: the previous holder of the lock may have moved the cursors up to the current head.
  const head = await sql<{ sequence: number }>`
    select sequence from event_heads where account_id = ${accountId}`.execute(tx);
  const sequence = head.rows[0]?.sequence ?? 0;
  return { head: sequence, webhooks: webhooks.rows.filter(({ cursor }) => cursor < sequence) };
}

export async function readEvents(
  tx: Tx,
  accountId: string,
  range: { readonly after: number; readonly upTo: number; readonly limit: number },
): Promise<Pick<EventRow, 'id' | 'sequence' | 'type' | 'resource_type' | 'resource_id'>[]> {
  return tx
    .selectFrom('events')
    .select(['id', 'sequence', 'type', 'resource_type', 'resource_id'])
    .where('account_id', '=', accountId)
    .where('sequence', '>', range.after)
    .where('sequence', '<=', range.upTo)
    .orderBy('sequence')
    .limit(range.limit)
    .execute();
}

export interface NewMessage {
  readonly id: string;
  readonly webhook_id: string;
  readonly message_id: string;
  readonly event_id: string;
  readonly event_type: string;
}

export async function insertMessages(
  tx: Tx,
  accountId: string,
  messages: readonly NewMessage[],
  now: Date | null,
): Promise<void> {
  if (messages.length === 0) return;
  await sql`
    insert into webhook_deliveries (id, account_id, webhook_id, message_id, event_id, event_type, attempt, trigger,
                                    next_attempt_at, created_at)
    select m.id, ${accountId}, m.webhook_id, m.message_id, m.event_id, m.event_type, 1, 'event', ${at(now)}, ${at(now)}
    from jsonb_to_recordset(${JSON.stringify(messages)}::jsonb) as m(
      id text, webhook_id text, message_id text, event_id text, event_type text)`.execute(tx);
}

export async function moveCursors(tx: Tx, ids: readonly string[], cursor: number): Promise<void> {
  await sql`
    update webhooks set cursor = greatest(cursor, ${cursor}) where id = any(${ids}::text[])`.execute(tx);
}

/**
 * Discards the oldest pending deliveries beyond the limit, except those that a sender holds. Returns their
 * number.
 */
export async function discardBeyond(
  tx: Tx,
  webhookId: string,
  limit: number,
  now: Date | null,
): Promise<number> {
  const waiting = await sql<{ count: number }>`
    select count(*) as count from webhook_deliveries
    where webhook_id = ${webhookId} and status = 'pending'`.execute(tx);
  const excess = (waiting.rows[0]?.count ?? 0) - limit;
  if (excess <= 0) return 0;
  const { numAffectedRows } = await sql`
    update webhook_deliveries set status = 'discarded', finished_at = ${at(now)}, next_attempt_at = null
    where id in (
      select id from webhook_deliveries
      where webhook_id = ${webhookId} and status = 'pending' and (lease_until is null or lease_until <= ${at(now)})
      order by event_id, id limit ${excess})`.execute(tx);
  return Number(numAffectedRows ?? 0n);
}

export async function markFailing(tx: Tx, webhookId: string, now: Date | null): Promise<void> {
  await sql`
    update webhooks set status = 'failing', failing_since = coalesce(failing_since, ${at(now)}), updated_at = ${at(now)}
    where id = ${webhookId}`.execute(tx);
}
