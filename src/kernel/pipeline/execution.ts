/** From a request that may be made to its effect: input, replay, handler, audit, all writes in one transaction. */
import type { Db } from '../../store/database.ts';
import { append } from '../audit/store.ts';
import { type Done, nothingDone } from '../call.ts';
import type { EventActor } from '../events/event.ts';
import { writeEvents } from '../events/writing.ts';
import { callerOf, type Exchange, endpointOf } from '../exchange.ts';
import { startOperation } from '../operations/operations.ts';
import { operationUrl } from '../operations/schema.ts';
import { Problem } from '../problems/problem.ts';
import { isWrite } from '../record.ts';
import type { Services } from '../services.ts';
import { approval } from './approval.ts';
import { entryOf } from './audit.ts';
import { dryRunResult } from './dry-run.ts';
import { keepAnswer, replay } from './idempotency.ts';
import { type Input, readInput } from './input.ts';
import { answer, notModified, type Result, rememberable } from './output.ts';

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

function handle(exchange: Exchange, services: Services, input: Input, db: Db, done: Done) {
  return endpointOf(exchange).handle({
    params: input.params,
    query: input.query,
    body: input.body,
    caller: callerOf(exchange),
    client: exchange.client,
    db,
    services,
    requestId: exchange.requestId,
    now: new Date(),
    checkVersion: (etag) => checkVersion(input, etag),
    effect: (effect) => done.effects.push(effect),
    warn: (warning) => done.warnings.push(warning),
    cost: (cost) => done.costs.push(cost),
    event: (event) => done.events.push(event),
    start: async (start) => {
      done.operation = await startOperation(db, services.registry, start, {
        accountId: callerOf(exchange).account.id,
        actor: actorOf(exchange),
        permission: endpointOf(exchange).permission,
        requestId: exchange.requestId,
      });
      return done.operation;
    },
  });
}

function actorOf(exchange: Exchange): EventActor {
  const { key, owner } = callerOf(exchange);
  return { kind: 'api_key', api_key_id: key.id, member_id: owner?.memberId ?? null };
}

function nextPage(exchange: Exchange, services: Services, query: Readonly<Record<string, unknown>>) {
  return (cursor: string): string => {
    const kept = Object.entries({ ...query, cursor }).map(([name, value]): [string, string] => [
      name,
      String(value),
    ]);
    return `${services.baseUrl}${exchange.incoming.path}?${new URLSearchParams(kept)}`;
  };
}

async function read(exchange: Exchange, services: Services, input: Input): Promise<Result> {
  const reply = await handle(exchange, services, input, services.db, nothingDone());
  const result = answer(endpointOf(exchange), reply, nextPage(exchange, services, input.query));
  return notModified(result, input.ifNoneMatch);
}

/** Ends a transaction without keeping it. */
class Undone extends Error {
  readonly result: Result;
  constructor(result: Result) {
    super('dry run');
    this.result = result;
  }
}

async function write(exchange: Exchange, services: Services, input: Input): Promise<Result> {
  const endpoint = endpointOf(exchange);
  const work = services.db.transaction().execute(async (tx) => {
    const replayed = await replay(tx, exchange, input);
    if (replayed !== undefined) return replayed;
    const done = nothingDone();
    const reply = await handle(exchange, services, input, tx, done);
    // All effects are rows: engines act only on what was committed. So a dry run is the real call, undone.
    if (input.dryRun) throw new Undone(dryRunResult(services, done));
    approval(exchange);
    const result = answer(endpoint, reply, nextPage(exchange, services, input.query));
    if (done.operation !== null && reply.status === 202)
      result.headers['operation-location'] = operationUrl(services.baseUrl, done.operation.id);
    await keepAnswer(tx, exchange, input, result, rememberable(endpoint, reply));
    const accountId = callerOf(exchange).account.id;
    await writeEvents(tx, services.registry, { accountId, actor: actorOf(exchange) }, done.events);
    await append(
      tx,
      accountId,
      entryOf(exchange, {
        status: reply.status,
        effects: done.effects,
        operationId: done.operation?.id ?? null,
      }),
    );
    return result;
  });
  return work.catch((error: unknown) => {
    if (error instanceof Undone) return error.result;
    throw error;
  });
}

export async function execute(exchange: Exchange, services: Services, body: unknown): Promise<Result> {
  const input = readInput(exchange, body);
  const run = isWrite(endpointOf(exchange)) ? write : read;
  // A promise that is handed on takes two turns more than one that is awaited.
  return await run(exchange, services, input);
}
