import { sql } from 'kysely';
import '../../../kernel/inventory/store.ts';
import type { Call } from '../../../kernel/call.ts';
import type { Selector } from '../../../kernel/pages/label-selector.ts';
import { labelsMatch, readPage, type SortKey } from '../../../kernel/pages/store.ts';

interface ResourcesQuery {
  readonly limit: number;
  readonly cursor?: string;
  readonly sort: string;
  readonly location?: string;
  readonly status?: string;
  readonly name?: string;
  readonly ids?: string[];
  readonly created_after?: string;
  readonly created_before?: string;
}

const id: SortKey = { column: sql.ref('resources.id'), type: 'text' };
const sorts: Record<string, SortKey> = {
  created_at: { column: sql.ref('resources.created_at'), type: 'timestamptz' },
  name: { column: sql`resources.name collate "C"`, type: 'text' },
  type: { column: sql.ref('resources.type'), type: 'text' },
  'price.monthly': { column: sql`coalesce(resources.price_monthly_micros, 0)`, type: 'bigint' },
};

export async function readResources(
  call: Call<unknown, ResourcesQuery>,
  types: string[],
  selector: Selector,
) {
  const { location, status, name, ids, created_after, created_before } = call.query;
  let query = call.db
    .selectFrom('resources')
    .selectAll()
    .where('account_id', '=', call.caller.account.id)
    .where(sql<boolean>`type = any(${types}::text[])`);
  if (location !== undefined) query = query.where('location', '=', location);
  if (status !== undefined) query = query.where('status', '=', status);
  if (name !== undefined) query = query.where('name', '=', name);
  if (ids !== undefined) query = query.where(sql<boolean>`id = any(${ids}::text[])`);
  if (created_after !== undefined) query = query.where('created_at', '>=', new Date(created_after));
  if (created_before !== undefined) query = query.where('created_at', '<', new Date(created_before));
  if (selector.length > 0) query = query.where(labelsMatch(sql.ref('resources.labels'), selector));
  return readPage(call, query, { endpoint: 'listResources', id, sorts });
}
