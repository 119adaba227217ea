/**
 * Statements whose text is written once and used again. Building and compiling a statement takes Kysely longer than
 * everything else that this process does for it, so the statements of the busiest writes are written like this.
 */
import {
  CompiledQuery,
  createQueryId,
  type Insertable,
  PostgresQueryCompiler,
  type RawBuilder,
  type RootOperationNode,
  type Selectable,
  sql,
} from 'kysely';
import type { Tables } from './database.ts';

const texts = new Map<string, string>();

/** The text for a key, which consists of names in the code and nothing from requests: texts are never forgotten. */
export function textOf(key: string, write: () => string): string {
  const known = texts.get(key) ?? write();
  texts.set(key, known);
  return known;
}

export const statement = <R>(text: string, values: readonly unknown[]): CompiledQuery<R> =>
  CompiledQuery.raw(text, [...values]) as CompiledQuery<R>;

/** A part of statements that holds no values, compiled now instead of with each of the statements. */
export function compiled<R>(part: RawBuilder<R>): RawBuilder<R> {
  const node = part.toOperationNode() as RootOperationNode;
  const { sql: text, parameters } = new PostgresQueryCompiler().compileQuery(node, createQueryId());
  if (parameters.length > 0) throw new Error(`A part with values cannot be compiled alone: ${text}`);
  return sql.raw(text);
}

/** `("a", "b")` */
export const columnList = (columns: readonly string[]): string =>
  columns.map((column) => `"${column}"`).join(', ');

/** `$1, $2` */
export const placeList = (columns: readonly string[]): string =>
  columns.map((_, i) => `$${i + 1}`).join(', ');

/** Inserts one row of plain values. */
export function insertRow<T extends keyof Tables & string>(
  table: T,
  row: Insertable<Tables[T]>,
  ending: '' | 'returning *' | 'on conflict do nothing returning *' = '',
): CompiledQuery<Selectable<Tables[T]>> {
  const columns = Object.keys(row);
  const text = textOf(
    ['insert', table, ending, ...columns].join(' '),
    () => `insert into "${table}" (${columnList(columns)}) values (${placeList(columns)}) ${ending}`,
  );
  return statement(text, Object.values(row));
}
