import { sql } from 'kysely';
import type { Db } from '../database.ts';

/** Indexes for queries that read more rows the more an account has, to find a few of them. */
export async function up(db: Db): Promise<void> {
  // The allowlist shows what it would deny, among all denials of the account.
  await sql`
    create index key_denials_reported on key_denials (account_id)
    where cause = 'ip_restriction' and not enforced`.execute(db);
  // A create takes the address that the account has released first.
  await sql`drop index public_addresses_by_former_account`.execute(db);
  await sql`
    create index public_addresses_by_former_account
    on public_addresses (former_account_id, location, family(block), quarantined_until)
    where former_account_id is not null`.execute(db);
}
