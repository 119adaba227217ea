/** Runs one claimed operation until it ends, sleeps or loses its lease. The next worker continues from the last commit. */
import type { Logger } from 'pino';
import { laneOf } from '../kernel/operations/at-step.ts';
import type { Kind, Outcome, Step } from '../kernel/operations/kind.ts';
import { CANCELLED, inputOf, refOf, resourceIdOf } from '../kernel/operations/operations.ts';
import { hasEnded, type OperationError } from '../kernel/operations/schema.ts';
import type { Ending } from '../kernel/operations/store.ts';
import type { Services } from '../kernel/services.ts';
import type { Db } from '../store/database.ts';
import { isUnavailable } from '../store/unavailable.ts';
import { backoffSeconds } from './backoff.ts';
import type { Environment } from './environment.ts';
import { childFailure, errorOf, lateError, notRemoved, secondsOf, undone } from './failures.ts';
import type { Advance, Claimed, RunnerStore } from './runner-store.ts';
import { servicesFor } from './step-services.ts';

const PATROL_SECONDS = 30;
/** How long an interrupted step may take to stop. */
const STANDSTILL_MS = 10_000;

export interface ExecutionContext {
  readonly store: RunnerStore;
  readonly environment: Environment;
  readonly db: Db;
  readonly log: Logger;
  readonly services: Services;
  kindOf(type: string): Kind | undefined;
}

/** Why a step is interrupted. */
export type Interruption = 'lost' | 'closing' | 'cancelled' | 'deadline';

export class Execution {
  readonly #context: ExecutionContext;
  #operation: Claimed;
  /** When `#operation` was read, on the monotonic clock of this process. */
  #readAt: number;
  #controller = new AbortController();
  #interruption: Interruption | null = null;
  #leaveBehind: () => void = () => undefined;
  #isLast = false;

  constructor(context: ExecutionContext, operation: Claimed) {
    this.#context = context;
    this.#operation = operation;
    this.#readAt = context.environment.monotonic();
  }

  get held(): Claimed {
    return this.#operation;
  }

  /** Returns the operation after its current step is committed, so that another worker can continue it. */
  stopAfterStep(): void {
    this.#isLast = true;
  }

  /** Aborts the current step, because the lease is lost or the result of the step is no longer wanted. */
  interrupt(why: Interruption): void {
    if (this.#interruption === 'lost') return;
    this.#interruption = why;
    this.#controller.abort();
    if (why === 'lost' || why === 'closing') this.#leaveBehind();
  }

  /**
   * Runs until this worker is done with the operation. Returns true if the lease is still held and must be
   * given back.
   */
  async run(): Promise<boolean> {
    for (;;) {
      if (this.#interruption === 'lost') return false;
      if (this.#interruption === 'closing') return true;
      const next = await this.#next();
      if (next === null) return false;
      if (next !== this.#operation) this.#readAt = this.#context.environment.monotonic();
      this.#operation = next;
      if (this.#isLast) return true;
    }
  }

  /** Returns null if the operation has ended, sleeps or has lost its lease. */
  async #next(): Promise<Claimed | null> {
    const operation = this.#operation;
    const kind = this.#context.kindOf(operation.type);
    if (kind === undefined) {
      const detail = `This version does not know operations of the type ${operation.type}.`;
      return this.#end({ code: 'internal_error', detail, retryable: false });
    }
    // The cancel notification may arrive before a read of the row shows `cancel_requested`.
    const isUnwanted = operation.cancel_requested || this.#interruption === 'cancelled';
    if (this.#interruption === 'cancelled') this.#interruption = null;
    if (isUnwanted && operation.phase === 'forward' && operation.cancellable) return this.#beginUndo(kind);
    if (this.#now() >= operation.deadline_at) return this.#endLate(kind);
    const steps = operation.phase === 'undo' ? (kind.undo ?? []) : kind.steps;
    const step = steps[operation.step_index];
    if (step === undefined) return this.#succeed(undefined);
    if (operation.awaits_children) return this.#meetChildren(kind, step, steps.length);
    return this.#perform(kind, step, steps.length);
  }

  async #beginUndo(kind: Kind): Promise<Claimed | null> {
    const { id, wakes: seenWakes } = this.#operation;
    const left = await this.#context.store.cancelChildren(id);
    if (left > 0) {
      // The children must end before the undo removes what they created. The last child to end wakes this
      // operation.
      const waiting = { seconds: PATROL_SECONDS, waitingFor: 'children', seenWakes, commit: undefined };
      await this.#advance({ to: 'sleep', ...waiting });
      return null;
    }
    if (kind.undo === undefined || kind.undo.length === 0) return this.#finish(CANCELLED, undefined);
    return this.#advance({ to: 'undo', deadlineSeconds: secondsOf(this.#operation), failure: null });
  }

  async #perform(kind: Kind, step: Step<never>, count: number): Promise<Claimed | null> {
    const { wakes: seenWakes } = this.#operation;
    const outcome = await this.#begin(step);
    if (outcome === 'interrupted')
      return this.#interruption === 'deadline' ? this.#endLate(kind) : this.#operation;
    try {
      return await this.#heed(kind, outcome, step, count, seenWakes);
    } catch (error) {
      // The commit of the step failed, which counts as a failure of the step.
      if (isUnavailable(error) || outcome.kind === 'failed') throw error;
      return this.#heed(kind, this.#failureOf(error), step, count, seenWakes);
    }
  }

  /**
   * Runs a step. A step that ignores the abort signal is abandoned: the runner discards whatever it returns
   * later.
   */
  async #begin(step: Step<never>): Promise<Outcome | 'interrupted'> {
    const { environment, db, services, kindOf } = this.#context;
    const operation = this.#operation;
    const lane = laneOf(kindOf(operation.type), operation, operation.step_index);
    this.#controller = new AbortController();
    const { signal } = this.#controller;
    const interrupted = new Promise<'interrupted'>((resolve) => {
      signal.addEventListener('abort', () => resolve('interrupted'), { once: true });
    });
    const now = this.#now();
    const callOff = environment.after(operation.deadline_at.getTime() - now.getTime(), () =>
      this.interrupt('deadline'),
    );
    try {
      const work = step.run({
        operationId: operation.id,
        accountId: operation.account_id,
        resource: refOf(operation),
        get resourceId() {
          return resourceIdOf(operation);
        },
        input: inputOf(operation),
        results: operation.results,
        kept: (operation.results[step.name] ?? {}) as Record<string, unknown>,
        tries: operation.tries,
        now,
        signal,
        db,
        services: servicesFor(lane, services),
      });
      const outcome = await Promise.race([work, interrupted]);
      if (outcome === 'interrupted') {
        callOff();
        await this.#standStill(work);
      }
      return outcome;
    } catch (error) {
      return signal.aborted ? 'interrupted' : this.#failureOf(error);
    } finally {
      callOff();
    }
  }

  /**
   * Waits for the interrupted step to finish its work at the engine, which could otherwise overlap with the
   * next step.
   */
  async #standStill(work: Promise<unknown>): Promise<void> {
    // Another worker already holds the operation, or soon will.
    if (this.#interruption === 'lost' || this.#interruption === 'closing') return;
    let callOff = (): void => undefined;
    const outOfPatience = new Promise<void>((resolve) => {
      this.#leaveBehind = resolve;
      callOff = this.#context.environment.after(STANDSTILL_MS, resolve);
    });
    await Promise.race([work.catch(() => undefined), outOfPatience]);
    callOff();
  }

  #failureOf(error: unknown): Outcome {
    return { kind: 'failed', error: errorOf(error, this.#operation, this.#context.log) };
  }

  async #heed(
    kind: Kind,
    outcome: Outcome,
    step: Step<never>,
    count: number,
    seenWakes: number,
  ): Promise<Claimed | null> {
    switch (outcome.kind) {
      case 'done': {
        const index = this.#operation.step_index + 1;
        if (index >= count) return this.#succeed(outcome.result, outcome.commit);
        const { result, commit } = outcome;
        return this.#advance({ to: 'step', index, finished: step.name, result, commit });
      }
      case 'sleep': {
        const { seconds, waitingFor = null, keep, commit } = outcome;
        const kept = keep === undefined ? {} : { kept: { step: step.name, values: keep } };
        await this.#advance({ to: 'sleep', seconds, waitingFor, ...kept, seenWakes, commit });
        return null;
      }
      case 'children': {
        const { start, tolerant = false, commit } = outcome;
        await this.#advance({ to: 'children', step: step.name, start, tolerant, seenWakes, commit });
        return null;
      }
      case 'failed': {
        // The caller wants nothing to stay, so what cannot be removed now is tried again until the deadline.
        const isRemoval = this.#operation.phase === 'undo' && this.#operation.failure !== null;
        if (!outcome.error.retryable && !isRemoval) return this.#fail(kind, outcome.error);
        const seconds = backoffSeconds(this.#operation.tries, this.#context.environment.random);
        await this.#advance({ to: 'retry', seconds, error: outcome.error });
        return null;
      }
    }
  }

  async #meetChildren(kind: Kind, step: Step<never>, count: number): Promise<Claimed | null> {
    const { id, wakes: seenWakes, tolerates_failure: isTolerant } = this.#operation;
    const children = await this.#context.store.children(id, step.name);
    if (children.some(({ status }) => !hasEnded(status))) {
      const again = { to: 'children', step: step.name, start: [], tolerant: isTolerant, seenWakes } as const;
      await this.#advance({ ...again, commit: undefined });
      return null;
    }
    const fault = children.find(({ status }) => status !== 'succeeded');
    if (fault !== undefined && !isTolerant) return this.#fail(kind, childFailure(fault));
    const result = { children: children.map(({ id, status, error }) => ({ id, status, error })) };
    const index = this.#operation.step_index + 1;
    if (index >= count && this.#operation.phase === 'forward') return this.#succeed(result);
    return this.#advance({ to: 'step', index, finished: step.name, result, commit: undefined });
  }

  #succeed(
    result: Readonly<Record<string, unknown>> | undefined,
    commit?: Extract<Outcome, { kind: 'done' }>['commit'],
  ): Promise<Claimed | null> {
    const { phase, failure } = this.#operation;
    if (phase === 'undo') return this.#finish(failure === null ? CANCELLED : undone(failure), commit);
    return this.#finish({ status: 'succeeded', error: null, result: { changed: true, ...result } }, commit);
  }

  async #endLate(kind: Kind): Promise<Claimed | null> {
    await this.#context.store.cancelChildren(this.#operation.id);
    return this.#fail(kind, lateError(this.#operation));
  }

  /** Fails the operation. If its call wants nothing to stay, the undo steps run first. */
  #fail(kind: Kind, error: OperationError): Promise<Claimed | null> {
    const { phase, on_failure, failure } = this.#operation;
    if (phase === 'undo') return this.#end(failure === null ? error : notRemoved(failure, error));
    if (on_failure === 'keep' || kind.erase === undefined) return this.#end(error);
    if (kind.undo === undefined || kind.undo.length === 0) return this.#finish(undone(error), undefined);
    return this.#advance({ to: 'undo', deadlineSeconds: secondsOf(this.#operation), failure: error });
  }

  #end(error: OperationError): Promise<Claimed | null> {
    return this.#finish({ status: 'failed', error, result: null }, undefined);
  }

  async #finish(
    ending: Ending,
    commit: Extract<Outcome, { kind: 'done' }>['commit'],
  ): Promise<Claimed | null> {
    await this.#context.store.end(this.#operation, ending, commit);
    return null;
  }

  /** Returns null if this worker no longer holds the operation. */
  async #advance(advance: Advance): Promise<Claimed | null> {
    const moved = await this.#context.store.advance(this.#operation, advance);
    return moved?.lease_owner === this.#operation.lease_owner ? moved : null;
  }

  /** The database's clock, estimated without a query from the last read and the time elapsed since. */
  #now(): Date {
    const elapsed = this.#context.environment.monotonic() - this.#readAt;
    return new Date(this.#operation.read_at.getTime() + elapsed);
  }
}
