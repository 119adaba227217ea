/** Builds the `Call` that a handler receives, from the request and from the results of the stages. */
import type { Caller } from '../kernel/access/caller.ts';
import type { Call, Done } from '../kernel/call.ts';
import type { ClientView } from '../kernel/client.ts';
import type { EventActor } from '../kernel/events/event.ts';
import { callerOf, type Exchange, endpointOf } from '../kernel/exchange.ts';
import { startOperation } from '../kernel/operations/operations.ts';
import { Problem } from '../kernel/problems/problem.ts';
import type { Services } from '../kernel/services.ts';
import type { Holding } from '../kernel/waiting/held-read.ts';
import type { Db } from '../store/database.ts';
import type { Input } from './input.ts';

/** How a call waits for its result. A call that does not wait looks once and returns. */
export type Hold = <T>(holding: Holding<T>) => Promise<T>;

const lookOnce: Hold = (holding) => holding.look();

const names = (tags: readonly string[], etag: string | null): boolean =>
  etag !== null && (tags.includes('*') || tags.includes(`"${etag}"`));

function checkVersion({ ifMatch, ifNoneMatch }: Input, etag: string | null): void {
  if (ifMatch !== undefined && !names(ifMatch, etag)) {
    const detail =
      etag === null
        ? 'If-Match names a version, but the resource does not exist yet.'
        : 'If-Match names another version than the current one.';
    throw mismatch(detail, etag);
  }
  // If-None-Match uses weak comparison, If-Match strong comparison (RFC 9110, 13.1): a weak tag may exclude a version,
  // but does not identify the version to change.
  const avoided = ifNoneMatch?.map((tag) => tag.replace(/^W\//, ''));
  if (avoided !== undefined && names(avoided, etag))
    throw mismatch('If-None-Match matches the version that exists.', etag);
}

const mismatch = (detail: string, etag: string | null): Problem =>
  new Problem('etag_mismatch', { detail, extra: { current_etag: etag === null ? null : `"${etag}"` } });

interface Means {
  readonly db: Db;
  readonly done: Done;
  readonly hold?: Hold | undefined;
}

/**
 * A class because of its getters: V8 allocates the getters of an object literal in the old generation, where each of
 * them keeps its whole request alive until the next full garbage collection. Functions that only writes need are
 * created on access, because thousands of reads may wait at once.
 */
class Calling implements Call {
  readonly #exchange: Exchange;
  readonly #input: Input;
  readonly #done: Done;
  readonly services: Services;
  readonly db: Db;
  readonly hold: Hold;
  readonly now = new Date();

  constructor(exchange: Exchange, services: Services, input: Input, { db, done, hold = lookOnce }: Means) {
    this.#exchange = exchange;
    this.#input = input;
    this.#done = done;
    this.services = services;
    this.db = db;
    this.hold = hold;
  }

  get params(): unknown {
    return this.#input.params;
  }

  get query(): unknown {
    return this.#input.query;
  }

  get body(): unknown {
    return this.#input.body;
  }

  get dryRun(): boolean {
    return this.#input.dryRun;
  }

  get hasIdempotencyKey(): boolean {
    return this.#input.idempotencyKey !== undefined;
  }

  /** Reads the exchange each time: a waiting call is checked again and continues with the caller's current rights. */
  get caller(): Caller {
    return callerOf(this.#exchange);
  }

  get client(): ClientView {
    return this.#exchange.client;
  }

  get requestId(): string {
    return this.#exchange.requestId;
  }

  get checkVersion(): Call['checkVersion'] {
    return (etag) => checkVersion(this.#input, etag);
  }

  get effect(): Call['effect'] {
    return (effect) => this.#done.effects.push(effect);
  }

  get warn(): Call['warn'] {
    return (warning) => this.#done.warnings.push(warning);
  }

  get cost(): Call['cost'] {
    return (cost) => this.#done.costs.push(cost);
  }

  get event(): Call['event'] {
    return (event) => this.#done.events.push(event);
  }

  get act(): Call['act'] {
    return (act) => this.#done.acts.push(act);
  }

  get checkLater(): Call['checkLater'] {
    return (check) => {
      // The pipeline waits for the check later, and it may fail before.
      check.catch(() => undefined);
      this.#done.checks.push(check);
    };
  }

  get start(): Call['start'] {
    return async (start) => {
      const operation = await startOperation(this.db, this.services.registry, start, {
        accountId: this.caller.account.id,
        actor: actorOf(this.#exchange),
        permission: endpointOf(this.#exchange).permission,
        requestId: this.requestId,
        warnings: this.#done.warnings,
        onFailure: this.#input.onFailure,
      });
      this.#done.operation = operation;
      return operation;
    };
  }

  get follow(): Call['follow'] {
    return (operation) => {
      this.#done.operation = operation;
    };
  }
}

export const callOf = (exchange: Exchange, services: Services, input: Input, means: Means): Call =>
  new Calling(exchange, services, input, means);

export function actorOf(exchange: Exchange): EventActor {
  const { key, owner } = callerOf(exchange);
  const member_id = owner?.memberId ?? null;
  return key === null
    ? { kind: 'member', api_key_id: null, member_id }
    : { kind: 'api_key', api_key_id: key.id, member_id };
}
