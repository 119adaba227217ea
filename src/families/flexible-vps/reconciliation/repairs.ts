/** Operations that reconcilers start, for corrections that may take long, such as those that copy data. */
import type { Start } from '../../../kernel/operations/kind.ts';
import { startOperation } from '../../../kernel/operations/operations.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import type { Services } from '../../../kernel/services.ts';
import type { Tx } from '../../../store/database.ts';
import { hasFailedLately } from './store.ts';

/** After a failure, the next operation is started this much later: each of them is shown to the customer. */
const PAUSE_HOURS = 1;

/** Returns false if such an operation failed lately, or if another one does not let it join the queue. */
export async function startRepair<I>(
  { registry }: Pick<Services, 'registry'>,
  tx: Tx,
  accountId: string,
  start: Start<I>,
): Promise<boolean> {
  const { kind, resource } = start;
  if (await hasFailedLately(tx, { accountId, type: kind.type, resourceId: resource.id }, PAUSE_HOURS))
    return false;
  try {
    // What is restored is paid for already.
    await startOperation(tx, registry, start, { accountId, hasCheckedCost: true });
    return true;
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}
