/**
 * One API call that a tool makes. It passes the same stages as an HTTP request, in the same order: this file only
 * builds the exchange and runs them.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { callerOf, type Exchange, type Incoming } from '../../kernel/exchange.ts';
import type { ProblemCode } from '../../kernel/problems/catalogue.ts';
import { Problem } from '../../kernel/problems/problem.ts';
import type { Endpoint } from '../../kernel/record.ts';
import type { Services } from '../../kernel/services.ts';
import { Turns } from '../../kernel/turns.ts';
import { Departure } from '../../kernel/waiting/client-gone.ts';
import { admit, readmit } from '../../pipeline/admission.ts';
import { execute } from '../../pipeline/execution.ts';
import { storedAnswer } from '../../pipeline/idempotency.ts';
import { completeRefusal } from '../../pipeline/refusal-details.ts';
import { rehearseTogether, type SharedCall } from '../../pipeline/shared-rehearsal.ts';
import type { Observer } from '../http/observation.ts';
import { refuse } from '../http/refusal.ts';
import { type IsOurs, isOursIn } from './own-sentences.ts';
import { problemInToolWords } from './tool-words.ts';

export interface CallRequest {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Outcome {
  readonly endpoint: Endpoint;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed body; null if there is none. A refusal has the body of its problem. */
  readonly body: unknown;
  readonly isRefused: boolean;
  readonly requestId: string;
  /** Knows the words that sentences about this call may have; for refusals. */
  readonly isOurs?: IsOurs;
}

/** A call of a shared rehearsal. */
export interface Step {
  readonly endpoint: Endpoint;
  /** The request with values like those that it will have. */
  readonly sample: CallRequest;
  /** Undefined if an answer that it needs is not there. */
  fill(answers: readonly unknown[]): CallRequest | undefined;
}

export interface StepOutcome extends Outcome {
  /** What the call would answer; undefined if it is refused. */
  readonly answer?: unknown;
}

/**
 * For reads that a tool makes for itself, such as the state that a confirmation is bound to. If the answer is that the
 * server cannot say it now, the tool must not conclude that there is nothing: the problem is thrown.
 */
export function throwIfPassing({ isRefused, status, body }: Outcome): void {
  if (!isRefused || (status !== 429 && status < 500)) return;
  const { code, retry_after_seconds } = body as { code: ProblemCode; retry_after_seconds?: number };
  throw new Problem(code, { ...(retry_after_seconds && { retryAfterSeconds: retry_after_seconds }) });
}

/** Headers of the MCP request that decide who calls and from where. */
const KEPT = ['x-api-key', 'authorization', 'user-agent', 'x-forwarded-for'];

/** Query values as they would come in a URL. */
function asTexts(query: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const text = (value: unknown): string =>
    value !== null && typeof value === 'object' ? JSON.stringify(value) : String(value);
  return Object.fromEntries(
    Object.entries(query)
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => [name, Array.isArray(value) ? value.map(text) : text(value)]),
  );
}

const NAMES = /\{(\w+)\}/g;

/** Throws if the path parameters are not those of the endpoint. */
function pathOf({ id, path }: Endpoint, given: Readonly<Record<string, unknown>>): string {
  const names = [...path.matchAll(NAMES)].map(([, name = '']) => name);
  const missing = names.filter((name) => typeof given[name] !== 'string' || given[name] === '');
  const unknown = Object.keys(given).filter((name) => !names.includes(name));
  if (missing.length > 0 || unknown.length > 0) {
    throw new Problem('malformed_request', {
      detail:
        names.length === 0
          ? `${id} takes no path parameters.`
          : `${id} takes ${names.join(' and ')} in path, each a text.`,
      nextStep: 'Send exactly these path parameters; a list operation shows the ids.',
    });
  }
  return path.replaceAll(NAMES, (_, name: string) => encodeURIComponent(String(given[name])));
}

/**
 * The assistants of an account come in crowds. Calls that cannot run yet stand in line here: in the line for a
 * connection to the database they would be refused after three seconds. Each account has a line of its own, and fewer
 * calls at once than there are connections, so that no account waits for the crowd of another.
 */
const turns = new Turns<string>({
  atOnce: 6,
  patienceMs: 30_000,
  retryAfterSeconds: 5,
  refusal: 'The call waited too long, because very many other calls are being made.',
});

/** A call gives up its turn when it ends, or when it begins to wait for news. */
const inTurn = <T>(accountId: string, run: (isWaiting: () => void) => Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const turn = (): Promise<void> =>
      new Promise((pass) => {
        // `run` throws at once for invalid input.
        const ended = (async () => run(pass))();
        ended.then(resolve, reject).finally(pass);
      });
    turns.take(accountId, turn).catch(reject);
  });

export class ApiCaller {
  readonly services: Services;
  readonly outer: Exchange;
  readonly #observer: Observer;
  readonly #signal: AbortSignal;
  /** The rate limit counted the MCP request, so the first call of a tool is not counted again. */
  #isCounted = true;

  constructor(services: Services, outer: Exchange, observer: Observer, signal: AbortSignal) {
    this.services = services;
    this.outer = outer;
    this.#observer = observer;
    this.#signal = signal;
  }

  async call(endpoint: Endpoint, request: CallRequest = {}): Promise<Outcome> {
    const began = performance.now();
    const exchange = this.#exchangeOf(endpoint, request);
    try {
      const refused = await this.#admit(exchange);
      if (refused !== undefined) throw refused;
      const result = await inTurn(callerOf(exchange).account.id, (isWaiting) =>
        execute(exchange, this.services, request.body, () => {
          isWaiting();
          return this.#leave();
        }),
      );
      return this.#ended(exchange, began, { ...result, headers: { ...exchange.headers, ...result.headers } });
    } catch (error) {
      const completed = await completeRefusal(error, exchange, this.services, request.body);
      return this.#ended(exchange, began, refuse(exchange, this.services, completed), true);
    }
  }

  /**
   * Rehearses calls one after the other in one transaction, which is rolled back. They are not counted again: each of them
   * was tried alone. Undefined for a call that could not be rehearsed. `known`: answers that are there already.
   */
  async rehearse(
    steps: ReadonlyMap<number, Step>,
    known: readonly unknown[],
  ): Promise<ReadonlyMap<number, StepOutcome>> {
    const calls = new Map<number, SharedCall>();
    for (const [i, { endpoint, sample, fill }] of steps) {
      const exchange = this.#exchangeOf(endpoint, sample);
      if ((await readmit(exchange, this.services)) !== undefined) continue;
      calls.set(i, {
        exchange,
        sample: { incoming: exchange.incoming, body: sample.body },
        fill: (answers) => {
          const request = fill(answers);
          return request && { incoming: this.#exchangeOf(endpoint, request).incoming, body: request.body };
        },
      });
    }
    const accountId = callerOf(this.outer).account.id;
    const outcomes = await inTurn(accountId, () => rehearseTogether(this.services, calls, known));
    const shown = new Map<number, StepOutcome>();
    for (const [i, outcome] of (outcomes ?? []).entries()) {
      if (outcome === undefined) continue;
      const { exchange } = calls.get(i) as SharedCall;
      const parts = { endpoint: exchange.endpoint as Endpoint, requestId: exchange.requestId };
      const isOurs = isOursIn(this.services);
      if ('answer' in outcome) {
        const body: unknown = JSON.parse(outcome.foreseen);
        shown.set(i, {
          ...parts,
          status: 200,
          headers: {},
          body,
          isRefused: false,
          isOurs,
          answer: outcome.answer,
        });
        continue;
      }
      const problem = await outcome.refused.complete();
      const completed = await completeRefusal(problem, outcome.exchange, this.services, outcome.body);
      const { status, headers, body } = refuse(outcome.exchange, this.services, completed);
      const inWords = problemInToolWords(JSON.parse(body), this.services.registry.endpoints);
      shown.set(i, { ...parts, status, headers, body: inWords, isRefused: true, isOurs });
    }
    return shown;
  }

  async isRepeated(key: string | undefined): Promise<boolean> {
    if (key === undefined) return false;
    return (await storedAnswer(this.services.db, callerOf(this.outer).account.id, key)) !== undefined;
  }

  /** The stored answer of a call that was made with this key. It is admitted and counted like the call itself. */
  async repeated(
    endpoint: Endpoint,
    { path }: Pick<CallRequest, 'path'>,
    key: string,
  ): Promise<Outcome | undefined> {
    const known = await storedAnswer(this.services.db, callerOf(this.outer).account.id, key);
    if (known === undefined) return undefined;
    const began = performance.now();
    const exchange = this.#exchangeOf(endpoint, path === undefined ? {} : { path });
    const refused = await this.#admit(exchange);
    if (refused !== undefined)
      return this.#ended(exchange, began, refuse(exchange, this.services, refused), true);
    return this.#ended(exchange, began, known);
  }

  #admit(exchange: Exchange): ReturnType<typeof admit> {
    const { rate } = this.outer.client;
    if (!this.#isCounted) return admit(exchange, this.services);
    this.#isCounted = false;
    if (rate.allowed) return readmit(exchange, this.services);
    return new Problem('rate_limited', { retryAfterSeconds: rate.retryAfterSeconds });
  }

  #ended(
    exchange: Exchange,
    began: number,
    { status, headers, body }: { status: number; headers: Record<string, string>; body: string | null },
    isRefused = false,
  ): Outcome {
    this.#observer.answered(exchange, status, performance.now() - began);
    const { requestId } = exchange;
    const endpoint = exchange.endpoint as Endpoint;
    const parsed: unknown = body === null ? null : JSON.parse(body);
    const shown = isRefused ? problemInToolWords(parsed, this.services.registry.endpoints) : parsed;
    return { endpoint, status, headers, body: shown, isRefused, requestId, isOurs: isOursIn(this.services) };
  }

  #leave(): Departure {
    const departure = new Departure();
    if (this.#signal.aborted) departure.leave();
    else this.#signal.addEventListener('abort', () => departure.leave(), { once: true });
    return departure;
  }

  #exchangeOf(endpoint: Endpoint, { path = {}, query = {}, headers = {} }: CallRequest): Exchange {
    const { outer } = this;
    const sent: IncomingHttpHeaders = { ...headers };
    for (const name of KEPT) {
      const value = outer.incoming.header(name);
      if (value !== undefined) sent[name] = value;
    }
    const incoming: Incoming = {
      method: endpoint.method,
      path: pathOf(endpoint, path),
      headers: sent,
      header: (name) => sent[name] as string | undefined,
      peer: outer.incoming.peer,
      query: asTexts(query),
      params: path as Record<string, string>,
    };
    return {
      incoming,
      endpoint,
      allowedMethods: undefined,
      requestId: outer.requestId,
      client: { ...outer.client },
      caller: outer.caller,
      session: undefined,
      authenticated: false,
      headers: {},
      source: 'mcp',
    };
  }
}
