import { sql } from 'kysely';
import type { Db } from '../database.ts';

/** Addresses that keys were used from: an IPv4 address, or the /64 prefix of an IPv6 address. */
export async function up(db: Db): Promise<void> {
  await sql`
    create table key_addresses (
      key_id text collate "C" not null references api_keys on delete cascade,
      network text collate "C" not null,
      last_used_at timestamptz not null,
      primary key (key_id, network)
    )`.execute(db);
  await sql`create index key_addresses_last_used_at on key_addresses (last_used_at)`.execute(db);
  await sql`
    insert into key_addresses (key_id, network, last_used_at)
    select id, case when position(':' in last_used_ip) = 0 then last_used_ip
        else host(network(set_masklen(last_used_ip::inet, 64))) || '/64' end, last_used_at
    from api_keys where last_used_ip is not null`.execute(db);
}
