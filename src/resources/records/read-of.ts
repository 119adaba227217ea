/** The record that reads one resource, derived from its view. */
import type { Call } from '../../kernel/call.ts';
import { Problem } from '../../kernel/problems/problem.ts';
import { type Endpoint, endpoint, ok } from '../../kernel/record.ts';
import type { Static, TObject } from '../../kernel/schema.ts';
import type { OwnedTableName } from '../owned/table.ts';
import { type Head, headOf } from './head.ts';
import type { Params, Selected, View } from './view.ts';

interface ReadOptions<S extends TObject, Row, R extends object> extends Omit<Head, 'problems'> {
  readonly example?: Static<S>;
  /** For resources that `Owned` cannot read. Undefined if there is no such resource. */
  read?(call: Call<Params>): Promise<Row | undefined>;
  /** Members that only this endpoint shows, and the values that only it selects for them. */
  more?(row: Row & R): Partial<Static<S>>;
  readonly reads?: Selected<R>;
}

export function readOf<S extends TObject, Row, T extends OwnedTableName, R extends object = object>(
  view: View<S, Row, T>,
  { example = view.example, read, more, reads, ...head }: ReadOptions<S, Row, R>,
): Endpoint {
  const { parent, param } = view;

  async function find(call: Call<Params>): Promise<Row | undefined> {
    if (read !== undefined) return read(call);
    const row = await view.find(call, call.params[param] ?? '', reads);
    const columns = row as Readonly<Record<string, unknown>> | undefined;
    return parent === undefined || columns?.[parent.column] === call.params['id'] ? row : undefined;
  }

  const { example: named, ...facts } = headOf(view, 'read', head);
  return endpoint({
    ...facts,
    answers: { 200: view.schema },
    example: { ...named, answer: { status: 200, body: example } },
    async handle(erased) {
      const call = erased as unknown as Call<Params>;
      const row = await find(call);
      if (row === undefined) throw new Problem('not_found');
      return ok({ ...(view.present(call, row) as object), ...more?.(row as Row & R) } as never);
    },
  });
}
