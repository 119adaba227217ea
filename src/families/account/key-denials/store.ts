import { sql } from 'kysely';
import type { Call } from '../../../kernel/call.ts';
import type { DenialCause } from '../../../kernel/denials/store.ts';
import { parseAddress } from '../../../kernel/net/address.ts';
import { readPage, type SortKey } from '../../../kernel/pages/store.ts';
import { invalid } from '../../../kernel/problems/problem.ts';
import type { Db } from '../../../store/database.ts';

interface DenialsQuery {
  readonly limit: number;
  readonly cursor?: string;
  readonly sort: string;
  readonly cause?: DenialCause;
  readonly enforced?: boolean;
  readonly key_id?: string;
  readonly client_ip?: string;
  readonly since?: string;
}

const id: SortKey = { column: sql.ref('key_denials.id'), type: 'text' };

/**
 * Normalizes the address to the stored spelling, because one address has many spellings and a search must find
 * all of them.
 */
function addressOf(text: string): string {
  const address = parseAddress(text);
  if (address !== null) return address.text;
  const detail = 'Write an address such as 203.0.113.7 or 2001:db8::1.';
  throw invalid([{ pointer: 'query/client_ip', code: 'invalid_format', detail }]);
}

/** An id is created when the call is denied, so ids sort in the order of `first_at`. */
export async function readDenials(call: Call<unknown, DenialsQuery>) {
  const { cause, enforced, key_id, client_ip, since } = call.query;
  let query = call.db
    .selectFrom('key_denials')
    .selectAll()
    .where(sql<boolean>`last_at > now() - interval '30 days'`);
  if (cause !== undefined) query = query.where('cause', '=', cause);
  if (enforced !== undefined) query = query.where('enforced', '=', enforced);
  if (key_id !== undefined) query = query.where('key_id', '=', key_id);
  if (client_ip !== undefined) query = query.where('client_ip', '=', addressOf(client_ip));
  if (since !== undefined) query = query.where('last_at', '>=', new Date(since));
  return readPage(call, query, {
    owner: { column: sql.ref('key_denials.account_id'), id: call.caller.account.id },
    endpoint: 'listKeyDenials',
    id,
    sorts: { first_at: id },
  });
}

export async function readDropped(db: Db, accountId: string): Promise<number> {
  const { rows } = await sql<{ dropped: number }>`
    select coalesce(sum(count), 0)::bigint as dropped from key_denial_drops
    where account_id = ${accountId} and day > current_date - 30`.execute(db);
  return rows[0]?.dropped ?? 0;
}
