import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Call } from '../../../kernel/call.ts';
import type { Address } from '../../../kernel/net/address.ts';
import { createdWithin, type Page, readPage } from '../../../kernel/pages/store.ts';
import type { Db, Tables } from '../../../store/database.ts';
import type { ReverseRecordsQuery } from './schema.ts';
import type { ReverseRecordRow } from './table.ts';

/** The address or block of an account that an address is in. */
export interface Holding {
  readonly id: string;
  /** With the prefix length: `203.0.113.20/32`. */
  readonly block: string;
  readonly location: string;
  readonly created_at: Date;
}

const holdingOf = (db: Db, accountId: string, address: string) =>
  db
    .selectFrom('public_addresses')
    .select(['id', 'block', 'location', 'created_at'])
    .where('account_id', '=', accountId)
    .where(sql<boolean>`block >>= ${address}::inet`);

export const findHolding = (db: Db, accountId: string, address: string): Promise<Holding | undefined> =>
  holdingOf(db, accountId, address).executeTakeFirst();

/** The account keeps the address until the transaction ends. */
export const lockHolding = (db: Db, accountId: string, address: string): Promise<Holding | undefined> =>
  holdingOf(db, accountId, address).forShare().executeTakeFirst();

/** IPv6 addresses have a record only while they have a name; a row without one waits to be removed. */
const isShown = sql<boolean>`(family(address) = 4 or hostname is not null)`;

/** Only the rows of locations that have a nameserver. */
export function readRecords(
  call: Call<unknown, ReverseRecordsQuery>,
  locations: readonly string[],
  conditions: readonly RawBuilder<boolean>[],
): Promise<Page<ReverseRecordRow>> {
  let query = call.db
    .selectFrom('reverse_records')
    .selectAll()
    .where(isShown)
    .where(sql<boolean>`location = any(${[...locations]}::text[])`)
    .where(createdWithin(sql.ref('created_at'), call.query));
  for (const condition of conditions) query = query.where(condition);
  const id = { column: sql.ref('reverse_records.id'), type: 'text' } as const;
  type Query = SelectQueryBuilder<Tables, 'reverse_records', ReverseRecordRow>;
  return readPage(call, query as Query, {
    endpoint: 'listReverseRecords',
    owner: { column: sql.ref('reverse_records.account_id'), id: call.caller.account.id },
    id,
    sorts: {
      // The ids are in the order of the addresses.
      address: id,
      created_at: { column: sql.ref('created_at'), type: 'timestamptz' },
      updated_at: { column: sql.ref('updated_at'), type: 'timestamptz' },
    },
  });
}

export const withId = (id: string): RawBuilder<boolean> => sql`id = ${id}`;
export const inRange = (cidr: string): RawBuilder<boolean> => sql`address <<= ${cidr}::inet`;
export const inHolding = (addressId: string): RawBuilder<boolean> => sql`address_id = ${addressId}`;
export const inState = (state: string): RawBuilder<boolean> => sql`sync_status = ${state}`;

/** `byDefault`: the address that has this name if nobody sets another. */
export function named(
  hostname: string,
  byDefault: { readonly address: string; readonly location: string } | null,
): RawBuilder<boolean> {
  if (byDefault === null) return sql`hostname = ${hostname}`;
  const { address, location } = byDefault;
  return sql`(hostname is null and address = ${address}::inet and location = ${location})`;
}

/** Undefined also if the address belongs to another account now. */
export const lockRecord = (db: Db, accountId: string, id: string): Promise<ReverseRecordRow | undefined> =>
  db
    .selectFrom('reverse_records')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .forUpdate()
    .executeTakeFirst();

/** For schedules, which work for all accounts. */
export const readRecord = (db: Db, id: string): Promise<ReverseRecordRow | undefined> =>
  db.selectFrom('reverse_records').selectAll().where('id', '=', id).executeTakeFirst();

export const countReverseRecords = (accountId: string): RawBuilder<unknown> => sql`
  select count(*) from reverse_records
  where account_id = ${accountId} and family(address) = 6 and hostname is not null`;

/** How many addresses of the /64 of this address have a name. */
export async function countInPrefix(db: Db, accountId: string, address: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from reverse_records
    where account_id = ${accountId} and hostname is not null
      and address <<= network(set_masklen(${address}::inet, 64))`.execute(db);
  return rows[0]?.n ?? 0;
}

export type NewRecord = Pick<
  ReverseRecordRow,
  | 'id'
  | 'address_id'
  | 'address'
  | 'location'
  | 'hostname'
  | 'ttl_seconds'
  | 'sync_status'
  | 'sync_error'
  | 'due_at'
  | 'forward_confirmed'
  | 'forward_checked_at'
  | 'forward_due_at'
> & { readonly account_id: string };

/** Replaces what an earlier holder has left, too. `isNew`: the record begins now. */
export async function writeRecord(db: Db, row: NewRecord, isNew: boolean): Promise<ReverseRecordRow> {
  const { id: _, address: __, ...changed } = row;
  return db
    .insertInto('reverse_records')
    .values(row)
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({
        ...changed,
        forward_checks: 0,
        version: sql<number>`reverse_records.version + 1`,
        updated_at: sql<Date>`now()`,
        ...(isNew ? { created_at: sql<Date>`now()` } : {}),
      }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function deleteRecord(db: Db, { id, version }: Pick<ReverseRecordRow, 'id' | 'version'>) {
  await db.deleteFrom('reverse_records').where('id', '=', id).where('version', '=', version).execute();
}

export interface SyncState {
  readonly sync_status: ReverseRecordRow['sync_status'];
  readonly sync_error: string | null;
  readonly due_at: Date | null;
}

/** Returns false if the wish has changed since the row was read: then the nameserver does not have it yet. */
export async function noteSync(
  db: Db,
  { id, version }: Pick<ReverseRecordRow, 'id' | 'version'>,
  state: SyncState,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('reverse_records')
    .set(state)
    .where('id', '=', id)
    .where('version', '=', version)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export const dueRecords = (db: Db, location: string, limit: number): Promise<{ id: string }[]> =>
  db
    .selectFrom('reverse_records')
    .select('id')
    .where('location', '=', location)
    .where(sql<boolean>`due_at <= now()`)
    .orderBy('due_at')
    .orderBy('id')
    .limit(limit)
    .execute();

export const recordsAt = (
  db: Db,
  location: string,
  afterId: string,
  limit: number,
): Promise<ReverseRecordRow[]> =>
  db
    .selectFrom('reverse_records')
    .selectAll()
    .where('location', '=', location)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute();

/** The nameserver no longer has what the row says. */
export async function markLost(db: Db, rows: readonly Pick<ReverseRecordRow, 'id' | 'version'>[]) {
  if (rows.length === 0) return;
  const [ids, versions] = [rows.map(({ id }) => id), rows.map(({ version }) => version)];
  await sql`
    update reverse_records r set sync_status = 'pending', due_at = now()
    from unnest(${ids}::text[], ${versions}::int[]) as lost (id, version)
    where r.id = lost.id and r.version = lost.version and r.sync_status = 'synced'`.execute(db);
}

/**
 * Names at the nameserver that no row has, of addresses that are or were held: each gets a row without an account, so
 * that it is removed. Addresses that nobody has held keep the names that the provider gave them.
 */
export async function noteStrangers(
  db: Db,
  location: string,
  strangers: readonly { readonly id: string; readonly address: string }[],
): Promise<void> {
  if (strangers.length === 0) return;
  const [ids, addresses] = [strangers.map(({ id }) => id), strangers.map(({ address }) => address)];
  await sql`
    insert into reverse_records (id, address, location)
    select seen.id, seen.address, ${location}
    from unnest(${ids}::text[], ${addresses}::inet[]) as seen (id, address)
    where exists (
      select from public_addresses a where a.block >>= seen.address
        and (a.account_id is not null or a.quarantined_until > 'epoch'))
    on conflict (id) do nothing`.execute(db);
}

export const recordsToLookUp = (db: Db, location: string, limit: number): Promise<ReverseRecordRow[]> =>
  db
    .selectFrom('reverse_records')
    .selectAll()
    .where('location', '=', location)
    .where(sql<boolean>`forward_due_at <= now()`)
    .orderBy('forward_due_at')
    .orderBy('id')
    .limit(limit)
    .execute();

export async function noteForward(
  db: Db,
  { id, version }: Pick<ReverseRecordRow, 'id' | 'version'>,
  state: Pick<
    ReverseRecordRow,
    'forward_confirmed' | 'forward_checked_at' | 'forward_due_at' | 'forward_checks'
  >,
): Promise<void> {
  await db
    .updateTable('reverse_records')
    .set(state)
    .where('id', '=', id)
    .where('version', '=', version)
    .execute();
}

export interface Trouble {
  readonly failed: number;
  /** One of them, and why the nameserver refused it. */
  readonly address: string | null;
  readonly reason: string | null;
}

export async function readTrouble(db: Db): Promise<Trouble> {
  const { rows } = await sql<Trouble>`
    select count(*)::int as failed, host(min(address)) as address, min(sync_error) as reason
    from reverse_records where due_at is not null and sync_status = 'failed'`.execute(db);
  return rows[0] as Trouble;
}

/** The network and the broadcast address of a routed subnet are nobody's. */
export function isOfHost({ block }: Pick<Holding, 'block'>, { family, w3 }: Address): boolean {
  const length = Number(block.split('/')[1]);
  if (family === 6 || length >= 31) return true;
  const within = (w3 >>> 0) % 2 ** (32 - length);
  return within !== 0 && within !== 2 ** (32 - length) - 1;
}
