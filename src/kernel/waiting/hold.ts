/** Holds an answer until a change happens. Meanwhile it keeps only a watch: no database connection and no lock. */
import type { Refused } from '../problems/problem.ts';
import { accessOf } from './channels.ts';
import type { Departure } from './client-gone.ts';
import type { Holding } from './held-read.ts';
import type { Waiters } from './waiters.ts';

export interface Patience {
  readonly milliseconds: number;
  readonly departure: Departure;
  readonly accountId: string;
  /** Whether this process has heard of no change of the caller's rights since they were checked. */
  isCurrent(): boolean;
  /** When the caller's rights end by themselves, because its key or its allowlist entry expires (Unix milliseconds). */
  endsAt(): number;
  /** Checks again whether the caller may make this call. */
  readmit(): Refused | Promise<Refused>;
}

/** The longest delay that a timer accepts. */
const LONGEST_MS = 2 ** 31 - 1;

async function check(patience: Patience): Promise<void> {
  const refused = await patience.readmit();
  if (refused !== undefined) throw refused;
}

/** Returns the last value read, whether it is done or not. Throws if the caller has lost its permission meanwhile. */
export async function hold<T>(waiters: Waiters, patience: Patience, holding: Holding<T>): Promise<T> {
  const access = accessOf(patience.accountId);
  const end = performance.now() + patience.milliseconds;
  // Opened before the first read, so that no later change is missed.
  const watch = waiters.watch([...holding.keys, access]);
  try {
    // A change between the last check and the watch was not notified to this watch.
    if (!patience.isCurrent()) await check(patience);
    let value = await holding.look();
    while (!holding.isDone(value)) {
      const left = Math.min(end - performance.now(), LONGEST_MS);
      if (left <= 0 || patience.departure.hasLeft || waiters.isClosed) break;
      const heard = await watch.wait(Math.min(left, patience.endsAt() - Date.now()), patience.departure);
      if (heard.includes(access) || patience.endsAt() <= Date.now()) await check(patience);
      if (heard.length === 0) continue;
      const before = value;
      const question = holding.question?.(before);
      const look = (): Promise<T> => holding.look(before);
      value = await (question === undefined ? look() : waiters.lookTogether(question, look));
    }
    return value;
  } finally {
    watch.close();
  }
}
