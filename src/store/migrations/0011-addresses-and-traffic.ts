import { sql } from 'kysely';
import type { Db } from '../database.ts';

/**
 * Addresses in quarantine remember their former account, which may have them back at once. Every read of a machine
 * looks for the addresses of its interfaces, and every removal of a member for its webhooks. The
 * traffic of machines is added up month by month.
 */
export async function up(db: Db): Promise<void> {
  await sql`
    alter table public_addresses
      add column former_account_id text collate "C" references accounts on delete set null,
      add check (former_account_id is null or account_id is null)`.execute(db);
  await sql`
    create index public_addresses_by_former_account on public_addresses (former_account_id, location)
    where former_account_id is not null`.execute(db);
  await sql`drop index public_addresses_free`.execute(db);
  await sql`
    create index public_addresses_free on public_addresses (location, family(block), quarantined_until)
    where account_id is null`.execute(db);
  await sql`
    create index public_addresses_by_interface on public_addresses (interface_id)
    where interface_id is not null`.execute(db);
  await sql`create index webhooks_by_owner on webhooks (owner_id)`.execute(db);
  await sql`
    create table vm_traffic (
      vm_id text collate "C" primary key references vms on delete cascade,
      -- The month of the bytes.
      period_start timestamptz not null,
      in_bytes bigint not null,
      out_bytes bigint not null
    )`.execute(db);
  await sql`
    create table vm_traffic_counted (
      location text collate "C" primary key,
      counted_until timestamptz not null
    )`.execute(db);
}
