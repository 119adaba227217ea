/** Adds rows to every table with an account column, for laws about lists and about access to other accounts. */
import { sql } from 'kysely';
import type { Endpoint } from '../kernel/record.ts';
import type { Db } from '../store/database.ts';
import type { Fixture } from './fixture.ts';
import { fixtures } from './fixtures.ts';
import {
  bodyOf,
  endpoints,
  filledIn,
  isFillable,
  makeOne,
  noteFilled,
  noteUnfillable,
  paramNames,
  urlOf,
} from './walk.ts';
import type { World } from './world.ts';

const outerOf = (collection: string): string => collection.slice(0, Math.max(0, collection.indexOf('/{')));

type AddRow = NonNullable<Fixture['addRow']>;

/**
 * Adds a row to a collection whose create endpoint answers at once: with the body of its example and this name, which is a
 * label or a text of resources that have no name.
 */
const byEndpoint =
  (creator: Endpoint): AddRow =>
  async ({ app, key }, name, _, parent) => {
    const payload = bodyOf(creator, name) as object;
    const [outer] = paramNames(creator);
    const url = urlOf(creator, outer === undefined ? {} : { [outer]: parent });
    const answer = await app.call({ method: 'POST', url, payload, key: key.key });
    if (answer.statusCode !== 201) throw new Error(`${creator.id} ${answer.statusCode}: ${answer.body}`);
  };

const adders = new Map<string, AddRow>();
for (const { path, resource, answers } of endpoints) {
  const creator = endpoints.find((record) => record.path === path && record.resource.role === 'create');
  const isPlain = creator !== undefined && 201 in creator.answers && paramNames(creator).length <= 1;
  if (resource.role === 'list' && 200 in answers && isPlain) adders.set(path, byEndpoint(creator));
}
for (const { collection, addRow } of fixtures)
  if (collection !== undefined && addRow !== undefined) adders.set(collection, addRow);

/** Whether rows can be added to this collection alone. */
export const hasOwnRows = (collection: string): boolean => adders.has(collection);

/** Adds one row to this collection; `i` is its number. */
export async function addRowTo(collection: string, world: World, name: string, i: number): Promise<void> {
  await adders.get(collection)?.(world, name, i, filledIn(world, outerOf(collection)) ?? '');
}

/** Adds rows to this collection of one parent. */
export async function addRowsTo(
  collection: string,
  world: World,
  parent: string,
  count: number,
): Promise<void> {
  const add = adders.get(collection);
  if (add === undefined) throw new Error(`The fixture of ${collection} needs \`addRow\`.`);
  for (let i = 1; i <= count; i++) await add(world, `more-${i}`, FIRST + i, parent);
}

/** The number of the first added row: the parent has fewer rows of its own. */
const FIRST = 1000;

/** Adds row number `i` of everything an account can have many of; `mark` is in every name. */
export async function addRow(world: World, mark: string, i: number): Promise<void> {
  for (const collection of adders.keys())
    await unlessUnfillable(world, collection, () => addRowTo(collection, world, `${mark}-${i}`, i));
}

/** A collection that cannot be filled fails the tests that read it, and no others. */
async function unlessUnfillable(world: World, collection: string, add: () => Promise<void>): Promise<void> {
  if (!isFillable(world, collection)) return;
  try {
    await add();
  } catch (error) {
    noteUnfillable(world, collection, error);
  }
}

/** Adds the resource whose sub-collections get rows, unless a fixture has added one. */
async function makeParent(world: World, collection: string): Promise<void> {
  const outer = outerOf(collection);
  if (outer === '' || filledIn(world, outer) !== undefined) return;
  noteFilled(world, outer, await makeOne(outer, {}, world));
}

export async function fill(world: World, count: number, mark: string): Promise<void> {
  for (const { collection, fillOnce } of fixtures)
    if (collection === undefined) await fillOnce?.(world, mark);
    else
      await unlessUnfillable(world, collection, async () => {
        const id = await fillOnce?.(world, mark);
        if (id !== undefined) noteFilled(world, collection, id);
      });
  for (const collection of adders.keys())
    await unlessUnfillable(world, collection, () => makeParent(world, collection));
  for (let i = 1; i <= count; i++) await addRow(world, mark, i);
}

const named = new WeakMap<World['app'], Promise<string[]>>();

/** Every table whose rows belong to an account, except the tables of the Incus driver, which only the driver fills. */
export function accountTables({ app }: World): Promise<string[]> {
  const known = named.get(app) ?? readTables(app.services.db);
  named.set(app, known);
  return known;
}

async function readTables(db: Db): Promise<string[]> {
  const { rows } = await sql<{ table_name: string }>`
    select table_name from information_schema.columns
    where table_schema = 'public' and column_name = 'account_id' and table_name not like 'incus\\_%'
    order by table_name`.execute(db);
  return rows.map(({ table_name }) => table_name);
}

const columnOf = (table: string): string => (table === 'accounts' ? 'id' : 'account_id');

export async function rowsOf({ app, account }: World, table: string): Promise<unknown[]> {
  const { rows } = await sql<{ row: unknown }>`
    select to_jsonb(t) as row from ${sql.table(table)} t where ${sql.ref(columnOf(table))} = ${account.id}
    order by t::text`.execute(app.services.db);
  return rows.map(({ row }) => row);
}

/** The rows of the account in each of these tables, or only those that contain a text. One statement reads them all. */
export async function allRowsOf(
  { app, account }: World,
  tables: readonly string[],
  text = '',
): Promise<[table: string, rows: unknown[]][]> {
  const parts = tables.map(
    (table) => sql`(
      select ${sql.lit(table)} as name, coalesce(jsonb_agg(to_jsonb(t) order by t::text), '[]') as rows
      from ${sql.table(table)} t
      where ${sql.ref(columnOf(table))} = ${account.id} and position(${text} in t::text) > 0)`,
  );
  const { rows } = await sql<{ name: string; rows: unknown[] }>`${sql.join(parts, sql` union all `)}`.execute(
    app.services.db,
  );
  return rows.map(({ name, rows: found }) => [name, found]);
}
