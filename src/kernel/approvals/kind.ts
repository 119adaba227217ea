import { failed, kind, NoInput } from '../operations/kind.ts';
import { approvalEvent } from './event.ts';
import { findApproval, secondsLeft } from './store.ts';

export const APPROVAL_REQUEST = 'approval.request';

const HOUR = 3600;

/** A request without a decision expires after this time. */
export const DECISION_SECONDS: number = 24 * HOUR;

/**
 * An operation that waits for a person. The portal ends it with the decision; its only step fails it when the time to
 * decide is over.
 */
export const approvalRequest = kind<typeof NoInput>({
  type: APPROVAL_REQUEST,
  family: 'account',
  resourceType: 'approval',
  queue: 'free',
  input: NoInput,
  typicalSeconds: HOUR,
  // Later than the time to decide, so that the operation fails with `approval_expired` and not with `timeout`.
  deadlineSeconds: DECISION_SECONDS + HOUR,
  cancellable: true,
  steps: [
    {
      name: 'decision',
      async run({ db, operationId }) {
        const seconds = await secondsLeft(db, operationId);
        if (seconds > 0) return { kind: 'sleep', seconds, waitingFor: 'approval' };
        return failed('approval_expired', 'Nobody decided within 24 hours.');
      },
    },
  ],
  async settle(tx, { id, status, error, resource }) {
    if (status !== 'failed' || error?.code === 'approval_denied') return undefined;
    const row = await findApproval(tx, id);
    if (row === undefined) return undefined;
    const message = `Nobody decided in time whether ${row.endpoint_id} may be called.`;
    return [approvalEvent('expired', row, resource, message)];
  },
});
