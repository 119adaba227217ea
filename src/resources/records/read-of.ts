/** The record that reads one resource, derived from its view. */
import type { Call } from '../../kernel/call.ts';
import { referenceOf } from '../../kernel/named/named.ts';
import { Problem } from '../../kernel/problems/problem.ts';
import { type Endpoint, endpoint, ok } from '../../kernel/record.ts';
import type { Static, TObject } from '../../kernel/schema.ts';
import type { OwnedTableName } from '../owned/table.ts';
import type { Params, View } from './view.ts';
import { withArticle } from './words.ts';

interface ReadOptions<S extends TObject, Row> {
  readonly id: string;
  /** Left out: `Get a volume`. */
  readonly summary?: string;
  readonly description?: string;
  /** For parameters that are more than an id. */
  readonly params?: TObject;
  readonly example?: Static<S>;
  /** For resources that `Owned` cannot read. Undefined if there is no such resource. */
  read?(call: Call<Params>): Promise<Row | undefined>;
  /** Members that only this endpoint shows. */
  more?(row: Row): Partial<Static<S>>;
}

export function readOf<S extends TObject, Row, T extends OwnedTableName>(
  view: View<S, Row, T>,
  { id, summary, description, params, example = view.example, read, more }: ReadOptions<S, Row>,
): Endpoint {
  const { source, parent, one, param, reading } = view;

  async function find(call: Call<Params>): Promise<Row | undefined> {
    if (read !== undefined) return read(call);
    if (source.find === undefined) throw new Error(`${id} does not say how its row is read.`);
    const row = await source.find(call, referenceOf(call.params[param] ?? ''), reading);
    const columns = row as Readonly<Record<string, unknown>> | undefined;
    return parent === undefined || columns?.[parent.column] === call.params['id'] ? row : undefined;
  }

  return endpoint({
    id,
    method: 'GET',
    path: one.path,
    summary: summary ?? `Get ${withArticle(source.words)}`,
    ...(description === undefined ? {} : { description }),
    permission: view.permission('read'),
    access: 'read',
    resource: { name: source.type, role: 'read' },
    params: params ?? one.params,
    answers: { 200: view.schema },
    problems: [],
    example: { params: one.example, answer: { status: 200, body: example } },
    async handle(erased) {
      const call = erased as unknown as Call<Params>;
      const row = await find(call);
      if (row === undefined) throw new Problem('not_found');
      return ok({ ...(view.present(call, row) as object), ...more?.(row) } as never);
    },
  });
}
