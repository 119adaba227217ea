/** Cancels operations: at once if no worker has started the operation, otherwise through its worker. */
import type { Db } from '../../store/database.ts';
import { keepIf } from '../../store/savepoint.ts';
import { ANOTHER_ROLE, type Caller, holds, isOwn, permissionsOf } from '../access/caller.ts';
import { allows, type Permission } from '../access/permissions.ts';
import { Problem } from '../problems/problem.ts';
import type { Registry } from '../registry.ts';
import { CANCELLED, endOperation } from './operations.ts';
import { hasEnded } from './schema.ts';
import { lockOperation, readOperation, requestCancel, type StoredOperation } from './store.ts';

type Started = Pick<StoredOperation, 'actor' | 'api_key_id' | 'permission' | 'status'>;

/** A caller may cancel operations that it started, and those that it has the permission to start. */
export function mayCancel(caller: Caller, row: Started): boolean {
  const { permission } = row;
  return isOwn(caller, row) || (permission !== null && holds(caller, permission as Permission));
}

export function requireRightToCancel(caller: Caller, row: Started): void {
  if (mayCancel(caller, row)) return;
  const needed = row.permission as Permission | null;
  if (needed === null) {
    throw new Problem('not_cancellable', {
      detail: 'This operation was not started by a call, so no call can cancel it.',
      extra: { operation_status: row.status },
    });
  }
  throw new Problem('permission_denied', {
    detail:
      caller.key === null
        ? `Somebody else started this operation. To cancel it, you need a role with the permission ${needed}.`
        : `Another key started this operation. To cancel it, your key needs the permission ${needed}.`,
    ...(caller.key === null ? { nextStep: ANOTHER_ROLE } : {}),
    extra: {
      required_permission: needed,
      denied_by: [allows(permissionsOf(caller), needed) ? 'role' : 'key'],
    },
    headers: { 'x-required-permission': needed },
  });
}

type Cancelled = 'ended' | 'asked' | 'as_wanted';

function refuseEnd(row: StoredOperation): void {
  if (row.cancellable && !hasEnded(row.status)) return;
  throw new Problem('not_cancellable', {
    detail: hasEnded(row.status)
      ? `The operation has already ended: ${row.status}.`
      : 'The operation can no longer be cancelled.',
    extra: { operation_status: row.status },
  });
}

/** A second request to cancel succeeds without effect. */
const isOnItsWay = ({ status }: StoredOperation): boolean =>
  status === 'cancelling' || status === 'cancelled';

async function askToStop(db: Db, id: string): Promise<Cancelled> {
  const row = await lockOperation(db, id);
  if (row === undefined) throw new Problem('not_found');
  if (isOnItsWay(row)) return 'as_wanted';
  refuseEnd(row);
  await requestCancel(db, id);
  return 'asked';
}

/**
 * An operation that no worker ever claimed has nothing to undo and is ended directly. This takes no row lock first,
 * because the lock order for ending is resource before operation. If a worker claimed it meanwhile, the worker is asked
 * to stop.
 */
export async function cancelOperation(db: Db, registry: Registry, id: string): Promise<Cancelled> {
  const row = await readOperation(db, id);
  if (row === undefined) throw new Problem('not_found');
  if (isOnItsWay(row)) return 'as_wanted';
  refuseEnd(row);
  const isUntouched = row.attempt === 0;
  if (isUntouched && (await keepIf(db, () => endOperation(db, registry, id, CANCELLED, { attempt: 0 }))))
    return 'ended';
  return askToStop(db, id);
}
