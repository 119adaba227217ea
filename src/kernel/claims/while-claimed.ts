/** For schedules that change outside the database what calls change, too (`Call.act`). */
import type { Db } from '../../store/database.ts';
import { claimSubject, releaseSubject } from './store.ts';

/** Longer than the work may take. It counts only if the process ends before the work does. */
const CLAIM_SECONDS = 60;

/** Returns false if a call is changing the resource; the next run then tries again. */
export async function whileClaimed(
  { db }: { readonly db: Db },
  subject: string,
  work: () => Promise<void>,
): Promise<boolean> {
  const claim = await claimSubject(db, subject, CLAIM_SECONDS);
  if (claim === null) return false;
  try {
    await work();
    return true;
  } finally {
    await releaseSubject(db, claim);
  }
}
