import { sql } from 'kysely';
import type { Db } from '../database.ts';

/**
 * The index for counting the addresses of machines leaves out free and released ones. PostgreSQL took it for counting
 * the released ones, too, and read the addresses of all accounts.
 */
export async function up(db: Db): Promise<void> {
  await sql`drop index public_addresses_of_machines`.execute(db);
  await sql`
    create index public_addresses_of_machines on public_addresses (account_id, location)
    where account_id is not null and kind = 'ephemeral' and family(block) = 4`.execute(db);
}
