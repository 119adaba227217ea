/**
 * Limits guessing: so many attempts for each e-mail address and for each client address in 15 minutes, counted in the
 * database, so that all processes share the count. Nobody is locked out: passkeys are not limited by the e-mail address.
 */
import { createHash } from 'node:crypto';
import { Problem } from '../../../kernel/problems/problem.ts';
import type { Db, Tx } from '../../../store/database.ts';
import { transact } from '../../../store/transaction.ts';
import type { RequestContext } from '../request-context.ts';
import { countAttempt, forgetAttempts } from './store.ts';

const MOST_PER_EMAIL = 10;
const MOST_PER_ADDRESS = 100;

/** A hash, because people type their password into the field for the e-mail address now and then. */
const subjectOf = (email: string): string =>
  `email ${createHash('sha256').update(email.toLowerCase()).digest('base64url')}`;

async function count(tx: Tx, subject: string, most: number): Promise<string> {
  const { id, count: counted, resetSeconds } = await countAttempt(tx, subject, most);
  if (counted <= most) return id;
  throw new Problem('too_many_attempts', { retryAfterSeconds: resetSeconds });
}

export interface Guess {
  /** The attempt was right, so it does not count. */
  forget(db: Db): Promise<void>;
}

/** Counts an attempt before it is checked. Throws if there were too many. `email`: null for a passkey or a link. */
export async function countGuess(db: Db, context: RequestContext, email: string | null): Promise<Guess> {
  const ids = await transact(db, async (tx) => [
    ...(email === null ? [] : [await count(tx, subjectOf(email), MOST_PER_EMAIL)]),
    await count(tx, `address ${context.clientNet}`, MOST_PER_ADDRESS),
  ]);
  return { forget: (tx) => forgetAttempts(tx, ids) };
}
