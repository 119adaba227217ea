import { AsyncLocalStorage } from 'node:async_hooks';
import { sql } from 'kysely';
import type { World } from './world.ts';

export interface Row {
  readonly id: string;
  readonly status: string;
}

type OwnedRow = Row & { readonly account_id: string };

interface Reading {
  readonly worlds: readonly World[];
  readonly tables: Map<string, Promise<OwnedRow[]>>;
}
const together = new AsyncLocalStorage<Reading>();

/** Within `work`, `rowsIn` reads each table once for all these accounts. The rows must not change meanwhile. */
export const readTogether = <T>(worlds: readonly World[], work: () => Promise<T>): Promise<T> =>
  together.run({ worlds, tables: new Map() }, work);

async function read(worlds: readonly World[], table: string): Promise<OwnedRow[]> {
  const [first] = worlds;
  if (first === undefined) return [];
  const ids = worlds.map(({ account }) => account.id);
  const query = sql<OwnedRow>`
    select * from ${sql.table(table)} where account_id = any(${ids}::text[]) order by id`;
  return (await query.execute(first.app.services.db)).rows;
}

export async function rowsIn(world: World, table: string): Promise<Row[]> {
  const reading = together.getStore();
  if (!reading?.worlds.includes(world)) return read([world], table);
  const rows = reading.tables.get(table) ?? read(reading.worlds, table);
  reading.tables.set(table, rows);
  return (await rows).filter(({ account_id }) => account_id === world.account.id);
}
