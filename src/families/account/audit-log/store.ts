import { sql } from 'kysely';
import type { AuditOutcome } from '../../../kernel/audit/entry.ts';
import type { Call } from '../../../kernel/call.ts';
import { readPage, type SortKey } from '../../../kernel/pages/store.ts';

interface EntriesQuery {
  readonly limit: number;
  readonly cursor?: string;
  readonly sort: string;
  readonly actor?: string;
  readonly action?: string;
  readonly resource_id?: string;
  readonly outcome?: AuditOutcome;
  readonly since?: string;
  readonly until?: string;
}

/** Entries are sorted by their position in the hash chain. Entries of one account are written one at a time. */
const sequence: SortKey = { column: sql.ref('audit_entries.sequence'), type: 'bigint' };

export async function readEntries(call: Call<unknown, EntriesQuery>) {
  const { actor, action, resource_id, outcome, since, until } = call.query;
  let query = call.db
    .selectFrom('audit_entries')
    .select(['entry', 'prev_hash', 'hash'])
    .where('account_id', '=', call.caller.account.id);
  if (actor !== undefined) query = query.where('actor_id', '=', actor);
  if (action !== undefined) query = query.where('action', '=', action);
  if (resource_id !== undefined) query = query.where('resource_id', '=', resource_id);
  if (outcome !== undefined) query = query.where('outcome', '=', outcome);
  if (since !== undefined) query = query.where('occurred_at', '>=', new Date(since));
  if (until !== undefined) query = query.where('occurred_at', '<', new Date(until));
  return readPage(call, query, {
    endpoint: 'listAuditEntries',
    id: sequence,
    sorts: { occurred_at: sequence },
  });
}
