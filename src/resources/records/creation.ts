/** The record of a call that adds a resource and starts the operation which brings it into being. */
import type { Kind, Start } from '../../kernel/operations/kind.ts';
import type { Endpoint } from '../../kernel/record.ts';
import type { TObject, TSchema } from '../../kernel/schema.ts';
import type { Owned } from '../owned/owned.ts';
import type { OwnedTableName, RowOf } from '../owned/table.ts';
import type { View } from './view.ts';
import { type WriteCall, type WriteFacts, writeOf } from './write-of.ts';

/** The row that a call has added, and what the operation gets beside it. */
type Begun<Row, I> = Omit<Start<I>, 'kind' | 'resource' | 'isNew'> & {
  readonly row: Row;
  /** The columns that the finished resource is billed by. Left out: it is free. */
  readonly ready?: Partial<Row>;
};

interface CreationOptions<S extends TObject, Row, B extends TSchema, I> extends WriteFacts<S, TObject, B> {
  readonly kind: Kind<I>;
  /** Checks the request and adds the row. */
  begin(call: WriteCall<TObject, B>): Promise<Begun<NoInfer<Row>, I>>;
}

export function creationOf<
  S extends TObject,
  T extends OwnedTableName,
  Row extends RowOf<T> & { readonly id: string; readonly name: string; readonly status: string },
  B extends TSchema,
  I,
>(
  view: View<S, Row, T> & { readonly source: Pick<Owned<T, string>, 'reportCost' | 'ref'> },
  { begin, ...options }: CreationOptions<S, Row, B, I>,
): Endpoint {
  return writeOf<S, Row, T, TObject, B>(view, 'create', {
    ...options,
    kind: options.kind as unknown as Kind,
    async handle(call) {
      const { row, ready, ...start } = await begin(call);
      if (ready !== undefined) await view.source.reportCost(call, [row], ready, true);
      const { kind } = options;
      const operation = await call.start({ kind, ...start, resource: view.source.ref(row), isNew: true });
      return { row, operation };
    },
  });
}
