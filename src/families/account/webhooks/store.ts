import { sql } from 'kysely';
import type { Call } from '../../../kernel/call.ts';
import { parseLabelSelector } from '../../../kernel/pages/label-selector.ts';
import {
  type CreatedWithin,
  createdWithin,
  labelsMatch,
  type Page,
  readPage,
  type SortKey,
} from '../../../kernel/pages/store.ts';
import type { Db } from '../../../store/database.ts';
import type { WebhookRow } from './schema.ts';

const id: SortKey = { column: sql.ref('webhooks.id'), type: 'text' };
const name: SortKey = { column: sql.ref('webhooks.name'), type: 'text' };

export const pendingCount = sql<number>`
  (select count(*) from webhook_deliveries d where d.webhook_id = webhooks.id and d.status = 'pending')`;
export const isServed = sql<boolean>`
  exists (select from accounts a where a.id = webhooks.account_id and a.status in ('active', 'restricted'))`;

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
    .select([pendingCount.as('pending_count'), isServed.as('account_is_served')])
    .where(createdWithin(sql.ref('webhooks.created_at'), call.query));
  const { name: named, label_selector } = call.query;
  if (named !== undefined) query = query.where('name', '=', named);
  if (label_selector !== undefined)
    query = query.where(labelsMatch(sql.ref('webhooks.labels'), parseLabelSelector(label_selector)));
  return readPage(call, query, {
    owner: { column: sql.ref('webhooks.account_id'), id: call.caller.account.id },
    endpoint: 'listWebhooks',
    id,
    sorts: { created_at: id, name },
  });
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
