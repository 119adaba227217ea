/**
 * Shuts guests down within steps of operations. The step sleeps while the guest shuts down: a step that waited inside a
 * call of the engine would hold a slot of its worker for as long as the guest likes.
 */
import { type ComputeEngine, EngineRefused, type Ref } from '../../../engines/compute/port.ts';
import type { Outcome, Work } from '../../../kernel/operations/kind.ts';

export interface Grace {
  readonly timeoutSeconds: number;
  /** Whether to force the stop after the timeout. If false, the guest keeps running and the step fails. */
  readonly force: boolean;
}

/** What a step keeps while it waits for a guest. */
interface Kept {
  /** When the guest was asked to shut down. */
  readonly asked_at?: string;
  /** The machine is off or may be forced off, so what is left is the restart. */
  readonly may_restart?: true;
}

type Waiting = Pick<Work<never>, 'kept' | 'now' | 'signal'>;

/** The first looks are close together, because most guests need a few seconds. */
const SHORTEST_SECONDS = 0.25;
const LONGEST_SECONDS = 5;
/** The part of the time waited so far by which a shutdown may be noticed too late. */
const LATE = 0.1;

const keptBy = ({ kept }: Pick<Waiting, 'kept'>): Kept => kept;

/** Whether the step has not yet asked the guest. Only then may it change the machine: see `requestShutdown`. */
export const isBeforeShutdown = ({ kept }: Pick<Waiting, 'kept'>): boolean => Object.keys(kept).length === 0;

/** The sleep until the next look at the guest; null if its time is over. */
export function untilNextLook(askedAt: Date, now: Date, timeoutSeconds: number): Outcome | null {
  const waited = Math.max(0, (now.getTime() - askedAt.getTime()) / 1000);
  if (waited >= timeoutSeconds) return null;
  const pause = Math.min(LONGEST_SECONDS, Math.max(SHORTEST_SECONDS, waited * LATE));
  return {
    kind: 'sleep',
    seconds: Math.min(pause, timeoutSeconds - waited),
    waitingFor: 'guest',
    keep: { asked_at: askedAt.toISOString() } satisfies Kept,
  };
}

/**
 * Asks the guest to shut down, at the first run of the step. Returns the sleep of the step while the guest may take its
 * time. Otherwise the machine is off, or its guest did not shut down in time and may be forced off.
 */
export async function shutDown(
  engine: ComputeEngine,
  ref: Ref,
  { timeoutSeconds, force }: Grace,
  work: Waiting,
): Promise<Outcome | 'off' | 'overdue'> {
  const { now, signal } = work;
  const { asked_at } = keptBy(work);
  const look = () => engine.observeInstance(ref, signal);
  let askedAt = new Date(asked_at ?? now);
  let seen = asked_at === undefined ? null : await look();
  // The request is refused if the machine is gone.
  if (seen === null) {
    const began = performance.now();
    await engine.requestShutdown(ref, timeoutSeconds, signal);
    if (asked_at === undefined) askedAt = new Date(now.getTime() + performance.now() - began);
    seen = await look();
  }
  if (seen?.state === 'stopped') return 'off';
  const sleep = untilNextLook(askedAt, now, timeoutSeconds);
  if (sleep !== null) return sleep;
  if (force) return 'overdue';
  throw new EngineRefused(
    'shutdown_timeout',
    `The guest did not shut down within ${timeoutSeconds} seconds and is still running.`,
  );
}

/** Returns null when the machine is off. */
export async function ensureDown(
  engine: ComputeEngine,
  ref: Ref,
  grace: Grace,
  work: Waiting,
): Promise<Outcome | null> {
  const way = await shutDown(engine, ref, grace, work);
  if (way === 'overdue') await engine.ensureStopped(ref, work.signal);
  return typeof way === 'string' ? null : way;
}

/**
 * Returns null when the machine has been restarted. Before the restart, the step keeps that it comes next: a worker that
 * repeats the step could not tell from a running machine whether its guest has still to be shut down.
 */
export async function restart(
  engine: ComputeEngine,
  ref: Ref,
  grace: Grace,
  work: Waiting & Pick<Work<never>, 'operationId'>,
): Promise<Outcome | null> {
  if (keptBy(work).may_restart !== true) {
    const way = await shutDown(engine, ref, grace, work);
    if (typeof way !== 'string') return way;
    return { kind: 'sleep', seconds: 0, keep: { may_restart: true } satisfies Kept };
  }
  await engine.restart(ref, { once: work.operationId }, work.signal);
  // A worker of an earlier version may have restarted it before this step shut it down, and it is restarted only once.
  const seen = await engine.observeInstance(ref, work.signal);
  if (seen?.state === 'stopped') await engine.ensureRunning(ref, work.signal);
  return null;
}
