/**
 * A person's word for one call of a key. Asking makes an operation that waits for the decision; the call that was
 * approved is then made again, once, exactly as it was shown to the person.
 */
import type { Db } from '../../store/database.ts';
import type { Cost } from '../effect.ts';
import type { EventActor } from '../events/event.ts';
import { writeEvents } from '../events/write-events.ts';
import { startedEvent, startOperation } from '../operations/operations.ts';
import { Problem } from '../problems/problem.ts';
import type { Registry } from '../registry.ts';
import type { ResourceRef } from '../resource-ref.ts';
import { approvalEvent } from './event.ts';
import { approvalRequest, DECISION_SECONDS } from './kind.ts';
import {
  type ApprovalRow,
  countPending,
  type ForeseenEffect,
  findPending,
  insertApproval,
  lockAsking,
} from './store.ts';

/** A key may have so many requests before people at a time. */
export const PENDING_PER_KEY = 50;

/** After the decision the call has to come within this time. */
export const USE_SECONDS: number = 15 * 60;

export interface Asking {
  readonly accountId: string;
  readonly actor: EventActor;
  readonly keyId: string;
  readonly keyName: string;
  readonly requestId: string;
  readonly requestHash: Buffer;
  readonly endpointId: string;
  readonly permission: string;
  readonly method: string;
  readonly path: string;
  readonly query: Record<string, unknown>;
  readonly body: unknown;
  readonly effects: ForeseenEffect[];
  readonly cost: Cost;
  readonly resource: ResourceRef;
}

/** The same request while one is pending is the same question. */
export async function askForApproval(db: Db, registry: Registry, asking: Asking): Promise<ApprovalRow> {
  const { accountId, actor, keyId, permission, requestId, requestHash, resource } = asking;
  await lockAsking(db, keyId);
  const pending = await findPending(db, keyId, requestHash);
  if (pending !== undefined) return pending;
  await refuseFlood(db, keyId);
  const waits = { for: 'approval', seconds: DECISION_SECONDS };
  const operation = await startOperation(
    db,
    registry,
    { kind: approvalRequest, input: {}, resource, waits },
    { accountId, actor, permission, requestId },
  );
  const { endpointId: endpoint_id, method, path, query, body, effects, cost } = asking;
  const row = await insertApproval(
    db,
    {
      operation_id: operation.id,
      account_id: accountId,
      key_id: keyId,
      request_hash: requestHash,
      endpoint_id,
      method,
      path,
      query,
      body,
      effects,
      cost,
    },
    DECISION_SECONDS,
  );
  await writeEvents(db, registry, { accountId, actor }, [
    startedEvent(operation),
    approvalEvent('requested', row, resource, `The key ${asking.keyName} asks to call ${endpoint_id}.`),
  ]);
  return row;
}

async function refuseFlood(db: Db, keyId: string): Promise<void> {
  const used = await countPending(db, keyId);
  if (used < PENDING_PER_KEY) return;
  throw new Problem('quota_exceeded', {
    detail: `${used} requests of this key wait for a person already; wait for a decision or withdraw some.`,
    extra: { limit_id: 'account.pending-approvals', limit: PENDING_PER_KEY, used, requested: 1 },
  });
}
