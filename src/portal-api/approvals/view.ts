import type { Db } from '../../store/database.ts';
import { notFound } from '../portal-write.ts';
import { type ApprovalSummary, findSummary, findUndecided } from './store.ts';

export type { ApprovalSummary };

/** What waits for a person, with all the person needs to decide: the call, what it would do and cost, and who asks. */
export async function listPendingApprovals(db: Db, accountId: string): Promise<ApprovalSummary[]> {
  return findUndecided(db, accountId);
}

export async function showApproval(db: Db, accountId: string, operationId: string): Promise<ApprovalSummary> {
  const found = await findSummary(db, accountId, operationId);
  if (found === undefined) throw notFound('request for approval', operationId);
  return found;
}
