/**
 * The right to use what a call handed out (a console, a download link): that of the API key that made the call, from the
 * address of the client who uses it, or that of the person who made the call, for as long as the person is signed in. It
 * is checked when the token is used, and again whenever the rights of the account change.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { HandedOut } from '../kernel/access/bearer.ts';
import type { Exchange } from '../kernel/exchange.ts';
import { Problem, type Refused } from '../kernel/problems/problem.ts';
import type { Services } from '../kernel/services.ts';
import type { Departure } from '../kernel/waiting/client-gone.ts';
import { hold } from '../kernel/waiting/hold.ts';
import { isUnavailable } from '../store/unavailable.ts';
import { readmit, readmitBearer } from './admission.ts';
import { CallersPatience } from './wait.ts';

const RETRY_MS = 1_000;

const forGood = async (): Promise<boolean> => true;

export class BearerRight {
  readonly #exchange: Exchange;
  readonly #services: Services;
  readonly #recheck: ReturnType<typeof readmitBearer>;

  /** `request` is the exchange of the request with the token, with the address of its client. */
  constructor(request: Exchange, services: Services, { endpoint, bearer }: HandedOut) {
    const session =
      'sessionId' in bearer
        ? { id: bearer.sessionId, accountId: bearer.accountId, isFresh: false, endsAt: 0 }
        : undefined;
    this.#exchange = { ...request, endpoint, session, headers: {} };
    this.#services = services;
    this.#recheck = 'keyPublicId' in bearer ? readmitBearer(bearer.keyPublicId) : readmit;
  }

  get caller(): Exchange['caller'] {
    return this.#exchange.caller;
  }

  check(): Refused | Promise<Refused> {
    return this.#recheck(this.#exchange, this.#services);
  }

  /**
   * Resolves with the refusal when the right ends, or with undefined when the client leaves or the process stops.
   * `isThere` is asked whenever something changed in the account: it resolves with undefined, too, once that is false.
   */
  async untilLost(departure: Departure, isThere = forGood): Promise<Refused> {
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
        await hold(services.waiters, patience, { keys: [], look: isThere, isDone: (found) => !found });
        return undefined;
      } catch (error) {
        if (error instanceof Problem) return error;
        if (!isUnavailable(error)) throw error;
        // The connection stays open while the database does not answer this process.
        await wait(RETRY_MS, undefined, { ref: false });
      }
    }
    return undefined;
  }
}
