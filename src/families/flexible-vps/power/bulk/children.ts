/** Starts the child operations of a bulk action. Each is accepted or refused like a separate call. */
import type { Start } from '../../../../kernel/operations/kind.ts';
import { endOperation, type Origin, startOperation } from '../../../../kernel/operations/operations.ts';
import type { OperationError } from '../../../../kernel/operations/schema.ts';
import { readOperation, type StoredOperation } from '../../../../kernel/operations/store.ts';
import { problems } from '../../../../kernel/problems/catalogue.ts';
import { Problem } from '../../../../kernel/problems/problem.ts';
import type { Services } from '../../../../kernel/services.ts';
import type { Tx } from '../../../../store/database.ts';
import { lockVmIfThere } from '../../vms/store.ts';
import type { VmRow } from '../../vms/table.ts';
import { beginAction, changeNothing, judge } from '../acceptance.ts';
import type { Action } from '../actions.ts';
import { type PowerInput, powerKinds } from '../kinds.ts';
import type { Target } from '../store.ts';

const STEP = 'spread';

function originOf(parent: StoredOperation): Origin {
  return {
    accountId: parent.account_id,
    actor: parent.actor,
    ...(parent.permission === null ? {} : { permission: parent.permission }),
    ...(parent.request_id === null ? {} : { requestId: parent.request_id }),
    parent: { id: parent.id, step: STEP, subjects: [] },
  };
}

const errorOf = ({ code, message }: Problem): OperationError => ({
  code,
  detail: message,
  retryable: problems[code].retryable ?? false,
});

type ChildStart = 'started' | { readonly row: VmRow } | { readonly refusal: Problem };

/** A refused action has written nothing, so the transaction can continue with the other machines. */
async function tryOne(
  tx: Tx,
  row: VmRow | undefined,
  action: Action,
  start: (start: Start<PowerInput>) => Promise<StoredOperation>,
): Promise<ChildStart> {
  if (row === undefined) return { refusal: new Problem('not_found') };
  try {
    if ((await judge(tx, row, action)) === 'unchanged') return { row };
    await beginAction(tx, row, action, start);
    return 'started';
  } catch (error) {
    if (error instanceof Problem) return { refusal: error };
    throw error;
  }
}

/** Creates a child that has already failed. It takes no place in the queue, and the machine does not change. */
async function startRefused(
  tx: Tx,
  { registry }: Services,
  start: Start<PowerInput>,
  origin: Origin,
  refusal: Problem,
): Promise<void> {
  const free = { ...start, kind: { ...start.kind, queue: 'free' as const } };
  const { id } = await startOperation(tx, registry, free, origin);
  const ending = { status: 'failed' as const, error: errorOf(refusal), result: null };
  await endOperation(tx, registry, id, ending, { attempt: 0 });
}

/**
 * Lock order: machine rows, then queues, then events. Transactions that lock in the same order cannot deadlock with
 * this one.
 */
export async function startChildren(
  tx: Tx,
  services: Services,
  parentId: string,
  action: Action,
  targets: readonly Target[],
): Promise<void> {
  const parent = await readOperation(tx, parentId);
  if (parent === undefined || targets.length === 0) return;
  const origin = originOf(parent);
  const start = (each: Start<PowerInput>): Promise<StoredOperation> =>
    startOperation(tx, services.registry, each, origin);
  const sorted = [...targets].sort((a, b) => (a.id < b.id ? -1 : 1));
  const rows = new Map<string, VmRow | undefined>();
  for (const { id } of sorted) rows.set(id, await lockVmIfThere(tx, parent.account_id, id));
  const starts: [Target, ChildStart][] = [];
  for (const target of sorted) starts.push([target, await tryOne(tx, rows.get(target.id), action, start)]);
  for (const [{ id, name }, result] of starts) {
    if (result === 'started') continue;
    if ('row' in result) await start(changeNothing(result.row, action));
    else {
      const { type, timeout_seconds, on_timeout } = action;
      const refused = {
        kind: powerKinds[type],
        input: { timeout_seconds, on_timeout },
        resource: { type: 'vm', id, name },
      };
      await startRefused(tx, services, refused, origin, result.refusal);
    }
  }
}
