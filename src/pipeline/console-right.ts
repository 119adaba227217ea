/**
 * The right to use a console: that of the API key that created the session, from the address of the websocket's client,
 * or that of the person who created it, for as long as the person is signed in. It is checked when the token is used, and again whenever the rights of the account change.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { ConsoleSession } from '../kernel/consoles.ts';
import type { Exchange } from '../kernel/exchange.ts';
import { Problem, type Refused } from '../kernel/problems/problem.ts';
import type { Services } from '../kernel/services.ts';
import type { Departure } from '../kernel/waiting/client-gone.ts';
import { hold } from '../kernel/waiting/hold.ts';
import { isUnavailable } from '../store/unavailable.ts';
import { readmit, readmitBearer } from './admission.ts';
import { CallersPatience } from './wait.ts';

const RETRY_MS = 1_000;

const forGood = { keys: [], look: async () => undefined, isDone: () => false };

export class ConsoleRight {
  readonly #exchange: Exchange;
  readonly #services: Services;
  readonly #recheck: ReturnType<typeof readmitBearer>;

  /** `websocket` is the exchange of the upgrade request, with the address of its client. */
  constructor(websocket: Exchange, services: Services, { endpoint, bearer }: ConsoleSession) {
    const session =
      'sessionId' in bearer
        ? { id: bearer.sessionId, accountId: bearer.accountId, isFresh: false, endsAt: 0 }
        : undefined;
    this.#exchange = { ...websocket, endpoint, session, headers: {} };
    this.#services = services;
    this.#recheck = 'keyPublicId' in bearer ? readmitBearer(bearer.keyPublicId) : readmit;
  }

  get caller(): Exchange['caller'] {
    return this.#exchange.caller;
  }

  check(): Refused | Promise<Refused> {
    return this.#recheck(this.#exchange, this.#services);
  }

  /** Resolves with the refusal when the right ends, or with undefined when the client leaves or the process stops. */
  async untilLost(departure: Departure): Promise<Refused> {
    const services = this.#services;
    const patience = new CallersPatience(
      this.#exchange,
      services,
      Number.POSITIVE_INFINITY,
      departure,
      this.#recheck,
    );
    while (!departure.hasLeft) {
      try {
        await hold(services.waiters, patience, forGood);
        return undefined;
      } catch (error) {
        if (error instanceof Problem) return error;
        if (!isUnavailable(error)) throw error;
        // The console stays open while the database does not answer this process.
        await wait(RETRY_MS, undefined, { ref: false });
      }
    }
    return undefined;
  }
}
