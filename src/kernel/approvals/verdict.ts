/** Decides whether the approval that a call names can be used now. */
import { Problem } from '../problems/problem.ts';
import type { ApprovalRow, HeldApproval } from './store.ts';

export function approvalRequired(
  { operation_id, expires_at }: ApprovalRow,
  approvalsUrl: string,
  detail: string,
): Problem {
  return new Problem('approval_required', {
    detail,
    extra: {
      operation_id,
      approve_url: `${approvalsUrl}${operation_id}`,
      expires_at: expires_at.toISOString(),
    },
  });
}

/** Null: the approval can be used. */
export function refusalOf(approval: HeldApproval, approvalsUrl: string): Problem | null {
  const { status, decision, operation_id: id } = approval;
  const over = (detail: string): Problem => new Problem('approval_expired', { detail });
  switch (status) {
    case 'queued':
    case 'running':
    case 'cancelling':
      return approval.is_overdue
        ? over(`Nobody decided about ${id} within 24 hours.`)
        : approvalRequired(approval, approvalsUrl, `Nobody has decided about ${id} yet.`);
    case 'succeeded':
      if (approval.is_usable) return null;
      return over(
        approval.used_at === null
          ? `${id} was approved more than 15 minutes ago.`
          : `${id} was used already; an approval is for one call.`,
      );
    case 'failed':
      // Not `approval_expired`, whose next step is to ask again. The operation holds the person's reason.
      return decision === 'denied'
        ? approvalRequired(
            approval,
            approvalsUrl,
            `A person refused ${id}. Read the operation for the reason.`,
          )
        : over(`Nobody decided about ${id} within 24 hours.`);
    case 'cancelled':
      return over(`${id} was withdrawn.`);
  }
}
