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
  /** Whether the caller's right has expired meanwhile, for example its API key. */
  isOverdue(): boolean;
  /** Checks again whether the caller may make this call. */
  readmit(): Refused | Promise<Refused>;
}

/** Returns the last value read, whether it is done or not. Throws if the caller has lost its permission meanwhile. */
export async function hold<T>(waiters: Waiters, patience: Patience, holding: Holding<T>): Promise<T> {
  const access = accessOf(patience.accountId);
  const end = performance.now() + patience.milliseconds;
  // Opened before the first read, so that no later change is missed.
  const watch = waiters.watch([...holding.keys, access]);
  try {
    let value = await holding.look();
    while (!holding.isDone(value)) {
      const left = end - performance.now();
      const heard = left > 0 ? await watch.wait(left, patience.departure) : [];
      if (heard.includes(access) || patience.isOverdue()) {
        const refused = await patience.readmit();
        if (refused !== undefined) throw refused;
      }
      if (heard.length === 0) break;
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
