import { type RawBuilder, sql } from 'kysely';
import '../store.ts';
import type { AddressSearch, AskedAddress } from './asked.ts';

/** Whether the address or range in the column is what was asked for. */
export function isAt(column: RawBuilder<unknown>, { start, block }: AskedAddress): RawBuilder<boolean> {
  const overlaps = block === null ? sql`false` : sql`${column} && ${block}::inet`;
  return sql<boolean>`(starts_with(host(${column}), ${start}) or ${overlaps})`;
}

/** A public address leads to itself and to the machine that has it. IPv6 addresses are held as networks. */
export const findPublicAddresses: AddressSearch = (accountId, asked) => sql`
  select unnest(array[a.id, a.vm_id]) as id from public_addresses a
  where a.account_id = ${accountId} and ${isAt(sql`a.block`, asked)}`;
