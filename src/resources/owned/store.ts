/**
 * The SQL that all owned resources share. The table is a type parameter, and Kysely cannot resolve the columns of such
 * a table, so the queries are typed with a stand-in table that has the common columns. The casts are safe because
 * `OwnedTableName`, `NewRow` and `RowChange` check the arguments of callers against the columns of the real table.
 */
import {
  type Insertable,
  type Kysely,
  type RawBuilder,
  type Selectable,
  type SelectQueryBuilder,
  sql,
  type Updateable,
} from 'kysely';
import { type ListCall, type ListedTable, readResources } from '../../kernel/listing/store.ts';
import type { Reference } from '../../kernel/named/named.ts';
import type { Page } from '../../kernel/pages/store.ts';
import { type PendingJson, pendingOperation } from '../../kernel/pending/store.ts';
import type { Db, Tables } from '../../store/database.ts';
import { insertRow } from '../../store/kept-text.ts';
import type {
  NewRow,
  OwnedColumns,
  OwnedTable,
  OwnedTableName,
  RowChange,
  RowOf,
  UnnamedColumns,
  Where,
} from './table.ts';

interface StandIn {
  owned: OwnedColumns;
}

const over = (db: Db): Kysely<StandIn> => db as unknown as Kysely<StandIn>;
const named = (table: OwnedTableName): 'owned' => table as unknown as 'owned';

interface CommonColumns extends Omit<Selectable<OwnedTable>, 'name'> {
  readonly name: string | null;
}

/** Returns only the common columns of a row. Without a column, the labels are empty, and the name is null. */
export function columnsOf<T extends OwnedTableName>(row: RowOf<T>): CommonColumns {
  const common = row as unknown as Selectable<UnnamedColumns> & Partial<Selectable<OwnedTable>>;
  const { id, account_id, name = null, labels = {}, version, created_at, updated_at } = common;
  return { id, account_id, name, labels, version, created_at, updated_at };
}

/** The new values of a change, typed like the row they are compared with. */
export const valuesOf = <T extends OwnedTableName>(change: RowChange<T>): Partial<RowOf<T>> =>
  change as unknown as Partial<RowOf<T>>;

export const newNameIn = <T extends OwnedTableName>(change: RowChange<T>): string | undefined =>
  (change as Updateable<OwnedColumns>).name;

/** Values that answers show beside the columns of the table. The query that reads the row computes them. */
export type Shown<S extends object> = { readonly [K in keyof S]: RawBuilder<S[K]> };

/** For resources that show only their columns, where `S` has no members. */
export const nothingShown = <S extends object>(): Shown<S> => ({}) as Shown<S>;

/** What a single read needs beside the values that all answers show. */
export interface Reading {
  /** Reads the operation that works on the resource as well, as `pending`. */
  readonly withOperation?: boolean;
  /** Values beside the columns, which other reads of the resource do not need. */
  readonly more?: Readonly<Record<string, RawBuilder<unknown>>>;
}

export interface Narrowing<T extends OwnedTableName> extends Reading {
  /** Columns and the value that each must have; undefined values are ignored. */
  readonly where?: Where<T>;
  readonly also?: readonly RawBuilder<boolean>[];
  /** Lists the parts of one other resource: the column with its id, and the id. */
  readonly parent?: { readonly column: string; readonly id: string };
}

export interface WithOperation {
  readonly pending?: PendingJson;
}

function selected(table: OwnedTableName, shown: object, { withOperation = false, more = {} }: Reading = {}) {
  const pending = withOperation ? { pending: pendingOperation(`${table}.id`) } : {};
  const all: Record<string, RawBuilder<unknown>> = { ...shown, ...more, ...pending };
  return Object.entries(all).map(([name, value]) => value.as(name));
}

/** Single rows by their id, for operation steps and for calls that work on other resources than their own. */
export function rowsOf<T extends OwnedTableName>(table: T) {
  type Row = Promise<RowOf<T> | undefined>;
  const byId = (db: Db, id: string) => over(db).selectFrom(named(table)).selectAll().where('id', '=', id);
  const own = (db: Db, accountId: string, id: string) => byId(db, id).where('account_id', '=', accountId);
  return {
    /** Without a check of the account, for operation steps. Undefined if the row was deleted. */
    read: (db: Db, id: string) => byId(db, id).executeTakeFirst() as unknown as Row,
    /** Undefined if the account has no such row. */
    find: (db: Db, accountId: string, id: string) =>
      own(db, accountId, id).executeTakeFirst() as unknown as Row,
    /** Like `find`: no other transaction changes or deletes the row until this one ends. */
    lock: (db: Db, accountId: string, id: string) =>
      own(db, accountId, id).forUpdate().executeTakeFirst() as unknown as Row,
    /** Like `find`: the row is not deleted until the transaction ends. */
    share: (db: Db, accountId: string, id: string) =>
      own(db, accountId, id).forShare().executeTakeFirst() as unknown as Row,
  };
}

const one = (db: Db, table: OwnedTableName, accountId: string, { by, value }: Reference) =>
  over(db).selectFrom(named(table)).where('account_id', '=', accountId).where(by, '=', value);

export async function findOwned<T extends OwnedTableName, S extends object>(
  db: Db,
  table: T,
  accountId: string,
  reference: Reference,
  shown: Shown<S>,
  reading: Reading = {},
): Promise<(RowOf<T> & S & WithOperation) | undefined> {
  const row = await one(db, table, accountId, reference)
    .selectAll()
    .select(selected(table, shown, reading))
    .executeTakeFirst();
  return row as (RowOf<T> & S & WithOperation) | undefined;
}

/**
 * Locks the row until the transaction ends. A second query reads the `shown` values, because a query that waited for a
 * lock sees other tables as they were before the wait.
 */
export async function lockOwned<T extends OwnedTableName, S extends object>(
  db: Db,
  table: T,
  accountId: string,
  reference: Reference,
  shown: Shown<S>,
): Promise<(RowOf<T> & S) | undefined> {
  const row = await one(db, table, accountId, reference).selectAll().forUpdate().executeTakeFirst();
  if (row === undefined || Object.keys(shown).length === 0) return row as (RowOf<T> & S) | undefined;
  return findOwned<T, S>(db, table, accountId, reference, shown);
}

/** Lists the rows of the account, or those of one parent in the account. */
export function listOwned<T extends OwnedTableName, S extends object>(
  call: ListCall,
  table: T,
  endpoint: string,
  { where = {}, also = [], parent, ...reading }: Narrowing<T>,
  shown: Shown<S>,
): Promise<Page<RowOf<T> & S & WithOperation>> {
  let query = over(call.db)
    .selectFrom(named(table))
    .selectAll()
    .select(selected(table, shown, reading));
  if (parent !== undefined) query = query.where('account_id', '=', call.caller.account.id);
  for (const [column, value] of Object.entries(where))
    if (value !== undefined) query = query.where(column as keyof OwnedColumns, '=', value as string);
  for (const condition of also) query = query.where(condition);
  type Query = SelectQueryBuilder<Tables, ListedTable, RowOf<T> & S & WithOperation>;
  const owner = parent && { column: sql.ref(`${table}.${parent.column}`), id: parent.id };
  return readResources(call, table as unknown as ListedTable, endpoint, query as unknown as Query, owner);
}

export async function findOwnedId(
  db: Db,
  table: OwnedTableName,
  accountId: string,
  name: string,
): Promise<string | undefined> {
  const row = await one(db, table, accountId, { by: 'name', value: name }).select('id').executeTakeFirst();
  return row?.id;
}

/** Returns undefined if the name is taken. Waits for a transaction that is inserting a row of this name. */
export async function insertOwned<T extends OwnedTableName>(
  db: Db,
  table: T,
  accountId: string,
  columns: NewRow<T> & { readonly id: string },
): Promise<RowOf<T> | undefined> {
  const values = { ...columns, account_id: accountId } as unknown as Insertable<Tables[T]>;
  const insert = insertRow<T>(table, values, 'on conflict do nothing returning *');
  const { rows } = await db.executeQuery(insert);
  return rows[0] as RowOf<T> | undefined;
}

/** Increments the version, so that the etag changes. Returns undefined if the row no longer exists. */
export async function updateOwned<T extends OwnedTableName>(
  db: Db,
  table: T,
  id: string,
  change: RowChange<T>,
): Promise<RowOf<T> | undefined> {
  const row = await over(db)
    .updateTable(named(table))
    .set({
      ...(change as Updateable<OwnedColumns>),
      version: sql<number>`version + 1`,
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  return row as RowOf<T> | undefined;
}

/** Returns undefined if the row was already deleted. */
export async function deleteOwned<T extends OwnedTableName>(
  db: Db,
  table: T,
  id: string,
): Promise<RowOf<T> | undefined> {
  const row = await over(db).deleteFrom(named(table)).where('id', '=', id).returningAll().executeTakeFirst();
  return row as RowOf<T> | undefined;
}
