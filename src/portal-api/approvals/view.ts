import type { Db } from '../../store/database.ts';
import { notFound } from '../portal-write.ts';
import { type ApprovalSummary, findSummary, findUndecided } from './store.ts';

export type { ApprovalSummary };

/**
 * Lists the pending approvals with everything a person needs to decide: the call, its effects and cost, and
 * the key.
 */
export async function listPendingApprovals(db: Db, accountId: string): Promise<ApprovalSummary[]> {
  return findUndecided(db, accountId);
}

export async function showApproval(db: Db, accountId: string, operationId: string): Promise<ApprovalSummary> {
  const found = await findSummary(db, accountId, operationId);
  if (found === undefined) throw notFound('request for approval', operationId);
  return found;
}
