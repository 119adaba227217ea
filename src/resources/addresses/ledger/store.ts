/** Who held an address at which time. Triggers write it; see the migration 0052. */
import { type Generated, sql } from 'kysely';
import type { Db } from '../../../store/database.ts';

interface AddressHoldingsTable {
  id: Generated<number>;
  address_id: string;
  block: string;
  location: string;
  kind: string;
  account_id: string;
  holder_id: string | null;
  held_from: Date;
  held_until: Date | null;
}

declare module '../../../store/database.ts' {
  interface Tables {
    address_holdings: AddressHoldingsTable;
  }
}

/** How long is kept who had an address, after it lost it. */
export const HOLDINGS_KEPT = '1 year';

/** Deletes what is older, at most so many at once. Returns how many were deleted. */
export async function deleteOldHoldings(db: Db, most: number): Promise<number> {
  const { rows } = await sql`
    delete from address_holdings where id in (
      select id from address_holdings where held_until < now() - ${HOLDINGS_KEPT}::interval
      order by held_until limit ${most})
    returning id`.execute(db);
  return rows.length;
}
