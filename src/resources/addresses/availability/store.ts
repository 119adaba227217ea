/** Whether an account could get a public address, without taking one and without locks. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../store/database.ts';
import { countKept } from '../../limits/kept/store.ts';
import { type Pool, poolsOf, SINGLE } from '../pool.ts';
import type { AddressRequest } from '../store.ts';

export type AddressQuestion = Pick<AddressRequest, 'pools' | 'location' | 'version' | 'accountId' | 'now'>;

const LEAST_SECONDS = 60;
const MOST_SECONDS = 86_400;

/** Whether a block of the pool has no row yet. Blocks that were cut from an earlier range of the pool have one. */
async function hasUncut(db: Db, pool: Pool): Promise<boolean> {
  const cut = db.selectFrom('address_pool_cuts').select('cut').where('cidr', '=', pool.cidr);
  const from = (await cut.executeTakeFirst())?.cut ?? 0;
  if (from >= pool.size) return false;
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from public_addresses
    where block >= ${pool.at(from)}::cidr and block <= ${pool.at(pool.size - 1)}::cidr`.execute(db);
  return (rows[0]?.count ?? 0) < pool.size - from;
}

/**
 * Whether the account could get an address in the location now. Another request may take the last one before the
 * account does.
 */
export async function hasFreeAddress(db: Db, question: AddressQuestion): Promise<boolean> {
  const { location, version, accountId, now } = question;
  const pools = poolsOf(question.pools, location, version);
  const { rows } = await sql`
    select 1 from public_addresses
    where account_id is null and location = ${location} and family(block) = ${version}
      and (quarantined_until <= ${now}::timestamptz or former_account_id = ${accountId})
      and block <<= any(${pools.map(({ cidr }) => cidr)}::inet[]) and masklen(block) = ${SINGLE[version]}
      and routing = 'normal'
    limit 1`.execute(db);
  if (rows.length > 0) return true;
  for (const pool of pools) if (await hasUncut(db, pool)) return true;
  return false;
}

/**
 * For `Retry-After`, if all pools of the location are used up: the time until the next quarantine ends. At least a
 * minute, and at most a day, because the provider may add addresses. Returns `null` if no address is in quarantine,
 * because then none becomes free by itself.
 */
export async function secondsUntilFree(db: Db, question: AddressQuestion): Promise<number | null> {
  const { location, version, now } = question;
  const cidrs = poolsOf(question.pools, location, version).map(({ cidr }) => cidr);
  const { rows } = await sql<{ next: Date }>`
    select quarantined_until as next from public_addresses
    where account_id is null and location = ${location} and family(block) = ${version}
      and quarantined_until > ${now}::timestamptz and block <<= any(${cidrs}::inet[])
      and masklen(block) = ${SINGLE[version]}
    order by quarantined_until limit 1`.execute(db);
  if (rows[0] === undefined) return null;
  const seconds = (rows[0].next.getTime() - now.getTime()) / 1000;
  return Math.min(MOST_SECONDS, Math.max(LEAST_SECONDS, Math.ceil(seconds)));
}

/**
 * Counts the IPv4 addresses of machines that the account has in the location, and those that it released and could have
 * back.
 */
export const countEphemeral = (accountId: string, location: string | null): RawBuilder<unknown> =>
  countKept(accountId, ['public_address.ipv4_of_machines'], location);

/** The limits on what an account reserves, each with what is kept of it. */
const RESERVED = {
  'ip-management.ipv4-addresses': 'public_address.ipv4_reserved',
  'ip-management.ipv4-subnets': 'public_address.ipv4_subnets',
  'ip-management.ipv6-prefixes': 'public_address.ipv6_prefixes',
} as const;
export type ReservedLimit = keyof typeof RESERVED;
export const RESERVED_LIMITS = Object.keys(RESERVED) as ReservedLimit[];

export const countReserved = (
  limit: ReservedLimit,
  accountId: string,
  location: string | null,
): RawBuilder<unknown> => countKept(accountId, [RESERVED[limit]], location);

/** The limit that counts a reserved address of this version and length. */
export function reservedLimit(version: 4 | 6, length: number): ReservedLimit {
  if (version === 6) return 'ip-management.ipv6-prefixes';
  return length === SINGLE[4] ? 'ip-management.ipv4-addresses' : 'ip-management.ipv4-subnets';
}
