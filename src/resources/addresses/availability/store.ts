/** Whether an account could get a public address, without taking one and without locks. */
import { sql } from 'kysely';
import type { Db } from '../../../store/database.ts';
import { type Pool, poolsOf } from '../pool.ts';
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
      and block <<= any(${pools.map(({ cidr }) => cidr)}::inet[])
    limit 1`.execute(db);
  if (rows.length > 0) return true;
  for (const pool of pools) if (await hasUncut(db, pool)) return true;
  return false;
}

/**
 * For `Retry-After`, if all pools of the location are used up: the time until the next quarantine ends. At least a
 * minute, and at most a day, because the provider may add addresses.
 */
export async function secondsUntilFree(db: Db, question: AddressQuestion): Promise<number> {
  const { location, version, now } = question;
  const cidrs = poolsOf(question.pools, location, version).map(({ cidr }) => cidr);
  const { rows } = await sql<{ next: Date }>`
    select quarantined_until as next from public_addresses
    where account_id is null and location = ${location} and family(block) = ${version}
      and quarantined_until > ${now}::timestamptz and block <<= any(${cidrs}::inet[])
    order by quarantined_until limit 1`.execute(db);
  const seconds = rows[0] === undefined ? MOST_SECONDS : (rows[0].next.getTime() - now.getTime()) / 1000;
  return Math.min(MOST_SECONDS, Math.max(LEAST_SECONDS, Math.ceil(seconds)));
}

export interface AddressCount {
  readonly limit: 'ip-management.ipv4-addresses' | 'ip-management.ipv6-prefixes';
  readonly location: string;
  readonly count: number;
}

/**
 * How much of the limits on reserved addresses the account uses: those that it holds, and those that it released and
 * could have back. Addresses that live with their machine are limited by the number of machines instead.
 */
export async function countReserved(db: Db, accountId: string, now: Date): Promise<AddressCount[]> {
  const { rows } = await sql<AddressCount>`
    select case family(block) when 4 then 'ip-management.ipv4-addresses' else 'ip-management.ipv6-prefixes' end as limit,
      location, count(*) as count
    from (
      select block, location from public_addresses where account_id = ${accountId} and kind = 'reserved'
      union all
      select block, location from public_addresses
        where former_account_id = ${accountId} and kind = 'reserved' and quarantined_until > ${now}::timestamptz) as mine
    group by family(block), location order by 1, 2`.execute(db);
  return rows;
}
