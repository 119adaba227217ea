import { type Generated, sql } from 'kysely';
import type { Ref } from '../../../../engines/compute/port.ts';
import type { Db, Tx } from '../../../../store/database.ts';

declare module '../../../../store/database.ts' {
  interface Tables {
    vm_strays: StraysTable;
    volume_strays: StraysTable;
    vpn_gateway_strays: StraysTable;
    iso_strays: StraysTable;
  }
}

interface StraysTable {
  location: string;
  project: string;
  id: string;
  first_seen_at: Generated<Date>;
}

/** One table for each kind of thing that an engine can have and nobody owns. */
export type StrayTable = 'vm_strays' | 'volume_strays' | 'vpn_gateway_strays' | 'iso_strays';

export async function readStrays(db: Db, table: StrayTable, location: string): Promise<Ref[]> {
  return db.selectFrom(table).select(['project as account', 'id']).where('location', '=', location).execute();
}

export async function countStrays(
  db: Db,
  table: StrayTable,
): Promise<{ location: string; count: number; example: string }[]> {
  return db
    .selectFrom(table)
    .select(['location', sql<number>`count(*)`.as('count'), sql<string>`min(id)`.as('example')])
    .groupBy('location')
    .orderBy('location')
    .execute();
}

/** Replaces the stored strays of the location. Returns those that were not stored before. */
export async function replaceStrays(
  tx: Tx,
  table: StrayTable,
  location: string,
  strays: readonly Ref[],
): Promise<Ref[]> {
  const projects = strays.map(({ account }) => account);
  const ids = strays.map(({ id }) => id);
  await sql`
    delete from ${sql.table(table)} where location = ${location} and (project, id) not in (
      select * from unnest(${projects}::text[], ${ids}::text[]))`.execute(tx);
  const { rows } = await sql<Ref>`
    insert into ${sql.table(table)} (location, project, id)
    select ${location}, * from unnest(${projects}::text[], ${ids}::text[])
    on conflict do nothing returning project as account, id`.execute(tx);
  return rows;
}
