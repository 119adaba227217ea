/** Starts, drops and ends operations, each inside the caller's transaction. */
import type { Db, Tx } from '../../store/database.ts';
import { keepIf } from '../../store/savepoint.ts';
import type { Warning } from '../effect.ts';
import { type EventActor, HOSTPLANE, type NewEvent } from '../events/event.ts';
import { writeEvents } from '../events/write-events.ts';
import { kindOfId, newId } from '../ids.ts';
import { Problem } from '../problems/problem.ts';
import { markProvisioned } from '../provisioning/store.ts';
import type { Registry } from '../registry.ts';
import type { ResourceRef } from '../resource-ref.ts';
import { isCancellableAt, laneOf } from './at-step.ts';
import { type Kind, QUEUE_LENGTH, type Start } from './kind.ts';
import { hasEnded, type OnFailure } from './schema.ts';
import { requireDeadlineOfKind, requireInput } from './start-checks.ts';
import {
  type Ending,
  insertOperation,
  lockSubjects,
  lockSubjectsOf,
  markEnded,
  type Queued,
  queueOf,
  readOperation,
  requestCancel,
  type StoredOperation,
} from './store.ts';
import { refuseUnchecked } from './unchecked-cost.ts';

/** Who or what starts an operation. */
export interface Origin {
  readonly accountId: string;
  readonly actor?: EventActor;
  /** The permission that was needed to start the operation. Other keys need it to cancel the operation. */
  readonly permission?: string;
  readonly requestId?: string;
  /** What the call warned of before it started the operation. */
  readonly warnings?: readonly Warning[];
  /** Whether a resource that cannot be created is kept. Default: `keep`. */
  readonly onFailure?: OnFailure;
  readonly parent?: { readonly id: string; readonly step: string; readonly subjects: readonly string[] };
  /** Replaces the database clock, for callers with their own clock. */
  readonly now?: Date;
  /** The budgets have been asked for the cost, or there is none. Set by `startScheduled`, and by repairs of reconcilers. */
  readonly hasCheckedCost?: true;
}

const RETRY_SECONDS = 5;

function busy(ahead: Queued): Problem {
  return new Problem('operation_in_progress', {
    detail: `The operation ${ahead.id} (${ahead.type}) is ${ahead.status} on this resource.`,
    extra: { operation_id: ahead.id },
    retryAfterSeconds: RETRY_SECONDS,
  });
}

function refuseBusy(kind: Kind, ahead: readonly Queued[]): void {
  const [first] = ahead;
  if (first === undefined || kind.queue === 'destroy' || kind.queue === 'free') return;
  const destroying = ahead.find(({ queue }) => queue === 'destroy');
  if (kind.queue === 'exclusive' || destroying !== undefined) throw busy(destroying ?? first);
  if (ahead.filter(({ started_at }) => started_at === null).length >= QUEUE_LENGTH) {
    throw new Problem('operation_queue_full', {
      detail: `${QUEUE_LENGTH} operations are already waiting for this resource.`,
      extra: { operation_id: first.id },
      retryAfterSeconds: RETRY_SECONDS,
    });
  }
}

/**
 * Ends the operation if no worker ever claimed it; otherwise requests its cancellation if it is cancellable. Returns
 * true if it has ended. If a worker claims it at this moment, it must not be ended here, or the resources that the
 * worker creates would be left over.
 */
export async function dropOrStop(
  db: Db,
  registry: Registry,
  { id, started_at }: Pick<StoredOperation, 'id' | 'started_at'>,
  now?: Date,
): Promise<boolean> {
  const drop = () => endOperation(db, registry, id, CANCELLED, { attempt: 0, now });
  if (started_at === null && (await keepIf(db, drop))) return true;
  const row = await readOperation(db, id);
  if (row === undefined || hasEnded(row.status)) return true;
  if (row.cancellable) await requestCancel(db, id);
  return false;
}

/** The other resources that the operation works on: all subjects except its own resource. */
function relatedTo({ id: own }: ResourceRef, subjects: readonly string[]): { type: string; id: string }[] {
  return [...new Set(subjects)].flatMap((id) => {
    const type = id === own ? undefined : kindOfId(id);
    return type === undefined ? [] : [{ type, id }];
  });
}

export async function startOperation<I>(
  db: Db,
  registry: Registry,
  start: Start<I>,
  origin: Origin,
): Promise<StoredOperation> {
  const { kind, input, resource, subjects, server = '', waits: pause } = start;
  requireDeadlineOfKind(registry, kind);
  refuseUnchecked(registry, kind, origin);
  requireInput(kind, input);
  if (start.unchanged || start.changedAtOnce)
    return startedAndEnded(db, registry, { kind, input, resource }, start.changedAtOnce === true, origin);
  const held = kind.queue === 'free' ? [] : (subjects ?? (resource.id === null ? [] : [resource.id]));
  const shared = held.find((subject) => origin.parent?.subjects.includes(subject));
  if (shared !== undefined)
    throw new Error(`${kind.type} would wait for ${shared}, which the operation that starts it holds.`);
  const known = start.isNew ? held.filter((subject) => subject !== resource.id) : held;
  await lockSubjects(db, known);
  const ahead = known.length === 0 ? [] : await queueOf(db, known);
  refuseBusy(kind, ahead);
  const actor = origin.actor ?? HOSTPLANE;
  if (kind.queue === 'destroy') {
    const same = ahead.find((operation) => operation.type === kind.type);
    // A second deletion returns the operation of the first.
    const running = same === undefined ? undefined : await readOperation(db, same.id);
    if (running !== undefined) return running;
    for (const operation of ahead) await dropOrStop(db, registry, operation, origin.now);
  }
  // Dropped operations have left the queue.
  const left = kind.queue === 'destroy' && ahead.length > 0 ? await queueOf(db, held) : ahead;
  return insertOperation(
    db,
    {
      id: newId('operation'),
      account_id: origin.accountId,
      type: kind.type,
      family: kind.family,
      status: 'queued',
      resource_type: resource.type,
      resource_id: resource.id,
      resource_name: resource.name,
      related: relatedTo(resource, subjects ?? []),
      warnings: [...(origin.warnings ?? [])],
      parent_id: origin.parent?.id ?? null,
      parent_step: origin.parent?.step ?? null,
      actor,
      api_key_id: actor.api_key_id,
      permission: origin.permission ?? null,
      request_id: origin.requestId ?? null,
      cancellable: true,
      cancellable_running: isCancellableAt(kind, 0),
      expected_seconds: kind.typicalSeconds,
      planned_children: kind.plannedChildren?.(input) ?? null,
      queue: kind.queue,
      on_failure: origin.onFailure ?? 'keep',
      step: kind.steps[0]?.name ?? '',
      input: JSON.stringify(input),
      is_ready: left.length === 0,
      lane: laneOf(kind as unknown as Kind, { phase: 'forward', input, results: {} }, 0),
      server,
      ...(pause === undefined ? {} : waitingFrom(kind, pause.for)),
    },
    {
      deadlineSeconds: start.deadlineSeconds ?? kind.deadlineSeconds,
      subjects: held,
      isEverywhere: kind.everywhere ?? false,
      now: origin.now ?? null,
      delaySeconds: pause?.seconds ?? null,
    },
  );
}

async function startedAndEnded<I>(
  db: Db,
  registry: Registry,
  start: Pick<Start<I>, 'kind' | 'input' | 'resource'>,
  changed: boolean,
  origin: Origin,
): Promise<StoredOperation> {
  const { kind } = start;
  const { id } = await startOperation(db, registry, { ...start, kind: { ...kind, queue: 'free' } }, origin);
  const isMine = await endOperation(
    db,
    registry,
    id,
    { status: 'succeeded', error: null, result: { changed } },
    { attempt: 0, now: origin.now },
  );
  const row = isMine ? await readOperation(db, id) : undefined;
  if (row === undefined) throw new Error(`The operation ${id} did not end as it began.`);
  return row;
}

function waitingFrom(kind: Kind, reason: string) {
  return {
    status: 'running' as const,
    waiting_for: reason,
    cancellable: isCancellableAt(kind, 0),
  };
}

export const CANCELLED: Ending = { status: 'cancelled', error: null, result: null };

const words = { succeeded: 'succeeded', failed: 'failed', cancelled: 'was cancelled' } as const;

/** `The operation vm.create on web-1` */
function nameOf({ type, resource_name, resource_id }: StoredOperation): string {
  const resource = resource_name ?? resource_id;
  return resource === null ? `The operation ${type}` : `The operation ${type} on ${resource}`;
}

export function startedEvent(operation: StoredOperation): NewEvent {
  const { type, id } = operation;
  return {
    type: 'operation.started',
    resource: refOf(operation),
    operationId: id,
    message: `${nameOf(operation)} started.`,
    data: { type, status: 'running', error_code: null },
  };
}

function endedEvent(operation: StoredOperation, ending: Ending): NewEvent {
  const { type } = operation;
  const because = ending.error === null ? '.' : `: ${ending.error.detail}`;
  return {
    type: `operation.${ending.status}`,
    ...(ending.status === 'failed' ? { severity: 'error' as const } : {}),
    resource: refOf(operation),
    operationId: operation.id,
    message: `${nameOf(operation)} ${words[ending.status]}${because}`,
    data: { type, status: ending.status, error_code: ending.error?.code ?? null },
  };
}

export const refOf = (operation: StoredOperation): ResourceRef => ({
  type: operation.resource_type,
  id: operation.resource_id,
  name: operation.resource_name,
});

/** `startOperation` has checked it against the schema of the kind. */
export const inputOf = ({ input }: StoredOperation): never => input as never;

export function resourceIdOf({ id, type, resource_id }: StoredOperation): string {
  if (resource_id === null) throw new Error(`${id} is a ${type}, which is about no single resource.`);
  return resource_id;
}

export interface EndOptions {
  /** The operation, if the caller has read it. What changes while it runs may be older. */
  readonly operation?: StoredOperation;
  /** Ends the operation only if this is still its current attempt. */
  readonly attempt?: number;
  readonly now?: Date | undefined;
  /** Events to write before the event about the end. */
  readonly events?: readonly NewEvent[];
}

/** False: the operation had already ended, or has another attempt. The caller must then roll back. */
export async function endOperation(
  db: Db,
  registry: Registry,
  id: string,
  ending: Ending,
  options: EndOptions = {},
): Promise<boolean> {
  const row = options.operation ?? (await readOperation(db, id));
  if (row === undefined) return false;
  const kind = registry.kinds.get(row.type);
  const ended = {
    id,
    type: row.type,
    resource: refOf(row),
    get resourceId() {
      return resourceIdOf(row);
    },
    ...ending,
  };
  const settled = [...((await kind?.settle?.(db as Tx, ended, inputOf(row))) ?? [])];
  if (kind?.erase !== undefined && (ending.status === 'cancelled' || ending.isUndone))
    settled.push(...(await kind.erase(db as Tx, resourceIdOf(row))));
  if (kind?.provisions !== undefined && ending.status === 'succeeded')
    await markProvisioned(db, kind.provisions, resourceIdOf(row), options.now ?? null);
  await lockSubjectsOf(db, id);
  const isMine = await markEnded(db, id, ending, {
    attempt: options.attempt ?? null,
    now: options.now ?? null,
  });
  if (!isMine) return false;
  const own = [...(options.events ?? []), ...settled].map((event) => ({ operationId: id, ...event }));
  const events = [...own, endedEvent(row, ending)];
  await writeEvents(db, registry, { accountId: row.account_id, actor: row.actor }, events);
  return true;
}
