import { sql } from 'kysely';
import type { Db } from '../database.ts';

/** Every create counts the pending resizes of the account, and the IPv4 addresses of its machines in a location. */
export async function up(db: Db): Promise<void> {
  await sql`
    create index operations_pending_resizes on operations (account_id)
    where type = 'vm.resize' and finished_at is null`.execute(db);
  await sql`
    create index public_addresses_of_machines on public_addresses (account_id, location)
    where kind = 'ephemeral' and family(block) = 4`.execute(db);
}
