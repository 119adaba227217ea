import { sql } from 'kysely';
import type { Db } from '../../../store/database.ts';
import type { NetworkRow } from '../tables.ts';
import { usableRange } from './addresses.ts';

/** Whoever attaches to it or takes it down holds it: what one finds in it is then what the other leaves. */
export async function lockNetwork(db: Db, accountId: string, id: string): Promise<NetworkRow | undefined> {
  return db
    .selectFrom('vps_networks')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .forUpdate()
    .executeTakeFirst();
}

/** The lowest IPv4 address that nobody has; null when all are taken. Holds the network until the commit. */
export async function pickFreeAddress(
  db: Db,
  { id, account_id, ipv4_cidr }: Pick<NetworkRow, 'id' | 'account_id' | 'ipv4_cidr'>,
): Promise<string | null> {
  await lockNetwork(db, account_id, id);
  const { first, last } = usableRange(ipv4_cidr);
  // The lowest free one is the first of all, or follows one that is taken.
  const { rows } = await sql<{ address: string | null }>`
    select host(min(address)) as address from (
      select ${first}::inet as address
      union all
      select address + 1 from network_addresses where network_id = ${id} and family(address) = 4) candidates
    where address between ${first}::inet and ${last}::inet and not exists (
      select from network_addresses taken where taken.network_id = ${id} and taken.address = candidates.address)`.execute(
    db,
  );
  return rows[0]?.address ?? null;
}
