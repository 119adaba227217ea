import { sql } from 'kysely';
import type { Db } from '../../store/database.ts';

/** Sets `provisioned_at` of a resource, unless an earlier operation did. The operation has written a new version. */
export async function markProvisioned(db: Db, table: string, id: string, now: Date | null): Promise<void> {
  await sql`
    update ${sql.table(table)} set provisioned_at = coalesce(${now}::timestamptz, now())
    where id = ${id} and provisioned_at is null`.execute(db);
}
