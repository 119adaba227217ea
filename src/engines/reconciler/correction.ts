/**
 * Corrects an engine that differs from the tables. The decision is made in a transaction, from the locked rows, and the
 * engine is called after its commit, so that no lock waits for an engine. Operations that are started meanwhile on the
 * same resources wait until the call has ended: they may change what it corrects.
 */
import { type Claim, pauseSubjects, releaseSubject } from '../../kernel/claims/store.ts';
import { wakeOperations } from '../../kernel/operations/store.ts';
import type { Db, Tx } from '../../store/database.ts';
import { transact } from '../../store/transaction.ts';
import { patience } from './observation.ts';

export interface Correction {
  /** The resources that the call changes. The decision has locked their queues and found them empty. */
  readonly subjects: readonly string[];
  /** A short call to the engine. What may take long, such as a copy of data, is left to an operation. */
  act(signal: AbortSignal): Promise<void>;
}

/** Longer than the call may take. It counts only if the process ends before the call does. */
const PAUSE_SECONDS = 60;

async function resume(db: Db, subjects: readonly string[], claims: readonly Claim[]): Promise<void> {
  for (const claim of claims) await releaseSubject(db, claim);
  for (const subject of new Set(subjects)) await wakeOperations(db, subject);
}

/** `decide` writes to the tables what follows from the observation, and returns the call that follows, if any. */
export async function correct(
  { db }: { readonly db: Db },
  decide: (tx: Tx) => Promise<Correction | undefined>,
): Promise<void> {
  const due = await transact(db, async (tx) => {
    const correction = await decide(tx);
    const claims = correction && (await pauseSubjects(tx, correction.subjects, PAUSE_SECONDS));
    return correction && claims ? { correction, claims } : undefined;
  });
  if (due === undefined) return;
  const { correction, claims } = due;
  try {
    await correction.act(patience());
  } finally {
    await resume(db, correction.subjects, claims);
  }
}
