import { USE_SECONDS } from '../../kernel/approvals/approval.ts';
import { approvalEvent } from '../../kernel/approvals/event.ts';
import {
  type ApprovalRow,
  type HeldApproval,
  lockApproval,
  markDecided,
} from '../../kernel/approvals/store.ts';
import { writeEvents } from '../../kernel/events/write-events.ts';
import { endOperation, refOf } from '../../kernel/operations/operations.ts';
import { type Ending, readOperation } from '../../kernel/operations/store.ts';
import { Problem } from '../../kernel/problems/problem.ts';
import type { Registry } from '../../kernel/registry.ts';
import { Shape, type Static, Type } from '../../kernel/schema.ts';
import type { Db, Tx } from '../../store/database.ts';
import { type Actor, eventActor, labelOf } from '../actor.ts';
import { authorise } from '../authority.ts';
import { check, Line } from '../input.ts';
import { change, notFound } from '../portal-write.ts';

const ApproveRequest = Shape({ account_id: Type.String(), operation_id: Type.String() });
export type ApproveRequest = Static<typeof ApproveRequest>;

const DenyRequest = Shape({
  ...ApproveRequest.properties,
  /** Shown to the key that requested the approval. */
  reason: Type.Optional(Line(1, 200)),
});
export type DenyRequest = Static<typeof DenyRequest>;

type Decision = 'approved' | 'denied';

function requireOpen({ status, decision, is_overdue, operation_id }: HeldApproval): void {
  const isOpen = decision === null && (status === 'running' || status === 'queued');
  if (isOpen && !is_overdue) return;
  if (isOpen || (decision === null && status === 'failed')) {
    const detail = `Nobody decided about ${operation_id} within 24 hours; the caller must request approval again.`;
    throw new Problem('approval_expired', { detail });
  }
  throw new Problem('invalid_state', {
    detail: `${operation_id} was ${decision ?? 'withdrawn'} already.`,
    extra: { current_state: decision ?? status, allowed_states: ['running'] },
  });
}

function endingOf(row: ApprovalRow, reason: string | undefined): Ending {
  if (row.decision === 'approved') {
    const usable_until = row.usable_until?.toISOString() ?? null;
    return { status: 'succeeded', error: null, result: { changed: true, usable_until } };
  }
  const detail = reason === undefined ? 'A person refused it.' : `A person refused it: ${reason}`;
  return { status: 'failed', error: { code: 'approval_denied', detail, retryable: false }, result: null };
}

/**
 * Ends the operation in the name of the key that requested it, and emits the decision in the name of the
 * person.
 */
async function settle(
  tx: Tx,
  registry: Registry,
  actor: Actor,
  row: ApprovalRow,
  reason?: string,
): Promise<void> {
  const decision = row.decision ?? 'denied';
  const operation = await readOperation(tx, row.operation_id);
  if (operation === undefined) throw notFound('request for approval', row.operation_id);
  const message = `${actor.name} ${decision} the call of ${row.endpoint_id}.`;
  const event = approvalEvent(decision, row, refOf(operation), message, { decided_by: labelOf(actor) });
  const { account_id: accountId } = row;
  const ended = await endOperation(tx, registry, row.operation_id, endingOf(row, reason));
  if (!ended) throw new Error(`${row.operation_id} ended while it was decided about.`);
  // Lock order: the operation's row before the events, as everywhere an operation ends. This prevents
  // deadlocks.
  await writeEvents(tx, registry, { accountId, actor: eventActor(actor) }, [event]);
}

async function decide(
  tx: Tx,
  registry: Registry,
  actor: Actor,
  { account_id, operation_id, decision, reason }: DenyRequest & { decision: Decision },
) {
  await authorise(tx, actor, account_id, 'admin');
  const approval = await lockApproval(tx, account_id, operation_id);
  if (approval === undefined) throw notFound('request for approval', operation_id);
  requireOpen(approval);
  const row = await markDecided(tx, operation_id, {
    decision,
    by: labelOf(actor),
    usableSeconds: USE_SECONDS,
  });
  await settle(tx, registry, actor, row, reason);
  return {
    result: row,
    resource: { type: 'operation', id: operation_id, name: row.endpoint_id },
    changes: [{ pointer: '/decision', before: null, after: decision }],
  };
}

/** Allows the key to make the call once, within 15 minutes, exactly as it was requested. */
export async function approveRequest(
  db: Db,
  actor: Actor,
  input: ApproveRequest,
  registry: Registry,
): Promise<ApprovalRow> {
  return change(db, actor, 'approveRequest', input.account_id, async (tx) => {
    check(ApproveRequest, input);
    return decide(tx, registry, actor, { ...input, decision: 'approved' });
  });
}

export async function denyRequest(
  db: Db,
  actor: Actor,
  input: DenyRequest,
  registry: Registry,
): Promise<ApprovalRow> {
  return change(db, actor, 'denyRequest', input.account_id, async (tx) => {
    check(DenyRequest, input);
    return decide(tx, registry, actor, { ...input, decision: 'denied' });
  });
}
