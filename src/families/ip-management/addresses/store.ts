import { type RawBuilder, sql } from 'kysely';
import { parseAddress } from '../../../kernel/net/address.ts';
import type { PublicAddressRow } from '../../../resources/addresses/table.ts';
import type { Db } from '../../../store/database.ts';

/** What has an address. */
export interface Holder {
  readonly type: 'vm' | 'vpn_gateway';
  readonly id: string;
  readonly name: string | null;
}

/** Amounts in millionths; JSON has them as numbers. Null: nothing is billed, or there is no entry in the inventory. */
export type Billed = { readonly hourly: number | null; readonly monthly: number | null } | null;

export interface AddressParts {
  readonly holder: Holder | null;
  readonly billed: Billed;
}

export type WholeAddress = PublicAddressRow & AddressParts;

const holder = sql<Holder | null>`(
  select json_build_object('type', case when public_addresses.vm_id is null then 'vpn_gateway' else 'vm' end,
    'id', h.id, 'name', (select r.name from resources r where r.id = h.id))
  from (select coalesce(public_addresses.vm_id, public_addresses.gateway_id) as id) h where h.id is not null)`;

const billed = sql<Billed>`(
  select json_build_object('hourly', r.price_hourly_micros, 'monthly', r.price_monthly_micros)
  from resources r where r.id = public_addresses.id)`;

/** What answers show beside the columns. */
export const addressParts = { holder, billed };

export async function readWhole(db: Db, id: string): Promise<WholeAddress | undefined> {
  return db
    .selectFrom('public_addresses')
    .selectAll()
    .select([holder.as('holder'), billed.as('billed')])
    .where('id', '=', id)
    .executeTakeFirst();
}

export const isOfVersion = (version: 4 | 6): RawBuilder<boolean> =>
  sql<boolean>`family(public_addresses.block) = ${version}`;

export const isAssignedTo = (id: string): RawBuilder<boolean> =>
  sql<boolean>`(public_addresses.vm_id = ${id} or public_addresses.gateway_id = ${id})`;

/** No address contains what is none. */
export function contains(text: string): RawBuilder<boolean> {
  const address = parseAddress(text)?.text;
  return address === undefined
    ? sql<boolean>`false`
    : sql<boolean>`public_addresses.block >>= ${address}::inet`;
}

/** The id of the address of the account that contains this one. */
export async function findIdAt(db: Db, accountId: string, text: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('public_addresses')
    .select('id')
    .where('account_id', '=', accountId)
    .where(contains(text))
    .executeTakeFirst();
  return row?.id;
}
