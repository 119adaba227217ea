import { type Insertable, sql, type Updateable } from 'kysely';
import type { Call } from '../../../kernel/call.ts';
import type { Reference } from '../../../kernel/named/named.ts';
import { parseLabelSelector } from '../../../kernel/pages/label-selector.ts';
import {
  type CreatedWithin,
  createdWithin,
  labelsMatch,
  type Page,
  readPage,
  type SortKey,
} from '../../../kernel/pages/store.ts';
import type { Db, Tables } from '../../../store/database.ts';
import type { WebhookRow } from './schema.ts';

const id: SortKey = { column: sql.ref('webhooks.id'), type: 'text' };
const name: SortKey = { column: sql.ref('webhooks.name'), type: 'text' };

const pending = sql<number>`
  (select count(*) from webhook_deliveries d where d.webhook_id = webhooks.id and d.status = 'pending')`.as(
  'pending_count',
);
const isServed = sql<boolean>`
  exists (select from accounts a where a.id = webhooks.account_id and a.status in ('active', 'restricted'))`.as(
  'account_is_served',
);

interface WebhooksQuery extends CreatedWithin {
  readonly limit: number;
  readonly cursor?: string;
  readonly sort: string;
  readonly name?: string;
  readonly label_selector?: string;
}

export async function readWebhooks(call: Call<unknown, WebhooksQuery>): Promise<Page<WebhookRow>> {
  let query = call.db
    .selectFrom('webhooks')
    .selectAll()
    .select([pending, isServed])
    .where('account_id', '=', call.caller.account.id)
    .where(createdWithin(sql.ref('webhooks.created_at'), call.query));
  const { name: named, label_selector } = call.query;
  if (named !== undefined) query = query.where('name', '=', named);
  if (label_selector !== undefined)
    query = query.where(labelsMatch(sql.ref('webhooks.labels'), parseLabelSelector(label_selector)));
  return readPage(call, query, { endpoint: 'listWebhooks', id, sorts: { created_at: id, name } });
}

export async function findWebhook(
  db: Db,
  accountId: string,
  { by, value }: Reference,
): Promise<WebhookRow | undefined> {
  return db
    .selectFrom('webhooks')
    .selectAll()
    .select([pending, isServed])
    .where('account_id', '=', accountId)
    .where(by, '=', value)
    .executeTakeFirst();
}

/** Locks the row before reading it, because a delivery worker may be changing its status. */
export async function lockWebhook(
  db: Db,
  accountId: string,
  reference: Reference,
): Promise<WebhookRow | undefined> {
  await db
    .selectFrom('webhooks')
    .select('id')
    .where('account_id', '=', accountId)
    .where(reference.by, '=', reference.value)
    .forUpdate()
    .execute();
  return findWebhook(db, accountId, reference);
}

/** The sequence of the latest event. A webhook that is created or enabled now receives the events after it. */
export async function readHead(db: Db, accountId: string): Promise<number> {
  const row = await db
    .selectFrom('event_heads')
    .select('sequence')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row?.sequence ?? 0;
}

export async function insertWebhook(db: Db, row: Insertable<Tables['webhooks']>): Promise<void> {
  await db
    .insertInto('webhooks')
    .values({ ...row, labels: JSON.stringify(row.labels) as never })
    .execute();
}

export async function updateWebhook(
  db: Db,
  webhookId: string,
  columns: Updateable<Tables['webhooks']>,
): Promise<void> {
  const { labels, ...rest } = columns;
  await db
    .updateTable('webhooks')
    .set({
      ...rest,
      ...(labels === undefined ? {} : { labels: JSON.stringify(labels) as never }),
      version: sql`version + 1`,
      updated_at: sql`now()`,
    })
    .where('id', '=', webhookId)
    .execute();
}

export async function removeWebhook(db: Db, webhookId: string): Promise<void> {
  await db.deleteFrom('webhooks').where('id', '=', webhookId).execute();
}
