import { CompiledQuery, sql } from 'kysely';
import { matches } from '../../../kernel/access/permissions.ts';
import { KEY_STATE } from '../../../kernel/access/store.ts';
import type { KeyStatus } from '../../../kernel/access/tables.ts';
import type { Call } from '../../../kernel/call.ts';
import { type CreatedWithin, createdWithin, readPage, type SortKey } from '../../../kernel/pages/store.ts';
import type { Db } from '../../../store/database.ts';
import type { KeyRow } from './schema.ts';

const columns = [
  'id',
  'account_id',
  'public_id',
  'name',
  'permissions',
  'preset',
  'approval',
  'approval_over_monthly',
  'owner_id',
  'owner_name',
  'expires_in',
  'expires_at',
  'notes',
  'last_used_at',
  'last_used_ip',
  'last_used_user_agent',
  'last_used_operation',
  'last_rejected_at',
  'last_rejected_ip',
  'last_rejected_code',
  'exposed_at',
  'replaced_by',
  'revoked_at',
  'revoked_by',
  'revoked_reason',
  'revoked_comment',
  'version',
  'created_at',
  'updated_at',
] as const;

export interface KeysQuery extends CreatedWithin {
  readonly limit: number;
  readonly cursor?: string;
  readonly sort: string;
  readonly name?: string;
  readonly status?: KeyStatus;
  readonly owner?: string;
  readonly expires_before?: string;
  readonly unused_since?: string;
  readonly permission?: string;
}

const id: SortKey = { column: sql.ref('api_keys.id'), type: 'text' };
const name: SortKey = { column: sql`api_keys.name collate "C"`, type: 'text' };

/**
 * The patterns (at most eight) that grant the permission. The `permission` filter selects keys that have one of
 * them.
 */
function patternsFor(permission: string): string[] {
  const [family = '', resource = '', verb = ''] = permission.split(':');
  const patterns = [family, '*'].flatMap((f) =>
    [resource, '*'].flatMap((r) => [verb, '*'].map((v) => `${f}:${r}:${v}`)),
  );
  return patterns.filter((pattern) => matches(pattern, permission));
}

export async function readKeys(call: Call<unknown, KeysQuery>) {
  const { query: wanted } = call;
  let query = call.db
    .selectFrom('api_keys')
    .select(columns)
    .select(KEY_STATE.as('status'))
    .where(createdWithin(sql.ref('api_keys.created_at'), wanted));
  if (wanted.name !== undefined) query = query.where('name', '=', wanted.name);
  if (wanted.status !== undefined) query = query.where(KEY_STATE, '=', wanted.status);
  if (wanted.owner !== undefined) query = query.where('owner_id', '=', wanted.owner);
  if (wanted.expires_before !== undefined)
    query = query.where('expires_at', '<', new Date(wanted.expires_before));
  if (wanted.unused_since !== undefined) {
    const since = new Date(wanted.unused_since);
    query = query.where(sql<boolean>`coalesce(last_used_at, created_at) < ${since}`);
  }
  if (wanted.permission !== undefined) {
    query = query.where(sql<boolean>`permissions && ${patternsFor(wanted.permission)}::text[]`);
  }
  return readPage(call, query, {
    owner: { column: sql.ref('api_keys.account_id'), id: call.caller.account.id },
    endpoint: 'listApiKeys',
    id,
    sorts: { created_at: id, name },
  });
}

/** The SQL text is compiled once, because building it takes longer than all other checks of the request. */
let text: string | undefined;

export async function findKeyById(db: Db, accountId: string, keyId: string): Promise<KeyRow | undefined> {
  text ??= db
    .selectFrom('api_keys')
    .select(columns)
    .select(KEY_STATE.as('status'))
    .where('id', '=', keyId)
    .where('account_id', '=', accountId)
    .compile().sql;
  const { rows } = await db.executeQuery<KeyRow>(CompiledQuery.raw(text, [keyId, accountId]));
  return rows[0];
}

export async function lockKey(db: Db, accountId: string, keyId: string): Promise<KeyRow | undefined> {
  await sql`select 1 from api_keys where id = ${keyId} and account_id = ${accountId} for update`.execute(db);
  return findKeyById(db, accountId, keyId);
}

export type LastOf = 'account' | 'owners';

/** Whether this is the only active key of the account, or of its owners; null if others are left. */
export async function lastOf(
  db: Db,
  { id, account_id }: Pick<KeyRow, 'id' | 'account_id'>,
): Promise<LastOf | null> {
  const rows = await db
    .selectFrom('api_keys')
    .innerJoin('members', 'members.id', 'api_keys.owner_id')
    .select(['api_keys.id', 'members.role'])
    .where('api_keys.account_id', '=', account_id)
    .where(KEY_STATE, '=', 'active')
    .execute();
  const own = rows.find((row) => row.id === id);
  const others = rows.filter((row) => row.id !== id);
  if (own === undefined) return null;
  if (others.length === 0) return 'account';
  return own.role === 'owner' && !others.some(({ role }) => role === 'owner') ? 'owners' : null;
}

export interface KeyEnd {
  readonly id: string;
  readonly account_id: string;
  readonly name: string;
  readonly public_id: string;
  readonly expires_at: Date;
  /** `null`: the key has expired. */
  readonly days_left: number | null;
}

/**
 * Finds keys that expired in the last 7 days or expire soon, and that have no event about it yet. Warnings are
 * due 14, 3 and 1 days ahead, if that is less than half of the key's lifetime. A rolled key has a successor, so
 * it gets no warnings, only the event `api_key.expired`.
 */
export async function findUntoldEnds(db: Db, limit: number): Promise<KeyEnd[]> {
  const { rows } = await sql<KeyEnd>`
    select k.id, k.account_id, k.name, k.public_id, k.expires_at, mark.days_left
    from api_keys k
    cross join lateral (
      select case when k.expires_at <= now() then null else min(days) end as days_left
      from unnest(array[1, 3, 14]) as days
      where k.expires_at <= now() + days * interval '1 day'
        and days * interval '1 day' < (k.expires_at - k.created_at) / 2) mark
    where k.status <> 'revoked'
      and k.expires_at between now() - interval '7 days' and now() + interval '14 days'
      and (k.expires_at <= now() or (mark.days_left is not null and k.replaced_by is null))
      and not exists (
        select from events e
        where e.account_id = k.account_id and e.resource_id = k.id
          and e.type = case when mark.days_left is null then 'api_key.expired' else 'api_key.expiring' end
          and (e.data ->> 'days_left')::int is not distinct from mark.days_left)
    order by k.id limit ${limit}`.execute(db);
  return rows;
}
