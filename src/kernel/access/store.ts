import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../store/database.ts';
import './tables.ts';
import type { RoleName } from './roles.ts';
import type { AccountStatus, AllowlistMode, Approval, KeyStatus, StoredKeyStatus } from './tables.ts';

export interface KeyRow {
  readonly id: string;
  readonly account_id: string;
  readonly public_id: string;
  readonly hash: Buffer;
  readonly name: string;
  readonly status: StoredKeyStatus;
  readonly permissions: string[];
  readonly approval: Approval;
  readonly approval_over_monthly: string | null;
  readonly expires_at: Date | null;
  readonly lineage: string[];
  readonly owner_id: string | null;
  readonly owner_role: RoleName | null;
  readonly owner_status: 'invited' | 'active' | 'suspended' | null;
  readonly database_now: Date;
}

export async function findKey(db: Db, publicId: string): Promise<KeyRow | undefined> {
  const { rows } = await sql<KeyRow>`
    select k.id, k.account_id, k.public_id, k.hash, k.name, k.status, k.permissions, k.approval,
           k.approval_over_monthly, k.expires_at,
           array(select l.id from api_keys l where l.lineage = k.lineage and l.account_id = k.account_id
                 order by l.id) as lineage, k.owner_id, m.role as owner_role, m.status as owner_status,
           clock_timestamp() as database_now
    from api_keys k left join members m on m.id = k.owner_id
    where k.public_id = ${publicId}`.execute(db);
  return rows[0];
}

export interface AccountRow {
  readonly id: string;
  readonly name: string;
  readonly status: AccountStatus;
  readonly keys_suspended: boolean;
  readonly products: string[];
  readonly mode: AllowlistMode;
  readonly entries: { id: string; cidr: string; expires_at: string | null }[];
}

export async function findAccount(db: Db, accountId: string): Promise<AccountRow | undefined> {
  const { rows } = await sql<AccountRow>`
    select a.id, a.name, a.status, a.keys_suspended,
           array(select family from account_products p where p.account_id = a.id and p.enabled) as products,
           coalesce((select mode from ip_allowlists l where l.account_id = a.id), 'off') as mode,
           coalesce((select jsonb_agg(jsonb_build_object('id', e.id, 'cidr', e.cidr::text, 'expires_at', e.expires_at))
                     from ip_allowlist_entries e
                     where e.account_id = a.id and (e.expires_at is null or e.expires_at > now())), '[]') as entries
    from accounts a where a.id = ${accountId}`.execute(db);
  return rows[0];
}

/** A session of the portal ends after so long without a call. */
export const SESSION_IDLE = '12 hours';

export interface SignedInRow {
  readonly ends_at: Date;
  readonly database_now: Date;
  /** Null if the person is no active member of the account, or lacks the second factor that the account requires. */
  readonly member_id: string | null;
  readonly role: RoleName | null;
  readonly name: string | null;
}

/** Undefined if the session has ended. */
export async function findSignedIn(
  db: Db,
  sessionId: string,
  accountId: string,
): Promise<SignedInRow | undefined> {
  const { rows } = await sql<SignedInRow>`
    select s.ends_at, clock_timestamp() as database_now, m.id as member_id, m.role, m.name
    from (select *, least(expires_at, last_seen_at + ${SESSION_IDLE}::interval) as ends_at from sessions) s
    left join accounts a on a.id = ${accountId} and a.status <> 'closed' and (s.second_factor or not a.mfa_required)
    left join members m on m.person_id = s.person_id and m.account_id = a.id and m.status = 'active'
    where s.id = ${sessionId} and s.ends_at > clock_timestamp()`.execute(db);
  return rows[0];
}

export interface KeyUse {
  readonly keyId: string;
  at: Date;
  ip: string;
  userAgent: string;
  operation: string;
  /** The addresses since the last write, each with the time and operation of its first call. */
  readonly addresses: Map<string, { readonly at: Date; readonly operation: string }>;
}

interface AddressUse {
  readonly keyId: string;
  /** What is stored: the IPv4 address, or the /64 of an IPv6 address. */
  readonly network: string;
  readonly ip: string;
  readonly at: Date;
  readonly operation: string;
}

export interface KeyRejection {
  readonly keyId: string;
  readonly at: Date;
  readonly ip: string;
  readonly code: string;
}

export interface NotedUse {
  readonly account_id: string;
  readonly id: string;
  readonly name: string;
  readonly public_id: string;
  readonly owner_id: string | null;
  readonly ip: string;
  readonly operation: string;
}

/** Returns the uses of keys that were never used before. Row locks ensure that only one process reports a first use. */
export async function writeUses(db: Db, uses: readonly KeyUse[]): Promise<NotedUse[]> {
  const { rows } = await sql<NotedUse & { is_first: boolean }>`
    with u as (
      select u.*, b.last_used_at is null as is_first
      from unnest(${uses.map((u) => u.keyId)}::text[], ${uses.map((u) => u.at)}::timestamptz[],
                  ${uses.map((u) => u.ip)}::text[], ${uses.map((u) => u.userAgent)}::text[],
                  ${uses.map((u) => u.operation)}::text[]) as u(id, at, ip, agent, operation)
      join api_keys b on b.id = u.id
      where b.last_used_at is null or b.last_used_at < u.at
      order by b.id for update of b)
    update api_keys k set last_used_at = u.at, last_used_ip = u.ip, last_used_user_agent = u.agent,
                          last_used_operation = u.operation
    from u where k.id = u.id
    returning k.account_id, k.id, k.name, k.public_id, k.owner_id, u.ip, u.operation, u.is_first`.execute(db);
  return rows.filter(({ is_first }) => is_first);
}

/** Returns the newest `most` new addresses of each key that already had other addresses. */
export async function writeAddresses(db: Db, uses: readonly AddressUse[], most: number): Promise<NotedUse[]> {
  const { rows } = await sql<NotedUse>`
    with u as (
      select distinct on (u.id, u.network) u.*
      from unnest(${uses.map((u) => u.keyId)}::text[], ${uses.map((u) => u.network)}::text[],
                  ${uses.map((u) => u.at)}::timestamptz[], ${uses.map((u) => u.ip)}::text[],
                  ${uses.map((u) => u.operation)}::text[]) as u(id, network, at, ip, operation)
      join api_keys b on b.id = u.id
      order by u.id, u.network, u.at desc),
    known as (select distinct key_id from key_addresses where key_id in (select id from u)),
    written as (
      insert into key_addresses as a (key_id, network, last_used_at) select id, network, at from u
      on conflict (key_id, network) do update set last_used_at = excluded.last_used_at
        where a.last_used_at < excluded.last_used_at - interval '1 day'
      returning a.key_id, a.network, a.xmax = 0 as is_new),
    fresh as (
      select u.*, row_number() over (partition by u.id order by u.at desc) as place
      from written w join u on u.id = w.key_id and u.network = w.network
      where w.is_new and w.key_id in (select key_id from known))
    select k.account_id, k.id, k.name, k.public_id, k.owner_id, fresh.ip, fresh.operation
    from fresh join api_keys k on k.id = fresh.id where fresh.place <= ${most}
    order by fresh.at`.execute(db);
  return rows;
}

export async function writeRejections(db: Db, rejections: readonly KeyRejection[]): Promise<void> {
  await sql`
    update api_keys k set last_rejected_at = u.at, last_rejected_ip = u.ip, last_rejected_code = u.code
    from unnest(${rejections.map((r) => r.keyId)}::text[], ${rejections.map((r) => r.at)}::timestamptz[],
                ${rejections.map((r) => r.ip)}::text[], ${rejections.map((r) => r.code)}::text[]) as u(id, at, ip, code)
    where k.id = u.id and (k.last_rejected_at is null or k.last_rejected_at < u.at)`.execute(db);
}

export async function writeMatches(db: Db, matches: ReadonlyMap<string, Date>): Promise<void> {
  await sql`
    update ip_allowlist_entries e set last_matched_at = u.at
    from unnest(${[...matches.keys()]}::text[], ${[...matches.values()]}::timestamptz[]) as u(id, at)
    where e.id = u.id`.execute(db);
}

/**
 * The effective status of a key: its stored status, its expiry, its owner's status and the account's `keys_suspended`.
 * Expiry is compared with the clock, so no job has to run for a key to expire.
 */
export const KEY_STATE: RawBuilder<KeyStatus> = sql`case
  when api_keys.status = 'revoked' then 'revoked'
  when api_keys.expires_at <= clock_timestamp() then 'expired'
  when api_keys.status = 'suspended' then 'suspended'
  when (select a.keys_suspended from accounts a where a.id = api_keys.account_id) then 'suspended'
  when (select m.status from members m where m.id = api_keys.owner_id) is distinct from 'active' then 'suspended'
  else 'active' end`;

/** True while the key occupies its name and counts toward the key limit. A rolled key passed both to its successor. */
export const KEY_LIVES: RawBuilder<boolean> = sql`api_keys.status <> 'revoked' and api_keys.replaced_by is null
  and (api_keys.expires_at is null or api_keys.expires_at > clock_timestamp())`;

export interface Revocation {
  readonly by: string;
  readonly reason: string | null;
  readonly comment: string | null;
}

export async function revokeKeys(
  db: Db,
  ids: readonly string[],
  { by, reason, comment }: Revocation,
): Promise<void> {
  await sql`
    update api_keys set status = 'revoked', revoked_at = clock_timestamp(), revoked_by = ${by},
      revoked_reason = ${reason}, revoked_comment = ${comment}, version = version + 1, updated_at = now()
    where id = any(${ids}::text[])`.execute(db);
}
