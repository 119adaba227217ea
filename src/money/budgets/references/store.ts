import { sql } from 'kysely';
import type { Db } from '../../../store/database.ts';
import '../../../kernel/access/tables.ts';

export async function readCurrency(db: Db, accountId: string): Promise<string> {
  const { currency } = await db
    .selectFrom('accounts')
    .select('currency')
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow();
  return currency;
}

/** The given keys of the account, the keys that they replaced and their replacements. */
export async function findLineages(db: Db, accountId: string, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    select id from api_keys where account_id = ${accountId} and lineage in (
      select lineage from api_keys where account_id = ${accountId} and id = any(${ids}::text[]))
    order by id`.execute(db);
  return rows.map(({ id }) => id);
}

/**
 * Returns, in lower case, the given addresses that belong to a contact of the account or to a member who
 * accepted the invitation.
 */
export async function findKnownAddresses(
  db: Db,
  accountId: string,
  addresses: readonly string[],
): Promise<ReadonlySet<string>> {
  if (addresses.length === 0) return new Set();
  const { rows } = await sql<{ address: string }>`
    select lower(email) as address from members where account_id = ${accountId} and status <> 'invited'
    union
    select lower(contact.address) from accounts a
      cross join lateral jsonb_each(a.contacts) kind
      cross join lateral jsonb_array_elements_text(kind.value) contact(address)
      where a.id = ${accountId}`.execute(db);
  const wanted = new Set(addresses.map((address) => address.toLowerCase()));
  return new Set(rows.map(({ address }) => address).filter((address) => wanted.has(address)));
}
