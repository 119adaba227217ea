/**
 * Allocates public addresses from the provider's pools.
 *
 * A released address is in quarantine: only its former account may have it, and gets it before any other. So an account
 * that creates and deletes machines in a loop gets the same addresses again and takes none from the others; its limit
 * counts what it has in quarantine too. Rows
 * without an account are free when their quarantine is over, or when they were cut from a pool in advance. An allocation
 * takes the first free row that no other transaction has locked (`skip locked`), so many allocations run concurrently.
 * Only cutting new rows from a pool takes an exclusive lock. Before an allocation reports that no address is left, it
 * waits for the transactions that hold the last free rows, because they may roll back.
 *
 * Lock order: a transaction always allocates IPv4 before IPv6.
 */
import { sql } from 'kysely';
import { Problem } from '../../kernel/problems/problem.ts';
import type { AddressPool } from '../../provider/catalogue.ts';
import type { Db } from '../../store/database.ts';
import { statement, textOf } from '../../store/kept-text.ts';
import { forgetResource } from '../inventory/store.ts';
import { rowsOf } from '../owned/store.ts';
import { type Pool, poolsOf, SINGLE } from './pool.ts';
import { addresses } from './resource.ts';
import type { AddressKind, PublicAddressRow } from './table.ts';

export type { PublicAddressRow } from './table.ts';

/**
 * So long nobody else gets a released address, so that its next holder does not get traffic for the previous one.
 */
export const QUARANTINE_DAYS = 7;
/** The end of the quarantine of an address that nobody has held: in the past for every request, however old it is. */
const NEVER_HELD = new Date(0);
/**
 * How many rows are cut from a pool at once. Only the cutting takes an exclusive lock, so larger pieces mean
 * fewer waits.
 */
const PIECE = 64;

export interface AddressRequest {
  /** All pools of the provider. */
  readonly pools: readonly AddressPool[];
  readonly location: string;
  readonly version: 4 | 6;
  readonly accountId: string;
  readonly kind: AddressKind;
  readonly vmId: string | null;
  readonly interfaceId?: string | null;
  /** The VPN gateway that gets the address. */
  readonly gatewayId?: string | null;
  readonly now: Date;
}

export type Holder = Omit<AddressRequest, 'pools' | 'version'>;

/** The prefix length of what is allocated, by version. */
type Lengths = Readonly<Record<4 | 6, number>>;

/** Addresses without a name of their own are named after themselves: `203-0-113-7`, `2001-db8-100-1-64`. */
const OWN_NAME = `case when family(taken.block) = 4 and masklen(taken.block) = 32
  then translate(host(taken.block), '.', '-')
  else rtrim(translate(host(taken.block), '.:', '--'), '-') || '-' || masklen(taken.block) end`;

/** What an allocation sets. The values are account, location, ranges, their pools, now, kind, machine, interface, gateway. */
const TAKEN = `
  account_id = $1, former_account_id = null, kind = $6, vm_id = $7, interface_id = $8, gateway_id = $9,
  quarantined_until = null, labels = '{}', version = 1, created_at = $5::timestamptz, updated_at = $5::timestamptz,
  provisioned_at = $5::timestamptz, description = '', justification = null, protected = false,
  name = ${OWN_NAME} || case when exists (select from public_addresses other
    where other.account_id = $1 and other.name = ${OWN_NAME}) then '-ip' else '' end,
  status = case when $7::text is null and $9::text is null then 'available' else 'assigned' end,
  assigned_at = case when $7::text is null and $9::text is null then null else $5::timestamptz end,
  pool = (select slug from unnest($3::inet[], $4::text[]) as p (cidr, slug) where taken.block <<= p.cidr limit 1)`;

/** The values are those of `TAKEN`, and two new ids for each version. */
function takeText(versions: readonly (4 | 6)[], others: 'skip' | 'wait', lengths: Lengths): string {
  const lock = `order by quarantined_until limit 1 for update ${others === 'skip' ? 'skip locked' : ''}`;
  const choices = versions.map((version, i) => {
    const inStock = `account_id is null and location = $2 and family(block) = ${version} and block <<= any($3::inet[])
      and masklen(block) = ${lengths[version]} and routing = 'normal'`;
    return {
      tables: `own${version} as materialized (
        select id from public_addresses where former_account_id = $1 and ${inStock} ${lock}),
      free${version} as materialized (
        select id from public_addresses
        where quarantined_until <= $5::timestamptz and not exists (select from own${version}) and ${inStock} ${lock})`,
      found: `select id, $${10 + i * 2}::text as new_id from own${version} union all
        select id, $${11 + i * 2}::text as new_id from free${version}`,
    };
  });
  return `
    with ${choices.map(({ tables }) => tables).join(', ')}
    update public_addresses taken set id = found.new_id, ${TAKEN}
    from (${choices.map(({ found }) => found).join(' union all ')}) found
    where taken.id = found.id returning taken.*`;
}

const valuesOf = (
  pools: readonly Pick<Pool, 'slug' | 'cidr'>[],
  { location, accountId, kind, vmId, interfaceId = null, gatewayId = null, now }: Holder,
): unknown[] => {
  const [cidrs, slugs] = [pools.map(({ cidr }) => cidr), pools.map(({ slug }) => slug)];
  return [accountId, location, cidrs, slugs, now, kind, vmId, interfaceId, gatewayId];
};

/** Takes the account's own address out of quarantine, or else a free one: one of each version, if there is one. */
export async function take(
  db: Db,
  pools: readonly Pick<Pool, 'slug' | 'cidr'>[],
  holder: Holder,
  versions: readonly (4 | 6)[],
  others: 'skip' | 'wait',
  lengths: Lengths = SINGLE,
): Promise<PublicAddressRow[]> {
  const name = ['take', others, ...versions.map((version) => `${version}/${lengths[version]}`)].join(' ');
  const text = textOf(name, () => takeText(versions, others, lengths));
  const ids = versions.flatMap(() => [addresses.newId(), addresses.newId()]);
  return (await db.executeQuery(statement<PublicAddressRow>(text, [...valuesOf(pools, holder), ...ids])))
    .rows;
}

const TAKE_BACK = `
  update public_addresses taken set id = $10, ${TAKEN}
  where account_id is null and former_account_id = $1 and location = $2 and block <<= any($3::inet[])
    and block = $11::cidr
  returning taken.*`;

/**
 * Takes this one out of quarantine. Undefined unless the account was the last to hold it. If its traffic is dropped, it
 * still is.
 */
export async function takeBack(
  db: Db,
  { pools, ...holder }: Omit<AddressRequest, 'version'>,
  block: string,
): Promise<PublicAddressRow | undefined> {
  const here = pools.filter(({ location }) => location === holder.location);
  const values = [...valuesOf(here, holder), addresses.newId(), block];
  return (await db.executeQuery(statement<PublicAddressRow>(TAKE_BACK, values))).rows[0];
}

/** Skips blocks that already have a row, for example because the pool had another name or range before. */
async function cutPiece(db: Db, pool: Pool, from: number, { location }: Holder): Promise<void> {
  const until = Math.min(pool.size, from + PIECE);
  const blocks = Array.from({ length: until - from }, (_, n) => pool.at(from + n));
  await addFree(db, pool, location, blocks);
  await setCut(db, pool, until);
}

/** Adds rows that nobody has held. Blocks that already have a row, or overlap one, are left out. */
export async function addFree(
  db: Db,
  pool: Pick<Pool, 'slug'>,
  location: string,
  blocks: readonly string[],
): Promise<void> {
  const ids = blocks.map(addresses.newId);
  await sql`
    insert into public_addresses (id, pool, location, block, kind, quarantined_until)
    select id, ${pool.slug}, ${location}, block, 'ephemeral', ${NEVER_HELD}::timestamptz
    from unnest(${ids}::text[], ${[...blocks]}::cidr[]) as piece (id, block)
    on conflict on constraint held_once do nothing`.execute(db);
}

/** The transaction holds the lock of `lockCut`. */
export async function setCut(db: Db, { cidr }: Pick<Pool, 'cidr'>, cut: number): Promise<void> {
  await db.updateTable('address_pool_cuts').set({ cut }).where('cidr', '=', cidr).execute();
}

async function readCut(db: Db, pool: Pool): Promise<number> {
  const row = await db
    .selectFrom('address_pool_cuts')
    .select('cut')
    .where('cidr', '=', pool.cidr)
    .executeTakeFirst();
  return row?.cut ?? 0;
}

/** Locks the pool against cutting by other transactions until this transaction ends. */
export async function lockCut(db: Db, { cidr }: Pick<Pool, 'cidr'>): Promise<number> {
  await db
    .insertInto('address_pool_cuts')
    .values({ cidr, cut: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { cut } = await db
    .selectFrom('address_pool_cuts')
    .select('cut')
    .where('cidr', '=', cidr)
    .forUpdate()
    .executeTakeFirstOrThrow();
  return cut;
}

/** Without its prefix length. */
export const ipv4In = (rows: readonly PublicAddressRow[]): string | undefined =>
  rows.find(({ block }) => !block.includes(':'))?.block.split('/')[0];

/** Returns `null` if all pools of the location are used up. */
export async function allocateAddress(db: Db, request: AddressRequest): Promise<PublicAddressRow | null> {
  const taken = await allocateAddresses(db, request, [request.version]);
  return taken.rows?.[0] ?? null;
}

/** `exhausted`: the versions whose pools are used up. */
export type Allocation =
  | { readonly rows: readonly PublicAddressRow[]; readonly exhausted?: undefined }
  | { readonly exhausted: readonly (4 | 6)[]; readonly rows?: undefined };

/**
 * Allocates an address of each version, in this order. If the pools of one of them are used up, the caller rolls back
 * what was allocated.
 */
export async function allocateAddresses(
  db: Db,
  { pools: all, ...request }: Omit<AddressRequest, 'version'>,
  versions: readonly (4 | 6)[],
): Promise<Allocation> {
  if (versions.length === 0) return { rows: [] };
  const poolsAt = (version: 4 | 6): readonly Pool[] => poolsOf(all, request.location, version);
  const taken = await take(db, versions.flatMap(poolsAt), request, versions, 'skip');
  const rows: PublicAddressRow[] = [];
  const exhausted: (4 | 6)[] = [];
  for (const version of versions) {
    const row =
      taken.find(({ block }) => block.includes(':') === (version === 6)) ??
      (await allocateNew(db, poolsAt(version), request, version));
    if (row === undefined) exhausted.push(version);
    else rows.push(row);
  }
  return exhausted.length > 0 ? { exhausted } : { rows };
}

/** For a location without a free row: cuts new rows from a pool, or waits for those that others may give back. */
async function allocateNew(
  db: Db,
  pools: readonly Pool[],
  request: Holder,
  version: 4 | 6,
): Promise<PublicAddressRow | undefined> {
  const takeOne = async (others: 'skip' | 'wait') => (await take(db, pools, request, [version], others))[0];
  for (const pool of pools) {
    if ((await readCut(db, pool)) >= pool.size) continue;
    let cut = await lockCut(db, pool);
    for (;;) {
      // The previous lock holder may have cut new rows.
      const cutByOther = await takeOne('skip');
      if (cutByOther !== undefined) return cutByOther;
      if (cut >= pool.size) break;
      await cutPiece(db, pool, cut, request);
      cut += PIECE;
    }
  }
  return takeOne('wait');
}

/** Takes the address from its account and puts it into quarantine. */
export async function releaseAddress(db: Db, id: string, now: Date): Promise<void> {
  const { rows } = await sql<Pick<PublicAddressRow, 'kind'>>`
    update public_addresses set account_id = null, former_account_id = account_id, vm_id = null, interface_id = null,
      gateway_id = null, assigned_at = null, name = null, labels = '{}', description = '', justification = null,
      protected = false, provisioned_at = null, status = 'available',
      quarantined_until = ${now}::timestamptz + ${QUARANTINE_DAYS} * interval '1 day',
      version = version + 1, updated_at = ${now}::timestamptz
    where id = ${id} and account_id is not null
    returning kind`.execute(db);
  if (rows[0] !== undefined && rows[0].kind !== 'ephemeral') await forgetResource(db, id, { at: now });
}

/** Ephemeral addresses first, then reserved ones; the oldest first within each. */
export async function attachedAddresses(db: Db, vmIds: readonly string[]): Promise<PublicAddressRow[]> {
  return db
    .selectFrom('public_addresses')
    .selectAll()
    .where(sql<boolean>`vm_id = any(${[...vmIds]}::text[])`)
    .orderBy('kind')
    .orderBy('id')
    .execute();
}

/**
 * For operation steps, which have already checked the account. Returns `undefined` if the address was released.
 */
export function readAddress(db: Db, id: string): Promise<PublicAddressRow | undefined> {
  return db
    .selectFrom('public_addresses')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', 'is not', null)
    .executeTakeFirst();
}

export const { lock: lockAddressIfThere } = rowsOf('public_addresses');

/** Throws 404 if the account does not hold the address. */
export async function lockAddress(db: Db, accountId: string, id: string): Promise<PublicAddressRow> {
  const row = await lockAddressIfThere(db, accountId, id);
  if (row === undefined) throw new Problem('not_found');
  return row;
}
