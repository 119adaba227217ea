/**
 * Performs the acts of a call (`Call.act`) while no transaction is open. Claims keep a repeated request, and other calls
 * that act on the same resource, from running meanwhile, so that the last act is that of the last answer. A claim of a
 * process that ended meanwhile expires.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Act } from '../kernel/call.ts';
import { type Claim, claimSubject, releaseSubject } from '../kernel/claims/store.ts';
import { callerOf, type Exchange } from '../kernel/exchange.ts';
import { Problem } from '../kernel/problems/problem.ts';
import type { Db } from '../store/database.ts';
import { isRepeated } from './idempotency.ts';
import type { Input } from './input.ts';

const CLAIM_SECONDS = 60;
const PAUSE_MS = 50;
const RETRY_SECONDS = 5;

const busy = (): Problem =>
  new Problem('operation_in_progress', {
    detail: 'Another call is changing this resource at the moment.',
    nextStep: 'Repeat the call after the seconds in Retry-After.',
    extra: { operation_id: null },
    retryAfterSeconds: RETRY_SECONDS,
  });

/** No connection is held between the looks. */
async function claimWithin(db: Db, subject: string, patienceMs: number): Promise<Claim | null> {
  for (let left = patienceMs; ; left -= PAUSE_MS) {
    const claim = await claimSubject(db, subject, CLAIM_SECONDS);
    if (claim !== null || left <= 0) return claim;
    await wait(PAUSE_MS);
  }
}

interface Claiming<T> {
  work(): Promise<T>;
  /** If another call still holds the claim after the patience. */
  otherwise(): Promise<T>;
  readonly patienceMs?: number | undefined;
}

async function withClaim<T>(
  db: Db,
  subject: string,
  { work, otherwise, patienceMs = 0 }: Claiming<T>,
): Promise<T> {
  const claim = await claimWithin(db, subject, patienceMs);
  if (claim === null) return otherwise();
  try {
    return await work();
  } finally {
    // A claim that cannot be released expires. The call has its answer all the same.
    await releaseSubject(db, claim).catch(() => undefined);
  }
}

/** One act after the other, each with a claim that lasts until the rows are written. */
function perform<T>(db: Db, acts: readonly Act[], write: () => Promise<T>): Promise<T> {
  const [act, ...others] = acts;
  if (act === undefined) return write();
  const { subject, patienceMs, leave } = act;
  const goOn = (): Promise<T> => perform(db, others, write);
  const work = async (): Promise<T> => {
    await act.perform();
    return goOn();
  };
  const otherwise = async (): Promise<T> => {
    if (leave === undefined) throw busy();
    leave();
    return goOn();
  };
  return withClaim(db, subject, { work, otherwise, patienceMs });
}

/** Performs the acts, then runs `write`. */
export function afterActs<T>(
  db: Db,
  exchange: Exchange,
  input: Input,
  acts: readonly Act[],
  write: () => Promise<T>,
): Promise<T> {
  const { idempotencyKey: key } = input;
  if (key === undefined) return perform(db, acts, write);
  return withClaim(db, `${callerOf(exchange).account.id} ${key}`, {
    async work() {
      // The first request may have ended just before the claim. Then `write` replays its answer.
      const isDone = await isRepeated(db, exchange, input);
      return isDone ? write() : perform(db, acts, write);
    },
    async otherwise() {
      throw new Problem('idempotency_in_progress', { retryAfterSeconds: 1 });
    },
  });
}
