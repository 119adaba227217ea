/** Deletions by operation. A call and a schedule start them in the same way. */

import type { Call } from '../../kernel/call.ts';
import { forGood } from '../../kernel/effect.ts';
import type { Lifecycle } from '../../kernel/lifecycle.ts';
import type { Ended, Kind } from '../../kernel/operations/kind.ts';
import { startOperation } from '../../kernel/operations/operations.ts';
import { pendingOn } from '../../kernel/operations/store.ts';
import type { ProblemCode } from '../../kernel/problems/catalogue.ts';
import { Problem } from '../../kernel/problems/problem.ts';
import type { Endpoint } from '../../kernel/record.ts';
import { OneOf, Shape, type Static, type TObject } from '../../kernel/schema.ts';
import type { Services } from '../../kernel/services.ts';
import type { Tx } from '../../store/database.ts';
import { transact } from '../../store/transaction.ts';
import type { Owned } from '../owned/owned.ts';
import type { OwnedTableName, RowChange, RowOf } from '../owned/table.ts';
import type { Head } from './head.ts';
import type { Params, View } from './view.ts';
import { writeOf } from './write-of.ts';

/** What a row needs so that its deletion can be an operation. */
export interface Deletable {
  readonly id: string;
  readonly account_id: string;
  readonly name: string;
  readonly status: string;
  readonly protected?: boolean;
}

/** The operation that deletes a resource. */
export interface Deletion<Row, I> {
  readonly kind: Kind<I>;
  input(row: Row): I;
  /** The queues that the operation joins, if it joins others than that of the resource. */
  subjects?(row: Row): readonly string[];
}

interface DeletionOptions<Row, S extends string, I> extends Deletion<Row, I>, Head {
  /** Beside those of every deletion by operation: protection, a wrong state, another operation. */
  readonly problems: readonly ProblemCode[];
  readonly life: Lifecycle<S>;
  /** If it depends on the row. Left out: what `Owned` says. */
  readonly loss?: (row: Row) => string;
  /** Billed until it is gone. `false`: only until the call. */
  readonly keepsPrice?: boolean;
  /** Locks the row and checks If-Match. Left out: `Owned` takes it. */
  take?(call: Call<Params>): Promise<Row>;
  /** Throws a problem if the resource cannot be deleted now, for example because it is in use. */
  check?(call: Call<Params>, row: Row): Promise<void>;
}

const PROTECTED = ['resource_protected'] as const;
const DELETING: unknown = { status: 'deleting' };

/** The record that deletes a resource by operation. A second deletion follows the first. */
export function deletionOf<
  A extends TObject,
  T extends OwnedTableName,
  Row extends RowOf<T> & Deletable,
  S extends string,
  I,
>(
  view: View<A, Row, T> & {
    readonly source: Pick<Owned<T, string>, 'take' | 'change' | 'reportCost' | 'ref' | 'loss'>;
  },
  options: DeletionOptions<Row, S, I>,
): Endpoint {
  const { source, param } = view;
  const { id, problems, life, loss, kind, check, keepsPrice = true } = options;
  const isProtectable = view.schema.properties['protection'] !== undefined;
  const take =
    options.take ??
    (async (call: Call<Params>) => (await source.take(call, call.params[param] ?? '')) as unknown as Row);

  return writeOf(view, 'delete', {
    ...(options as Head),
    problems: [...(isProtectable ? PROTECTED : []), 'invalid_state', 'operation_in_progress', ...problems],
    kind: kind as unknown as Kind,
    async handle(erased) {
      const call = erased as Call<Params>;
      const before = await take(call);
      const pending = (await pendingOn(call.db, [before.id])).get(before.id);
      if (pending?.type === kind.type) {
        call.follow(pending);
        call.effect({ action: 'none', ...source.ref(before) });
        return { row: before, operation: pending };
      }
      if (before.protected === true) throw new Problem('resource_protected');
      life.require(id, before.status as S, { operation: pending });
      await check?.(call, before);
      await source.reportCost(call, [before], null);
      const change = DELETING as RowChange<T>;
      const changed = await source.change(call.db, before.id, change, keepsPrice ? { keepsPrice } : {});
      const operation = await call.start(startOf(source, options, before));
      const lost = loss === undefined ? source.loss : forGood(loss(before));
      call.effect({ action: 'delete', ...source.ref(before), loss: lost });
      return { row: { ...before, ...changed }, operation };
    },
  });
}

const startOf = <Row extends Deletable, I>(
  source: { ref(row: Row): { type: string; id: string; name: string } },
  { kind, input, subjects }: Deletion<Row, I>,
  row: Row,
) => ({
  kind,
  input: input(row),
  resource: source.ref(row),
  ...(subjects && { subjects: subjects(row) }),
});

/** For schedules: starts the deletion of each row that is due. `lock` returns undefined if it cannot be deleted now. */
export async function deleteDue<T extends OwnedTableName, Row extends RowOf<T> & Deletable, I, D>(
  { db, registry }: Services,
  source: Pick<Owned<T, string>, 'change' | 'ref'>,
  deletion: Deletion<Row, I>,
  due: readonly D[],
  lock: (tx: Tx, due: D) => Promise<Row | undefined>,
): Promise<void> {
  for (const each of due) {
    try {
      await transact(db, async (tx) => {
        const row = await lock(tx, each);
        if (row === undefined || (row.status !== 'available' && row.status !== 'failed')) return;
        await source.change(tx, row.id, DELETING as RowChange<T>, { keepsPrice: true });
        await startOperation(tx, registry, startOf(source, deletion, row), { accountId: row.account_id });
      });
    } catch (error) {
      // The queue that the operation joins is full, for example: the next run tries again.
      if (!(error instanceof Problem)) throw error;
    }
  }
}

/** The input of deletions that end as if they had not begun if they fail: the status before. */
export const StatusBefore = Shape({ was: OneOf(['available', 'failed']) });
export type StatusBefore = Static<typeof StatusBefore>;

export const statusBefore = (row: { readonly failed_at: Date | null }): StatusBefore => ({
  was: row.failed_at === null ? 'available' : 'failed',
});

/** The `settle` of such a deletion. */
export const takeBack =
  <T extends OwnedTableName>(source: Pick<Owned<T, string>, 'change'>) =>
  async (tx: Tx, { status, resourceId }: Ended, { was }: StatusBefore): Promise<undefined> => {
    const change = { status: was } as unknown as RowChange<T>;
    if (status !== 'succeeded') await source.change(tx, resourceId, change, { keepsPrice: true });
  };
