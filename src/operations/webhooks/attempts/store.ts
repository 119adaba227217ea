import { type Selectable, sql } from 'kysely';
import type { EventRow } from '../../../kernel/events/schema.ts';
import type { Db, Tables, Tx } from '../../../store/database.ts';
import { accountIsServed, at, ownerRole, products } from '../fan-out/store.ts';
import type { Health } from '../health.ts';
import type { AttemptFault, DisabledReason } from '../tables.ts';
import type { Audience } from '../visibility.ts';

/** Notifies senders that an attempt is due at once although no event was written. */
export const WEBHOOKS_CHANNEL = 'hostplane_webhooks';

const MOST_PARALLEL = 10;
const LEASE_SECONDS = 60;

type DeliveryRow = Selectable<Tables['webhook_deliveries']>;

/** An attempt that one sender holds, with everything needed to send it. */
export interface Claimed {
  readonly delivery: Pick<
    DeliveryRow,
    'id' | 'account_id' | 'webhook_id' | 'message_id' | 'attempt' | 'trigger' | 'event_id' | 'event_type'
  >;
  readonly webhook: Audience & {
    readonly url: string;
    readonly secret: Buffer;
    readonly previous_secret: Buffer | null;
  };
  /** `null` if the event is no longer stored. */
  readonly event: EventRow | null;
  /** The database's clock when the attempt was claimed. */
  readonly now: Date;
}

/**
 * Webhooks with pending deliveries. The recursive query jumps over the index from one webhook to the next.
 */
const waiting = sql`
  waiting(id) as (
    (select webhook_id from webhook_deliveries where status = 'pending' order by webhook_id limit 1)
    union all
    select (select d.webhook_id from webhook_deliveries d where d.status = 'pending' and d.webhook_id > waiting.id
            order by d.webhook_id limit 1)
    from waiting where waiting.id is not null)`;

const busyOf = (now: Date | null) => sql<number>`
  (select count(*) from webhook_deliveries b
   where b.webhook_id = w.id and b.status = 'pending' and b.lease_until > ${at(now)})`;

/** When the earliest delivery that no sender holds is due. */
const firstOf = (now: Date | null) => sql<Date>`
  (select f.next_attempt_at from webhook_deliveries f
   where f.webhook_id = w.id and f.status = 'pending' and (f.lease_until is null or f.lease_until <= ${at(now)})
   order by f.next_attempt_at limit 1)`;

/** Due deliveries that one sender could send, in a fair order: each account's first before anybody's second. */
export interface DueDelivery {
  readonly id: string;
  readonly account_id: string;
}

export interface Claim {
  readonly owner: string;
  readonly limit: number;
  readonly now: Date | null;
  /** Chooses which of the due deliveries are claimed. */
  choose(due: readonly DueDelivery[]): readonly string[];
}

/**
 * Claims due deliveries. All senders together hold at most ten deliveries of one webhook: its row is locked
 * first and its deliveries are counted after, so two senders never use the same free slots. Webhooks that
 * another sender has locked are skipped. Accounts take turns, so that one with many webhooks hides no other.
 */
export async function claimDue(tx: Tx, { owner, limit, now, choose }: Claim): Promise<Claimed[]> {
  const ready = await sql<{ id: string }>`
    with recursive ${waiting}, ready as (
      select w.id, f.first_at, row_number() over (partition by w.account_id order by f.first_at) as turn
      from waiting join webhooks w on w.id = waiting.id cross join lateral (select ${firstOf(now)} as first_at) f
      where w.status <> 'disabled' and ${accountIsServed} and ${busyOf(now)} < ${MOST_PARALLEL} and f.first_at <= ${at(now)})
    select w.id from ready join webhooks w on w.id = ready.id
    order by ready.turn, ready.first_at limit ${limit}
    for update of w skip locked`.execute(tx);
  const ids = ready.rows.map(({ id }) => id);
  if (ids.length === 0) return [];
  const { rows: due } = await sql<DueDelivery>`
    with due as (
      select d.id, w.account_id, d.next_attempt_at,
        ${busyOf(now)} + row_number() over (partition by w.id order by d.next_attempt_at, d.id) as place,
        row_number() over (partition by w.account_id order by d.next_attempt_at, d.id) as turn
      from webhooks w cross join lateral (
        select id, next_attempt_at from webhook_deliveries
        where webhook_id = w.id and status = 'pending' and next_attempt_at <= ${at(now)}
          and (lease_until is null or lease_until <= ${at(now)})
        order by next_attempt_at, id limit ${MOST_PARALLEL}) d
      where w.id = any(${ids}::text[]))
    select id, account_id from due where place <= ${MOST_PARALLEL}
    order by turn, next_attempt_at, id`.execute(tx);
  const chosen = choose(due);
  if (chosen.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    update webhook_deliveries set lease_owner = ${owner}, lease_until = ${at(now)} + ${LEASE_SECONDS} * interval '1 second'
    where id = any(${chosen}::text[]) and status = 'pending'
    returning id`.execute(tx);
  return readClaimed(
    tx,
    rows.map(({ id }) => id),
    now,
  );
}

async function readClaimed(tx: Tx, ids: readonly string[], now: Date | null): Promise<Claimed[]> {
  const { rows } = await sql<{ claimed: Claimed['delivery'] } & Record<string, unknown>>`
    select d.id, d.account_id, d.webhook_id, d.message_id, d.attempt, d.trigger, d.event_id, d.event_type,
      w.url, w.secret, w.event_types, w.visible_permissions, ${ownerRole} as owner_role, ${products} as products,
      case when w.previous_secret_until > ${at(now)} then w.previous_secret end as previous_secret,
      e.sequence, e.type, e.severity, e.family, e.resource_type, e.resource_id, e.resource_name, e.operation_id,
      e.actor, e.message, e.data, e.occurred_at, ${at(now)} as now
    from webhook_deliveries d join webhooks w on w.id = d.webhook_id left join events e on e.id = d.event_id
    where d.id = any(${ids}::text[]) order by d.next_attempt_at, d.id`.execute(tx);
  return (rows as unknown as (Claimed['delivery'] & Claimed['webhook'] & EventRow & { now: Date })[]).map(
    (row) => ({
      delivery: row,
      webhook: { ...row, id: row.webhook_id },
      event: row.sequence === null ? null : { ...row, id: row.event_id },
      now: row.now,
    }),
  );
}

/** Milliseconds until a delivery is due or a lease expires; null if no delivery is pending. */
export async function nextDue(db: Db, now: Date | null): Promise<number | null> {
  const { rows } = await sql<{ wait: number | null }>`
    with recursive ${waiting}
    select extract(epoch from min(least(
      case when ${busyOf(now)} < ${MOST_PARALLEL} then ${firstOf(now)} end,
      (select min(l.lease_until) from webhook_deliveries l
       where l.webhook_id = w.id and l.status = 'pending' and l.lease_until > ${at(now)}))) - ${at(now)})::float8 * 1000 as wait
    from waiting join webhooks w on w.id = waiting.id
    where w.status <> 'disabled' and ${accountIsServed}`.execute(db);
  return rows[0]?.wait ?? null;
}

export interface Ending {
  readonly status: 'succeeded' | 'failed' | 'discarded';
  readonly httpStatus: number | null;
  readonly fault: AttemptFault | null;
  readonly durationMs: number | null;
  readonly excerpt: string | null;
}

export interface Locked extends Health {
  readonly id: string;
  readonly name: string;
  readonly now: Date;
}

/** Lock order: always the webhook before its deliveries. */
export async function lockWebhook(tx: Tx, id: string, now: Date | null): Promise<Locked | undefined> {
  const { rows } = await sql<Locked>`
    select id, name, status, failing_since, ${at(now)} as now from webhooks where id = ${id} for update`.execute(
    tx,
  );
  return rows[0];
}

/** Returns false if another sender holds the delivery by now; then nothing may be written. */
export async function endAttempt(
  tx: Tx,
  { delivery }: Claimed,
  owner: string,
  ending: Ending,
  when: { readonly now: Date; readonly nextAt: Date | null },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update webhook_deliveries set status = ${ending.status}, http_status = ${ending.httpStatus},
      error_code = ${ending.fault}, duration_ms = ${ending.durationMs}, response_excerpt = ${ending.excerpt},
      finished_at = ${when.now}, next_attempt_at = ${when.nextAt}, lease_owner = null, lease_until = null
    where id = ${delivery.id} and status = 'pending' and lease_owner = ${owner}`.execute(tx);
  return numAffectedRows === 1n;
}

export async function insertRetry(
  tx: Tx,
  { delivery }: Claimed,
  retry: { readonly id: string; readonly now: Date; readonly nextAt: Date },
): Promise<void> {
  const { account_id, webhook_id, message_id, event_id, event_type, attempt } = delivery;
  await tx
    .insertInto('webhook_deliveries')
    .values({
      id: retry.id,
      account_id,
      webhook_id,
      message_id,
      event_id,
      event_type,
      attempt: attempt + 1,
      trigger: 'retry',
      next_attempt_at: retry.nextAt,
      created_at: retry.now,
    })
    .execute();
}

/** Counts the distinct messages that failed in the last hour and since the last success. */
export async function countFailing(tx: Tx, webhookId: string, now: Date): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(distinct d.message_id) as count from webhook_deliveries d join webhooks w on w.id = d.webhook_id
    where d.webhook_id = ${webhookId} and d.status = 'failed'
      and d.finished_at > greatest(${now}::timestamptz - interval '1 hour', w.last_success_at)`.execute(tx);
  return rows[0]?.count ?? 0;
}

export async function noteSuccess(tx: Tx, id: string, now: Date): Promise<void> {
  await sql`
    update webhooks set last_success_at = ${now}, failing_since = null,
      status = case when status = 'failing' then 'active' else status end where id = ${id}`.execute(tx);
}

export async function noteFailure(
  tx: Tx,
  id: string,
  now: Date,
  { fault, httpStatus }: Pick<Ending, 'fault' | 'httpStatus'>,
): Promise<void> {
  await sql`
    update webhooks set last_failure_at = ${now}, last_failure_code = ${fault},
      last_failure_http_status = ${httpStatus}, failing_since = coalesce(failing_since, ${now}) where id = ${id}`.execute(
    tx,
  );
}

/** Disables the webhook and discards its pending deliveries, except those that are being sent. */
export async function disableWebhook(tx: Db, id: string, reason: DisabledReason, now: Date): Promise<void> {
  await sql`
    update webhooks set status = 'disabled', enabled = false, disabled_reason = ${reason}, failing_since = null,
      version = version + 1, updated_at = ${now} where id = ${id}`.execute(tx);
  await sql`
    update webhook_deliveries set status = 'discarded', finished_at = ${now}, next_attempt_at = null
    where webhook_id = ${id} and status = 'pending' and (lease_until is null or lease_until <= ${now})`.execute(
    tx,
  );
}

/** Gives back all leases of this sender, so that other senders can send the deliveries at once. */
export async function giveBack(db: Db, owner: string): Promise<void> {
  await sql`
    update webhook_deliveries set lease_owner = null, lease_until = null
    where lease_owner = ${owner} and status = 'pending'`.execute(db);
}

export async function countPending(tx: Tx, webhookId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from webhook_deliveries
    where webhook_id = ${webhookId} and status = 'pending'`.execute(tx);
  return rows[0]?.count ?? 0;
}

export async function announceDue(db: Db, accountId: string): Promise<void> {
  await sql`select pg_notify(${WEBHOOKS_CHANNEL}, ${accountId})`.execute(db);
}
