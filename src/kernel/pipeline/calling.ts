/** What a handler is handed, made of what came and of what the stages learnt. */
import type { Db } from '../../store/database.ts';
import type { Caller } from '../access/caller.ts';
import type { Call, Done } from '../call.ts';
import type { EventActor } from '../events/event.ts';
import { callerOf, type Exchange, endpointOf } from '../exchange.ts';
import { startOperation } from '../operations/operations.ts';
import { Problem } from '../problems/problem.ts';
import type { Services } from '../services.ts';
import type { Holding } from '../waiting/holding.ts';
import type { Input } from './input.ts';

/** How a call that may wait does so; without it the handler looks once. */
export type Hold = <T>(holding: Holding<T>) => Promise<T>;

const lookOnce: Hold = (holding) => holding.look();

const names = (tags: readonly string[], etag: string | null): boolean =>
  etag !== null && (tags.includes('*') || tags.includes(`"${etag}"`));

function checkVersion({ ifMatch, ifNoneMatch }: Input, etag: string | null): void {
  if (ifMatch !== undefined && !names(ifMatch, etag)) {
    const detail =
      etag === null
        ? 'If-Match names a version, but there is none yet.'
        : 'If-Match names another version than the current one.';
    throw mismatch(detail, etag);
  }
  // Compared weakly, unlike If-Match (RFC 9110, 13.1): a weakened tag names no version to change, but one to avoid.
  const avoided = ifNoneMatch?.map((tag) => tag.replace(/^W\//, ''));
  if (avoided !== undefined && names(avoided, etag))
    throw mismatch('If-None-Match refuses the version that exists.', etag);
}

const mismatch = (detail: string, etag: string | null): Problem =>
  new Problem('etag_mismatch', { detail, extra: { current_etag: etag === null ? null : `"${etag}"` } });

interface Means {
  readonly db: Db;
  readonly done: Done;
  readonly hold?: Hold | undefined;
}

/**
 * A class, although it is made in one place: an object literal with a getter has a shape of its own each time, and the
 * shape keeps the whole request in memory until the next full garbage collection.
 */
class Calling implements Call {
  readonly #exchange: Exchange;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly client: Exchange['client'];
  readonly db: Db;
  readonly services: Services;
  readonly requestId: string;
  readonly now = new Date();
  readonly dryRun: boolean;
  readonly checkVersion: Call['checkVersion'];
  readonly effect: Call['effect'];
  readonly warn: Call['warn'];
  readonly cost: Call['cost'];
  readonly event: Call['event'];
  readonly act: Call['act'];
  readonly start: Call['start'];
  readonly follow: Call['follow'];
  readonly hold: Hold;

  constructor(exchange: Exchange, services: Services, input: Input, { db, done, hold = lookOnce }: Means) {
    this.#exchange = exchange;
    this.params = input.params;
    this.query = input.query;
    this.body = input.body;
    this.client = exchange.client;
    this.db = db;
    this.services = services;
    this.requestId = exchange.requestId;
    this.dryRun = input.dryRun;
    this.checkVersion = (etag) => checkVersion(input, etag);
    this.effect = (effect) => done.effects.push(effect);
    this.warn = (warning) => done.warnings.push(warning);
    this.cost = (cost) => done.costs.push(cost);
    this.event = (event) => done.events.push(event);
    this.act = (act) => done.acts.push(act);
    this.start = async (start) => {
      done.operation = await startOperation(db, services.registry, start, {
        accountId: callerOf(exchange).account.id,
        actor: actorOf(exchange),
        permission: endpointOf(exchange).permission,
        requestId: exchange.requestId,
      });
      return done.operation;
    };
    this.follow = (operation) => {
      done.operation = operation;
    };
    this.hold = hold;
  }

  /** Rights are looked at again while a call waits: it goes on with those of the moment. */
  get caller(): Caller {
    return callerOf(this.#exchange);
  }
}

export const callOf = (exchange: Exchange, services: Services, input: Input, means: Means): Call =>
  new Calling(exchange, services, input, means);

export function actorOf(exchange: Exchange): EventActor {
  const { key, owner } = callerOf(exchange);
  return { kind: 'api_key', api_key_id: key.id, member_id: owner?.memberId ?? null };
}
