/** Adds rows to every table with an account column, for laws about lists and about access to other accounts. */
import { sql } from 'kysely';
import { fixtureOf, fixtures } from './fixtures.ts';
import { filledIn, noteFilled } from './walk.ts';
import type { World } from './world.ts';

const outerOf = (collection: string): string => collection.slice(0, Math.max(0, collection.indexOf('/{')));

/** Adds row number `i` to every collection whose fixture can add rows; `mark` is part of every name. */
export async function addRow(world: World, mark: string, i: number): Promise<void> {
  for (const { collection = '', addRow: add } of fixtures)
    await add?.(world, `${mark}-${i}`, i, filledIn(world, outerOf(collection)) ?? '');
}

/** Like `addRow`, but for one collection. */
export async function addRowTo(collection: string, world: World, name: string, i: number): Promise<void> {
  await fixtureOf(collection)?.addRow?.(world, name, i, filledIn(world, outerOf(collection)) ?? '');
}

export async function fill(world: World, count: number, mark: string): Promise<void> {
  for (const { collection = '', fillOnce } of fixtures) {
    const id = await fillOnce?.(world, mark);
    if (id !== undefined) noteFilled(world, collection, id);
  }
  for (let i = 1; i <= count; i++) await addRow(world, mark, i);
}

/** Every table whose rows belong to an account, except the tables of the Incus driver, which only the driver fills. */
export async function accountTables({ app }: World): Promise<string[]> {
  const { rows } = await sql<{ table_name: string }>`
    select table_name from information_schema.columns
    where table_schema = 'public' and column_name = 'account_id' and table_name not like 'incus\\_%'
    order by table_name`.execute(app.services.db);
  return rows.map(({ table_name }) => table_name);
}

export async function rowsOf({ app, account }: World, table: string): Promise<unknown[]> {
  const column = table === 'accounts' ? 'id' : 'account_id';
  const { rows } = await sql<{ row: unknown }>`
    select to_jsonb(t) as row from ${sql.table(table)} t where ${sql.ref(column)} = ${account.id}
    order by t::text`.execute(app.services.db);
  return rows.map(({ row }) => row);
}
