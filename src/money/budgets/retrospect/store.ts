import { sql } from 'kysely';
import type { Db } from '../../../store/database.ts';
import '../../../kernel/audit/store.ts';
import { labelsMatch } from '../../../kernel/pages/store.ts';
import type { Period } from '../../metering/calendar.ts';
import type { SpendingScope } from '../../metering/scope.ts';

export interface PastCall {
  readonly action: string;
  readonly actor: string;
  readonly at: Date;
  readonly requestId: string | null;
}

interface Wanted {
  readonly blocked: readonly Period[];
  readonly actions: readonly string[];
  readonly spending: SpendingScope;
}

/**
 * Returns the oldest calls first. Labels come from the first meter span of the resource, which also exists for
 * deleted resources.
 */
export async function findCalls(
  db: Db,
  accountId: string,
  { blocked, actions, spending }: Wanted,
  limit: number,
): Promise<PastCall[]> {
  if (blocked.length === 0 || actions.length === 0) return [];
  const times = blocked.map(({ from, to }) => sql`(occurred_at >= ${from} and occurred_at < ${to})`);
  const labels = sql`coalesce((select s.labels from meter_spans s where s.resource_id = e.resource_id
    order by s.id limit 1), '{}')`;
  const { apiKeyIds, selector } = spending;
  const { rows } = await sql<PastCall>`
    select action, entry -> 'actor' ->> 'name' as actor, occurred_at as at, entry ->> 'request_id' as "requestId"
    from audit_entries e
    where account_id = ${accountId} and action = any(${actions}::text[]) and outcome in ('accepted', 'succeeded')
      and (${sql.join(times, sql` or `)})
      and ${apiKeyIds === undefined ? sql`true` : sql`actor_id = any(${apiKeyIds}::text[])`}
      and ${selector === undefined ? sql`true` : labelsMatch(labels, selector)}
    order by sequence limit ${limit}`.execute(db);
  return rows;
}
