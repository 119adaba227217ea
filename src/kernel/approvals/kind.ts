import { failed, type Kind, kind } from '../operations/kind.ts';
import { Shape } from '../schema.ts';
import { approvalEvent } from './event.ts';
import { findApproval, secondsLeft } from './store.ts';

export const APPROVAL_REQUEST = 'approval.request';

const HOUR = 3600;

/** Undecided for so long, a request is over. */
export const DECISION_SECONDS: number = 24 * HOUR;

/**
 * Waits for a person. The decision itself ends it, from the portal; all that is left to do here is to say when nobody
 * decided in time.
 */
export const approvalRequest: Kind = kind<object>({
  type: APPROVAL_REQUEST,
  family: 'account',
  resourceType: 'approval',
  queue: 'free',
  input: Shape({}),
  typicalSeconds: HOUR,
  // Later than the time to decide: whoever asked is told that nobody decided, not that something took too long.
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
