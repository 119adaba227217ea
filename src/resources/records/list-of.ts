/** The record of a list, derived from the view of its resource. */
import type { RawBuilder } from 'kysely';
import type { Call } from '../../kernel/call.ts';
import { ResourceQuery } from '../../kernel/listing/query.ts';
import type { ListCall } from '../../kernel/listing/store.ts';
import { List } from '../../kernel/pages/list.ts';
import type { Page } from '../../kernel/pages/store.ts';
import { type Endpoint, endpoint, ok } from '../../kernel/record.ts';
import type { Static, TObject } from '../../kernel/schema.ts';
import type { OwnedTableName, Where } from '../owned/table.ts';
import { type Head, headOf } from './head.ts';
import type { Params, View } from './view.ts';

interface ListOptions<Q extends TObject, Row, T extends OwnedTableName> extends Head {
  /** Left out: the parameters that all resource lists have. */
  readonly query?: Q;
  readonly exampleQuery?: Partial<Static<Q>>;
  /** Columns and the value that each must have. Left out: the own parameters of `query`, which then name columns. */
  where?(call: Call<Params, Static<Q>>): Where<T> | Promise<Where<T>>;
  /** Further conditions, from the `store.ts` of the resource. */
  also?(query: Static<Q>, accountId: string): readonly RawBuilder<boolean>[];
  /** For resources whose page `Owned` cannot read. */
  read?(call: Call<Params, Static<Q>>): Promise<Page<Row>>;
}

const Common = ResourceQuery({});

export function listOf<S extends TObject, Row, T extends OwnedTableName, Q extends TObject = typeof Common>(
  view: View<S, Row, T>,
  { query, exampleQuery, where, also, read, ...head }: ListOptions<Q, Row, T>,
): Endpoint {
  const { source, parent, reading, example } = view;
  const { example: named, ...facts } = headOf(view, 'list', head);
  const { id } = facts;
  const Query = query ?? Common;
  const filters = Object.keys(Query.properties).filter((name) => !(name in Common.properties));
  const columnsIn = (values: object): Where<T> =>
    Object.fromEntries(Object.entries(values).filter(([name]) => filters.includes(name))) as Where<T>;

  async function readPage(call: Call<Params, Static<Q>>): Promise<Page<Row>> {
    if (read !== undefined) return read(call);
    if (source.list === undefined) throw new Error(`${id} does not say how its rows are read.`);
    const narrowed = {
      where: await (where?.(call) ?? columnsIn(call.query as object)),
      also: also?.(call.query, call.caller.account.id) ?? [],
      ...reading,
      ...(parent && { parent: { column: parent.column, id: call.params['id'] ?? '' } }),
    };
    return source.list(call as unknown as ListCall, id, narrowed);
  }

  return endpoint({
    ...facts,
    query: Query as TObject,
    answers: { 200: List(view.schema) },
    example: {
      ...named,
      ...(exampleQuery && { query: exampleQuery }),
      answer: { status: 200, body: { data: [example], next_cursor: null } },
    },
    async handle(erased) {
      // The pipeline has checked both against the schemas of this record.
      const call = erased as unknown as Call<Params, Static<Q>>;
      const { rows, nextCursor } = await readPage(call);
      // The list of an unknown parent is empty, too.
      if (rows.length === 0) await parent?.of.get(call, call.params['id'] ?? '');
      return ok({ data: rows.map((row) => view.present(call, row)) as never, next_cursor: nextCursor });
    },
  });
}
