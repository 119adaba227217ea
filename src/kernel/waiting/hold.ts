/** To hold an answer until there is something to tell: nothing but a watch is kept meanwhile, no connection, no lock. */
import type { Refused } from '../problems/problem.ts';
import { accessOf } from './channels.ts';
import type { Departure } from './client-gone.ts';
import type { Holding } from './holding.ts';
import type { Waiters } from './waiters.ts';

export interface Patience {
  readonly milliseconds: number;
  readonly departure: Departure;
  readonly accountId: string;
  /** Whether what let the caller in has an end of its own, and that has come. */
  isOverdue(): boolean;
  /** Asks again whether the caller may be here. */
  readmit(): Refused | Promise<Refused>;
}

/** The last look, whether it is done or not. Throws the refusal of a caller who lost the right to wait here. */
export async function hold<T>(waiters: Waiters, patience: Patience, holding: Holding<T>): Promise<T> {
  const access = accessOf(patience.accountId);
  const end = performance.now() + patience.milliseconds;
  // Before the first look: what happens from here on is heard.
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
