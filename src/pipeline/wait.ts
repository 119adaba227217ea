/** Calls that wait: a read waits until there is news, a change waits until its operation has ended. */
import { addressEndsAt } from '../kernel/access/allowlist.ts';
import { nothingDone } from '../kernel/call.ts';
import { callerOf, type Exchange, endpointOf } from '../kernel/exchange.ts';
import { DELETED } from '../kernel/lifecycle.ts';
import { hasEnded, type OperationRow, presentOperation } from '../kernel/operations/schema.ts';
import { findOperation } from '../kernel/operations/store.ts';
import type { Refused } from '../kernel/problems/problem.ts';
import { Problem } from '../kernel/problems/problem.ts';
import { type Endpoint, isOperation } from '../kernel/record.ts';
import type { Services } from '../kernel/services.ts';
import { endOf } from '../kernel/waiting/channels.ts';
import type { Departure } from '../kernel/waiting/client-gone.ts';
import { hold, type Patience } from '../kernel/waiting/hold.ts';
import { isUnavailable } from '../store/unavailable.ts';
import { readmit } from './admission.ts';
import { callOf, type Hold } from './call-context.ts';
import { failedCreate } from './failed-create.ts';
import type { Input } from './input.ts';
import { answer, type Result } from './output.ts';

/** Returns the `Departure` that reports when the client disconnects. Only calls that wait create one. */
export type Leave = () => Departure;

export class CallersPatience implements Patience {
  readonly #exchange: Exchange;
  readonly #services: Services;
  readonly milliseconds: number;
  readonly departure: Departure;
  readonly #recheck: typeof readmit;

  constructor(
    exchange: Exchange,
    services: Services,
    milliseconds: number,
    departure: Departure,
    recheck = readmit,
  ) {
    this.#exchange = exchange;
    this.#services = services;
    this.milliseconds = milliseconds;
    this.departure = departure;
    this.#recheck = recheck;
  }

  get accountId(): string {
    return callerOf(this.#exchange).account.id;
  }

  isCurrent(): boolean {
    return this.#services.access.isCurrent(callerOf(this.#exchange));
  }

  endsAt(): number {
    const { session, client } = this.#exchange;
    const { key, account } = callerOf(this.#exchange);
    if (key === null) return session?.endsAt ?? 0;
    return Math.min(key.endsAt, addressEndsAt(account, client.address));
  }

  readmit(): Refused | Promise<Refused> {
    return this.#recheck(this.#exchange, this.#services);
  }
}

/** For reads. Undefined if the caller does not want to wait or the endpoint does not support waiting. */
export function holdFor(
  exchange: Exchange,
  services: Services,
  { wait }: Input,
  leave: Leave,
): Hold | undefined {
  if (wait === null || endpointOf(exchange).waits !== true) return undefined;
  const patience = new CallersPatience(exchange, services, wait * 1000, leave());
  return (holding) => hold(services.waiters, patience, holding);
}

/** Adds the header `Preference-Applied`, which names the preference that was honoured (RFC 7240). */
export function applied(result: Result, { wait }: Input): Result {
  if (wait !== null) result.headers['preference-applied'] = `wait=${wait}`;
  return result;
}

const lastSegment = (url: string): string => url.slice(url.lastIndexOf('/') + 1);

/**
 * Waits for the end of the operation that a committed change started. If the caller loses its access meanwhile, or
 * the database cannot be read, the call still returns the 202 of the change, because the change is made.
 */
export async function awaitEnd(
  exchange: Exchange,
  services: Services,
  input: Input,
  accepted: Result,
  leave: Leave,
): Promise<Result> {
  const location = accepted.headers['operation-location'];
  if (input.wait === null || accepted.status !== 202 || location === undefined) return accepted;
  const { db, waiters } = services;
  const accountId = callerOf(exchange).account.id;
  const id = lastSegment(location);
  const patience = new CallersPatience(exchange, services, input.wait * 1000, leave());
  const operation = await hold(waiters, patience, {
    keys: [endOf(id)],
    look: () => findOperation(db, accountId, id),
    isDone: (row) => row === undefined || hasEnded(row.status),
  }).catch((error: unknown) => {
    if (error instanceof Problem || isUnavailable(error)) return undefined;
    throw error;
  });
  if (operation === undefined || !hasEnded(operation.status)) return applied(accepted, input);
  if (operation.on_failure === 'delete' && operation.status !== 'succeeded')
    throw failedCreate(
      operation,
      applied({ ...accepted, headers: { 'operation-location': location } }, input).headers,
    );
  const result = finalResult(exchange, services, input, accepted, operation).catch((error: unknown) => {
    if (isUnavailable(error)) return accepted;
    throw error;
  });
  return applied(await result, input);
}

async function finalResult(
  exchange: Exchange,
  services: Services,
  input: Input,
  accepted: Result,
  operation: OperationRow,
): Promise<Result> {
  const endpoint = endpointOf(exchange);
  const view = presentOperation(operation, services.baseUrl);
  const isItself = endpoint.answers[202] != null && isOperation(endpoint.answers[202]);
  // Members that only the 202 contains (a secret that is shown once) are kept; all others are read again.
  const before = JSON.parse(accepted.body ?? '{}') as Record<string, unknown>;
  const now = isItself ? {} : ((await readNow(exchange, services, input, before['id'])) ?? GONE);
  const body = isItself ? view : { ...before, ...now, operation: view };
  const result = answer(endpoint, { status: 200, body }, () => '');
  return { ...result, headers: { ...accepted.headers, ...result.headers } };
}

/** Members of a resource that no longer exists; the others are those of the 202. */
const GONE = { status: DELETED };

const defaultsOf = ({ query }: Endpoint): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(query.properties as Record<string, { default?: unknown }>).flatMap(([name, member]) =>
      member.default === undefined ? [] : [[name, member.default]],
    ),
  );

/** Reads the resource as it is now; undefined if it no longer exists. */
async function readNow(
  exchange: Exchange,
  services: Services,
  input: Input,
  id: unknown,
): Promise<Record<string, unknown> | undefined> {
  const read = services.registry.finalReads.get(endpointOf(exchange).id);
  if (read === undefined) return {};
  const { reader, idParam } = read;
  const params = { ...(input.params as object), ...(idParam === null ? {} : { [idParam]: id }) };
  const ask = async (query: Record<string, unknown>): Promise<unknown> => {
    const means = { db: services.db, done: nothingDone() };
    return (await reader.handle(callOf(exchange, services, { ...input, params, query }, means))).body;
  };
  try {
    return reader.resource.role === 'list'
      ? await rowOf(ask, reader, id)
      : ((await ask(defaultsOf(reader))) as Record<string, unknown>);
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return undefined;
    throw error;
  }
}

interface ListPage {
  readonly data: readonly Record<string, unknown>[];
  readonly next_cursor: string | null;
}

/** Looks for the row of a resource without a read endpoint on all pages of its list, as large as they may be. */
async function rowOf(
  ask: (query: Record<string, unknown>) => Promise<unknown>,
  reader: Endpoint,
  id: unknown,
): Promise<Record<string, unknown> | undefined> {
  const { limit } = reader.query.properties as { limit?: { maximum?: number } };
  const query = { ...defaultsOf(reader), ...(limit?.maximum === undefined ? {} : { limit: limit.maximum }) };
  for (let more = {}; ; ) {
    const { data, next_cursor } = (await ask({ ...query, ...more })) as ListPage;
    const row = data.find((each) => each['id'] === id);
    if (row !== undefined || next_cursor === null) return row;
    more = { cursor: next_cursor };
  }
}
