import { sql } from 'kysely';
import type { Caller } from '../../../kernel/access/caller.ts';
import type { Call } from '../../../kernel/call.ts';
import type { OperationRow, OperationStatus } from '../../../kernel/operations/schema.ts';
import { childCounts } from '../../../kernel/operations/store.ts';
import { type CreatedWithin, createdWithin, readPage, type SortKey } from '../../../kernel/pages/store.ts';

export interface OperationsQuery extends CreatedWithin {
  readonly limit: number;
  readonly cursor?: string;
  readonly sort: string;
  readonly ids?: string[];
  readonly family?: string;
  readonly type?: string;
  readonly status?: OperationStatus;
  readonly resource_id?: string;
  readonly api_key_id?: string;
  readonly parent_id?: string;
}

/** Ids sort by creation time. */
const id: SortKey = { column: sql.ref('operations.id'), type: 'text' };
const equal = ['family', 'type', 'status', 'resource_id', 'api_key_id', 'parent_id'] as const;

/** The same as `isOwn`. */
const startedBy = (caller: Caller) =>
  caller.key === null
    ? sql<boolean>`actor ->> 'member_id' = ${caller.owner.memberId}`
    : sql<boolean>`api_key_id = any(${caller.key.lineage}::text[])`;

export async function readOperations(
  call: Call<unknown, OperationsQuery>,
  visibleTypes: string[],
): Promise<{ rows: OperationRow[]; nextCursor: string | null }> {
  const { caller } = call;
  let query = call.db
    .selectFrom('operations')
    .selectAll('operations')
    .select(childCounts)
    .where(sql<boolean>`(resource_type = any(${visibleTypes}::text[]) or ${startedBy(caller)})`);
  for (const name of equal) {
    const wanted = call.query[name];
    if (wanted !== undefined) query = query.where(name, '=', wanted);
  }
  query = query.where(createdWithin(sql.ref('operations.created_at'), call.query));
  if (call.query.ids !== undefined) query = query.where(sql<boolean>`id = any(${call.query.ids}::text[])`);
  return readPage(call, query, {
    owner: { column: sql.ref('operations.account_id'), id: caller.account.id },
    endpoint: 'listOperations',
    id,
    sorts: { created_at: id },
  });
}
