/** Checks for calls that use a snapshot as a source, and for calls that delete snapshots as a side effect. */
import type { Call } from '../../../kernel/call.ts';
import { pendingOn } from '../../../kernel/operations/store.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { snapshotLife } from './lifecycle.ts';
import { refuseInUse } from './removal.ts';
import { snapshots } from './resource.ts';
import type { SnapshotRow } from './table.ts';

const RETRY_SECONDS = 5;

/** Throws 409 unless the snapshot is `available`, so that a machine or image can be created from it. */
export async function requireAvailable({ db }: Pick<Call, 'db'>, row: SnapshotRow): Promise<void> {
  if (row.status === 'available') return;
  const operation = (await pendingOn(db, [row.id])).get(row.id);
  const isUnderWay = (snapshotLife.transitional as readonly string[]).includes(row.status);
  if (isUnderWay && operation !== undefined)
    throw new Problem('operation_in_progress', {
      detail: `The snapshot is ${row.status}.`,
      extra: { operation_id: operation.id },
      retryAfterSeconds: RETRY_SECONDS,
    });
  throw new Problem('invalid_state', {
    detail: `The snapshot is ${row.status}. It has to be available.`,
    extra: { current_state: row.status, allowed_states: ['available'] },
  });
}

type Threatened = Pick<SnapshotRow, 'id' | 'status'>;

const countOf = (rows: readonly Threatened[]): string =>
  rows.length === 1 ? 'One snapshot' : `${rows.length} snapshots`;

export interface Destruction {
  /** Whether the caller set the parameter that allows the snapshots to be deleted. */
  readonly isMeant: boolean;
  readonly code: 'newer_snapshots_exist' | 'vm_has_snapshots';
  /** The problem detail: which snapshots block the call, and which parameter allows their deletion. */
  readonly detail: (count: string) => string;
}

/** Throws unless the caller allowed these snapshots to be deleted. Failed snapshots need no permission. */
export function requireMeant(rows: readonly Threatened[], { isMeant, code, detail }: Destruction): void {
  const precious = rows.filter(({ status }) => status !== 'failed');
  if (precious.length === 0 || isMeant) return;
  throw new Problem(code, {
    detail: detail(countOf(precious)),
    extra: { snapshot_ids: precious.map(({ id }) => id) },
  });
}

/**
 * Checks, before the call changes anything, that these snapshots may be deleted with it, and reports their deletion as
 * effects. Throws `code` if the caller did not allow it, and 409 if a snapshot is in use. Failed snapshots need no
 * permission, but they are deleted as well, because the engine may still hold data of them. Returns the ids to delete,
 * newest first.
 */
export async function acceptLossOfSnapshots(
  call: Pick<Call, 'db' | 'caller' | 'services' | 'now' | 'effect' | 'cost'>,
  rows: readonly SnapshotRow[],
  destruction: Destruction,
): Promise<string[]> {
  requireMeant(rows, destruction);
  await refuseInUse(
    call,
    rows.map(({ id }) => id),
  );
  const newestFirst = rows.toReversed();
  for (const row of newestFirst)
    call.effect({ action: 'delete', ...snapshots.ref(row), loss: snapshots.loss });
  await snapshots.reportCost(call, newestFirst, null);
  return newestFirst.map(({ id }) => id);
}
