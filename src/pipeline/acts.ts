/**
 * Performs the acts of a call (`Call.act`) while no transaction is open. A claim on the subject keeps other calls from
 * acting on it until this call has written its rows, so that the last act is that of the last answer. A claim of a
 * process that ended meanwhile expires.
 */
import type { Act } from '../kernel/call.ts';
import { claimSubject, releaseSubject } from '../kernel/claims/store.ts';
import { Problem } from '../kernel/problems/problem.ts';
import type { Db } from '../store/database.ts';

const CLAIM_SECONDS = 60;
const RETRY_SECONDS = 5;

async function withClaim<T>(db: Db, subject: string, work: () => Promise<T>): Promise<T> {
  const claim = await claimSubject(db, subject, CLAIM_SECONDS);
  if (claim === null)
    throw new Problem('operation_in_progress', {
      detail: 'Another call is changing this resource at the moment.',
      nextStep: 'Repeat the call after the seconds in Retry-After.',
      extra: { operation_id: null },
      retryAfterSeconds: RETRY_SECONDS,
    });
  try {
    return await work();
  } finally {
    await releaseSubject(db, claim);
  }
}

/** Claims the subjects, performs the acts, then runs `write`. */
export function afterActs<T>(db: Db, acts: readonly Act[], write: () => Promise<T>): Promise<T> {
  const [act, ...others] = acts;
  if (act === undefined) return write();
  return withClaim(db, act.subject, async () => {
    await act.perform();
    return afterActs(db, others, write);
  });
}
