/**
 * Approvals: a person's permission for one call of a key. A request for approval creates an operation that waits for
 * the decision. After that the client repeats the identical call once.
 */
import type { Db } from '../../store/database.ts';
import type { ForeseenChange } from '../change-words/change-words.ts';
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

/** The most undecided requests that a key may have at a time. */
export const PENDING_PER_KEY = 50;

/** The approved call must be made within this time after the decision. */
export const USE_SECONDS: number = 15 * 60;

export interface Asking {
  readonly accountId: string;
  readonly actor: EventActor;
  readonly keyId: string;
  /** Of the key: a request of the key that it replaced is its own. */
  readonly lineage: readonly string[];
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
  readonly changes: ForeseenChange[];
  readonly cost: Cost;
  readonly resource: ResourceRef;
}

/** If an identical request is already pending, that one is returned. */
export async function askForApproval(db: Db, registry: Registry, asking: Asking): Promise<ApprovalRow> {
  const { accountId, actor, keyId, lineage, permission, requestId, requestHash, resource } = asking;
  await lockAsking(db, lineage);
  const pending = await findPending(db, lineage, requestHash);
  if (pending !== undefined) return pending;
  await refuseFlood(db, lineage);
  const waits = { for: 'approval', seconds: DECISION_SECONDS };
  const operation = await startOperation(
    db,
    registry,
    { kind: approvalRequest, input: {}, resource, waits },
    { accountId, actor, permission, requestId },
  );
  const { endpointId: endpoint_id, method, path, query, body, effects, changes, cost } = asking;
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
      changes,
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

async function refuseFlood(db: Db, lineage: readonly string[]): Promise<void> {
  const used = await countPending(db, lineage);
  if (used < PENDING_PER_KEY) return;
  throw new Problem('quota_exceeded', {
    detail: `${used} requests of this key are already waiting for approval. Wait for a decision, or cancel some of them.`,
    extra: { limit_id: 'account.pending-approvals', limit: PENDING_PER_KEY, used, requested: 1 },
  });
}
