import { type RawBuilder, sql } from 'kysely';
import '../../../kernel/inventory/store.ts';
import '../../../kernel/operations/store.ts';
import type { Call } from '../../../kernel/call.ts';
import type { OperationStatus } from '../../../kernel/operations/schema.ts';
import type { Selector } from '../../../kernel/pages/label-selector.ts';
import { labelsMatch, readPage, type SortKey } from '../../../kernel/pages/store.ts';
import { askedAddress } from '../../../resources/addresses/search/asked.ts';

interface PendingOperation {
  readonly id: string;
  readonly type: string;
  readonly status: OperationStatus;
}

interface ResourcesQuery {
  readonly limit: number;
  readonly cursor?: string;
  readonly sort: string;
  readonly location?: string;
  readonly status?: string;
  readonly name?: string;
  readonly q?: string;
  readonly ids?: string[];
  readonly created_after?: string;
  readonly created_before?: string;
}

/**
 * The operation that works on the resource now, or the next one. Operations outside the queue of the resource
 * (`free`), such as approval requests, do not count.
 */
const pendingOperation = sql<PendingOperation | null>`(
  select json_build_object('id', o.id, 'type', o.type, 'status', o.status) from operations o
  where o.resource_id = resources.id and o.account_id = resources.account_id and o.finished_at is null
    and o.queue <> 'free'
  order by o.started_at nulls last, o.id limit 1)`.as('operation');

const id: SortKey = { column: sql.ref('resources.id'), type: 'text' };
const sorts: Record<string, SortKey> = {
  created_at: { column: sql.ref('resources.created_at'), type: 'timestamptz' },
  name: { column: sql`resources.name collate "C"`, type: 'text' },
  type: { column: sql.ref('resources.type'), type: 'text' },
  'price.monthly': { column: sql`coalesce(resources.price_monthly_micros, 0)`, type: 'bigint' },
};

function foundBy({ caller, services }: Call<unknown, ResourcesQuery>, q: string): RawBuilder<boolean> {
  const text = q.toLowerCase();
  const named = sql<boolean>`(strpos(lower(resources.name), ${text}) > 0 or strpos(resources.id, ${text}) > 0)`;
  const asked = askedAddress(q);
  const searches = services.registry.families.flatMap(({ addressSearches = [] }) => addressSearches);
  if (asked === null || searches.length === 0) return named;
  const found = searches.map((search) => search(caller.account.id, asked));
  return sql<boolean>`(${named} or resources.id in (${sql.join(found, sql` union all `)}))`;
}

export async function readResources(
  call: Call<unknown, ResourcesQuery>,
  types: string[],
  selector: Selector,
) {
  const { location, status, name, q, ids, created_after, created_before } = call.query;
  let query = call.db
    .selectFrom('resources')
    .selectAll()
    .select(pendingOperation)
    .where(sql<boolean>`type = any(${types}::text[])`);
  if (location !== undefined) query = query.where('location', '=', location);
  if (status !== undefined) query = query.where('status', '=', status);
  if (name !== undefined) query = query.where('name', '=', name);
  if (q !== undefined) query = query.where(foundBy(call, q));
  if (ids !== undefined) query = query.where(sql<boolean>`id = any(${ids}::text[])`);
  if (created_after !== undefined) query = query.where('created_at', '>=', new Date(created_after));
  if (created_before !== undefined) query = query.where('created_at', '<', new Date(created_before));
  if (selector.length > 0) query = query.where(labelsMatch(sql.ref('resources.labels'), selector));
  return readPage(call, query, {
    owner: { column: sql.ref('resources.account_id'), id: call.caller.account.id },
    endpoint: 'listResources',
    id,
    sorts,
  });
}
