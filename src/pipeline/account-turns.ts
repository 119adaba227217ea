/**
 * Limits how many database connections the changes of one account hold at once. These changes commit one after the
 * other anyway, because each of them locks the account's audit chain. Without the limit, a client that sends a
 * hundred changes at once would hold every connection while the changes wait for one another.
 */
import { Turns } from '../kernel/turns.ts';

declare module '../kernel/services.ts' {
  interface Services {
    /** By account id. */
    readonly turns: Turns<string>;
  }
}

/** The share of the connection pool that one account may use, so that other accounts still get connections. */
const SHARE = 0.6;

export const accountTurns = (connections: number): Turns<string> =>
  new Turns({
    atOnce: Math.max(1, Math.floor(connections * SHARE)),
    patienceMs: 30_000,
    retryAfterSeconds: 5,
    refusal: 'This change waited too long, because many other changes of the account are still running.',
  });
