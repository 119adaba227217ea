/**
 * Limits how many database connections the changes and the reads of one account hold at once. Changes commit one after
 * the other anyway, because each of them locks the account's audit chain. Without the limit, a client that sends a
 * hundred changes at once would hold every connection while the changes wait for one another, and the calls of all
 * other accounts would stand behind a thousand reads of one account until they give up.
 */
import { Turns } from '../kernel/turns.ts';

declare module '../kernel/services.ts' {
  interface Services {
    /** By account id. */
    readonly turns: Turns<string>;
    /** By account id. Each query of a read takes a turn, so a read that waits for news or for an engine holds none. */
    readonly readTurns: Turns<string>;
  }
}

/** The share of the connection pool that one account may use, so that other accounts still get connections. */
const SHARE = 0.6;
/** Both shares together leave a connection to the others. */
const READ_SHARE = 0.3;

export const accountTurns = (connections: number): Turns<string> =>
  new Turns({
    atOnce: Math.max(1, Math.floor(connections * SHARE)),
    patienceMs: 30_000,
    retryAfterSeconds: 5,
    refusal: 'This change waited too long, because many other changes of the account are still running.',
  });

export const readTurns = (connections: number): Turns<string> =>
  new Turns({
    atOnce: Math.max(1, Math.floor(connections * READ_SHARE)),
    // With the time limit of a statement, less than the time in which every call must end.
    patienceMs: 15_000,
    retryAfterSeconds: 5,
    refusal: 'This call waited too long, because many other calls of the account are still running.',
  });
