import { sql } from 'kysely';
import type { PublicAddressRow } from '../../../resources/addresses/table.ts';
import type { Db } from '../../../store/database.ts';

/** The null routes whose time is over. */
export async function dueNullRoutes(db: Db, limit: number): Promise<readonly { readonly id: string }[]> {
  return db
    .selectFrom('public_addresses')
    .select('id')
    .where('routing', '=', 'null_routed')
    .where('null_route_until', '<=', sql<Date>`now()`)
    .orderBy('null_route_until')
    .limit(limit)
    .execute();
}

/** Undefined if its time is no longer over. The account is null if nobody holds the address any more. */
export async function endNullRoute(
  db: Db,
  id: string,
): Promise<(Omit<PublicAddressRow, 'account_id'> & { readonly account_id: string | null }) | undefined> {
  return db
    .updateTable('public_addresses')
    .set({
      routing: 'normal',
      null_route_reason: null,
      null_route_since: null,
      null_route_until: null,
      version: sql`version + 1`,
      updated_at: sql`now()`,
    })
    .where('id', '=', id)
    .where('routing', '=', 'null_routed')
    .where('null_route_until', '<=', sql<Date>`now()`)
    .returningAll()
    .executeTakeFirst();
}
