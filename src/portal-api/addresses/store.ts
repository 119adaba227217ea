import { sql } from 'kysely';
import type { Db } from '../../store/database.ts';

/** Who had an address, from when to when. */
export interface Holding {
  readonly block: string;
  readonly account_id: string;
  /** Null: the account was deleted. */
  readonly account_name: string | null;
  readonly address_id: string;
  readonly kind: string;
  /** The machine or VPN gateway; null while nothing had the address. */
  readonly holder_id: string | null;
  /** Null: it was deleted. */
  readonly holder_name: string | null;
  readonly location: string;
  readonly held_from: Date;
  readonly held_until: Date | null;
}

interface Asked {
  /** An address, also one within a block. */
  readonly address: string;
  /** Only who had it at this time. */
  readonly at: Date | null;
  readonly limit: number;
}

/** The newest first. */
export async function readHoldings(db: Db, { address, at, limit }: Asked): Promise<Holding[]> {
  const { rows } = await sql<Holding>`
    select text(h.block) as block, h.account_id, a.name as account_name, h.address_id, h.kind, h.holder_id,
      r.name as holder_name, h.location, h.held_from, h.held_until
    from address_holdings h left join accounts a on a.id = h.account_id left join resources r on r.id = h.holder_id
    where h.block >>= ${address}::inet
      and (${at}::timestamptz is null or (h.held_from <= ${at}::timestamptz
        and (h.held_until is null or h.held_until > ${at}::timestamptz)))
    order by h.held_from desc, h.id desc limit ${limit}`.execute(db);
  return rows;
}

/** An address that an account holds, as far as a null route is concerned. */
export interface HeldAddress {
  readonly id: string;
  readonly account_id: string;
  readonly name: string;
  readonly block: string;
  readonly vm_id: string | null;
  readonly gateway_id: string | null;
  readonly routing: 'normal' | 'null_routed';
  readonly null_route_reason: string | null;
  readonly null_route_until: Date | null;
}

const held = sql`id, account_id, name, text(block) as block, vm_id, gateway_id, routing, null_route_reason, null_route_until`;

/** The block that contains the address, if an account holds it. */
export async function findHeld(db: Db, address: string): Promise<HeldAddress | undefined> {
  const { rows } = await sql<HeldAddress>`
    select ${held} from public_addresses where block >>= ${address}::inet and account_id is not null`.execute(
    db,
  );
  return rows[0];
}

export async function lockHeld(db: Db, id: string, accountId: string): Promise<HeldAddress | undefined> {
  const { rows } = await sql<HeldAddress>`
    select ${held} from public_addresses where id = ${id} and account_id = ${accountId} for update`.execute(
    db,
  );
  return rows[0];
}

/** An address whose traffic is dropped. The account is null if it was released meanwhile. */
export type NullRoutedAddress = Omit<HeldAddress, 'account_id'> & { readonly account_id: string | null };

/** Those whose traffic is dropped now. */
export async function listNullRouted(db: Db, limit: number): Promise<NullRoutedAddress[]> {
  const { rows } = await sql<NullRoutedAddress>`
    select ${held} from public_addresses
    where routing = 'null_routed' order by null_route_until, id limit ${limit}`.execute(db);
  return rows;
}

/** Of an address that was released: nobody has to be told. Undefined if its traffic is not dropped. */
export async function endReleased(db: Db, address: string): Promise<NullRoutedAddress | undefined> {
  const { rows } = await sql<NullRoutedAddress>`
    update public_addresses set routing = 'normal', null_route_reason = null, null_route_until = null,
      null_route_since = null, version = version + 1, updated_at = now()
    where block >>= ${address}::inet and account_id is null and routing = 'null_routed'
    returning ${held}`.execute(db);
  return rows[0];
}

export async function setNullRoute(
  db: Db,
  id: string,
  route: { readonly reason: string; readonly until: Date } | null,
): Promise<void> {
  await sql`
    update public_addresses set routing = ${route === null ? 'normal' : 'null_routed'},
      null_route_reason = ${route?.reason ?? null}, null_route_until = ${route?.until ?? null}::timestamptz,
      null_route_since = case when ${route === null} then null else coalesce(null_route_since, now()) end,
      version = version + 1, updated_at = now()
    where id = ${id}`.execute(db);
}

/** Whom to tell: the members who own or manage the account, and its contacts for abuse. */
export async function readRecipients(db: Db, accountId: string): Promise<{ email: string; name: string }[]> {
  const { rows } = await sql<{ email: string; name: string }>`
    select distinct on (lower(email)) email, name from (
      select coalesce(p.email, m.email) as email, m.name from members m left join people p on p.id = m.person_id
      where m.account_id = ${accountId} and m.role in ('owner', 'admin') and m.status = 'active'
      union all
      select contact as email, contact as name from accounts, jsonb_array_elements_text(contacts -> 'abuse') contact
      where id = ${accountId}) everybody
    order by lower(email), name`.execute(db);
  return rows;
}
