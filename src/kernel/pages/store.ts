/**
 * Keyset pagination: a page starts after the sort values of the last row, not at an offset. So every page costs the
 * same, and rows that are added meanwhile neither repeat nor hide other rows.
 */
import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Tables } from '../../store/database.ts';
import { canonicalJson } from '../audit/canonical-json.ts';
import type { Call } from '../call.ts';
import type { Selector, Term } from './label-selector.ts';

export interface SortKey {
  readonly column: RawBuilder<unknown>;
  /** The PostgreSQL type to which the text in the cursor is cast. */
  readonly type: 'text' | 'bigint' | 'timestamptz';
}

/** What all rows of a list belong to, for example the account. */
export interface Owner {
  readonly column: RawBuilder<unknown>;
  readonly id: string;
}

export interface PageOptions {
  /** The page selects the rows of this owner; the query must not compare the column with `=` itself. */
  readonly owner?: Owner;
  /** By the value of `sort` without its minus. */
  readonly sorts: Readonly<Record<string, SortKey>>;
  /** A unique column that breaks ties. It is not needed twice if it is the sort key itself. */
  readonly id: SortKey;
  readonly endpoint: string;
}

export interface Page<Row> {
  readonly rows: Row[];
  readonly nextCursor: string | null;
}

interface PagedQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly sort: string;
}

export async function readPage<TB extends keyof Tables, Row>(
  call: Pick<Call<unknown, PagedQuery>, 'query' | 'caller' | 'services'>,
  query: SelectQueryBuilder<Tables, TB, Row>,
  options: PageOptions,
): Promise<Page<Row>> {
  const { limit, cursor, sort, ...filters } = call.query;
  const descending = sort.startsWith('-');
  const sortKey = options.sorts[descending ? sort.slice(1) : sort];
  if (sortKey === undefined)
    throw new Error(`${options.endpoint} offers the sort ${sort} but does not know its column.`);
  const keys = sortKey === options.id ? [options.id] : [sortKey, options.id];
  const list = `${call.caller.account.id} ${options.endpoint} ${sort} ${canonicalJson(filters)}`;
  const direction = descending ? sql`desc` : sql`asc`;

  let paged = (options.owner === undefined ? query : ownedBy(query, options.owner, direction))
    .select(
      sql<string[]>`array[${sql.join(keys.map((key) => sql`${key.column}::text`))}]`.as('page_position'),
    )
    .orderBy(sql`${sql.join(keys.map((key) => sql`${key.column} ${direction}`))}`)
    .limit(limit + 1);
  if (cursor !== undefined) {
    const position = call.services.cursors.read(list, cursor, keys.length);
    const left = sql.join(keys.map((key) => key.column));
    const right = sql.join(keys.map((key, i) => sql`${position[i]}::${sql.raw(key.type)}`));
    paged = paged.where(sql<boolean>`(${left}) ${descending ? sql`<` : sql`>`} (${right})`);
  }
  const found = (await paged.execute()) as (Row & { page_position: string[] })[];
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  const nextCursor =
    found.length > limit && last !== undefined ? call.services.cursors.write(list, last.page_position) : null;
  return { rows, nextCursor };
}

/**
 * Sorts by the owner first, so that PostgreSQL has to use an index that begins with it. Sorted by the id alone, a small
 * list among large ones could be read from the primary key, through all rows of the others. `= any` instead of `=`,
 * because PostgreSQL drops a column that equals one value from the sort.
 */
function ownedBy<TB extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, TB, Row>,
  { column, id }: Owner,
  direction: RawBuilder<unknown>,
): SelectQueryBuilder<Tables, TB, Row> {
  return query.where(sql<boolean>`${column} = any(array[${id}::text])`).orderBy(sql`${column} ${direction}`);
}

export interface CreatedWithin {
  readonly created_after?: string | undefined;
  readonly created_before?: string | undefined;
}

/** The condition for the parameters of `dateFilters`. */
export function createdWithin(
  column: RawBuilder<unknown>,
  { created_after, created_before }: CreatedWithin,
): RawBuilder<boolean> {
  return sql`(${created_after ?? '-infinity'}::timestamptz <= ${column}
    and ${column} < ${created_before ?? 'infinity'}::timestamptz)`;
}

function termMatch(column: RawBuilder<unknown>, term: Term): RawBuilder<boolean> {
  switch (term.operator) {
    case 'equals':
      return sql`${column} @> ${JSON.stringify({ [term.key]: term.value })}::jsonb`;
    case 'differs':
      return sql`not ${column} @> ${JSON.stringify({ [term.key]: term.value })}::jsonb`;
    case 'in':
      return sql`coalesce(${column} ->> ${term.key} = any(${term.values}::text[]), false)`;
    case 'not_in':
      return sql`not coalesce(${column} ->> ${term.key} = any(${term.values}::text[]), false)`;
    case 'exists':
      return sql`${column} ? ${term.key}`;
    case 'absent':
      return sql`not ${column} ? ${term.key}`;
  }
}

export function labelsMatch(column: RawBuilder<unknown>, selector: Selector): RawBuilder<boolean> {
  const terms = selector.map((term) => termMatch(column, term));
  return sql`(${sql.join(terms, sql` and `)})`;
}
