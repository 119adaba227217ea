/** Stopping what somebody no longer wants: at once where nothing has begun, through its worker where something has. */
import type { Db } from '../../store/database.ts';
import { keepIf } from '../../store/savepoint.ts';
import { type Caller, holds } from '../access/caller.ts';
import { allows, type Permission } from '../access/permissions.ts';
import { Problem } from '../problems/problem.ts';
import type { Registry } from '../registry.ts';
import { CANCELLED, endOperation } from './operations.ts';
import { hasEnded } from './schema.ts';
import { lockOperation, readOperation, requestCancel, type StoredOperation } from './store.ts';

/** Whoever started it, and whoever could have. */
export function requireRightToCancel(
  caller: Caller,
  row: Pick<StoredOperation, 'api_key_id' | 'permission' | 'status'>,
): void {
  if (row.api_key_id === caller.key.id) return;
  const needed = row.permission as Permission | null;
  if (needed === null) {
    throw new Problem('not_cancellable', {
      detail: 'No call started it, so no call stops it.',
      extra: { operation_status: row.status },
    });
  }
  if (holds(caller, needed)) return;
  throw new Problem('permission_denied', {
    detail: `Another key started it with ${needed}, which this key needs as well to stop it.`,
    extra: {
      required_permission: needed,
      denied_by: [allows(caller.key.permissions, needed) ? 'role' : 'key'],
    },
    headers: { 'x-required-permission': needed },
  });
}

type Cancelled = 'ended' | 'asked' | 'as_wanted';

function refuseEnd(row: StoredOperation): void {
  if (row.cancellable && !hasEnded(row.status)) return;
  throw new Problem('not_cancellable', {
    detail: hasEnded(row.status)
      ? `The operation has ${row.status} already.`
      : 'The operation can no longer be stopped.',
    extra: { operation_status: row.status },
  });
}

/** Whoever asks a second time wants what is happening already. */
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
 * What no worker ever held has nothing to take down. It is ended without a lock on its row: those who end operations
 * take the resource first and the operation last. If a worker was faster, that one is asked instead.
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
