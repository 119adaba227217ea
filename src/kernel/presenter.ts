/**
 * Builds answers from their schema. A member with the name of a column shows the column, and times become text. `etag`
 * and `operation` are known as well. All other members are computed by the resource; one that is missing does not compile.
 */
import type { Call } from './call.ts';
import { etagOf } from './etag.ts';
import { presentOperation } from './operations/schema.ts';
import type { StoredOperation } from './operations/store.ts';
import { operationIn, type PendingJson } from './pending/store.ts';
import type { Static, TObject } from './schema.ts';

/** What members may be computed from, beside the row. */
export type Viewer = Pick<Call, 'services' | 'now'>;

/** A row as it is written into an answer. */
type Written<V> = V extends Date ? string : V;

/** Answers are only read, so a column may be a read-only array or object. */
type Unchanged<V> = V extends object ? { readonly [K in keyof V]: Unchanged<V[K]> } : V;

type Always = 'etag' | 'operation';

/** The members that a column with their name and type shows. */
type FromRow<A, Row> = {
  [K in keyof A & keyof Row]: Written<Row[K]> extends Unchanged<A[K]> ? K : never;
}[keyof A & keyof Row];

/** The members of an answer that neither the row nor this file knows. */
export type Computed<A, Row> = {
  readonly [K in keyof Omit<A, Always | FromRow<A, Row>>]: Unchanged<A[K & keyof A]>;
};

/** `operation` is the one that works on the resource. Left out: the one that was read with the row, if any. */
export type Present<A, Row> = (call: Viewer, row: Row, operation?: StoredOperation) => A;

export interface PresenterOptions<A, Row> {
  /** Left out: made of id and version. */
  etag?(row: Row): string;
  compute?(row: Row, call: Viewer): Computed<A, Row>;
}

const versionOf = ({ id, version }: { readonly id?: string; readonly version?: number }): string =>
  etagOf(id ?? '', version ?? 0);

/** `compute` may be left out if there is nothing to compute. */
export function presenter<S extends TObject, Row extends object>(
  schema: S,
  options: PresenterOptions<Static<S>, Row> &
    (Record<never, never> extends Computed<Static<S>, Row> ? unknown : { compute: unknown }),
): Present<Static<S>, Row> {
  const { etag = versionOf, compute } = options;
  const names = Object.keys(schema.properties);
  const hasEtag = names.includes('etag');
  const hasOperation = names.includes('operation');
  return (call, row, given) => {
    const columns = row as Readonly<Record<string, unknown>>;
    const shown: Record<string, unknown> = {};
    for (const name of names) {
      const value = columns[name];
      shown[name] = value instanceof Date ? value.toISOString() : value;
    }
    if (hasEtag) shown['etag'] = etag(row);
    if (hasOperation) {
      const operation = given ?? operationIn((columns['pending'] as PendingJson | undefined) ?? null);
      shown['operation'] =
        operation === undefined ? null : presentOperation(operation, call.services.baseUrl);
    }
    if (compute !== undefined) Object.assign(shown, compute(row, call));
    return shown as Static<S>;
  };
}
