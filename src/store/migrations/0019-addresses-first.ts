import { sql } from 'kysely';
import type { Db } from '../database.ts';

/** A create takes the addresses before it inserts their interface, because the MAC depends on the address. */
export async function up(db: Db): Promise<void> {
  await sql`
    alter table public_addresses alter constraint public_addresses_interface_id_fkey
    deferrable initially deferred`.execute(db);
}
