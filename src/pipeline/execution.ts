/** Executes an admitted request: input, idempotent replay, handler, audit entry. All writes share one transaction. */
import { append } from '../kernel/audit/store.ts';
import { type Act, nothingDone } from '../kernel/call.ts';
import { writeEvents } from '../kernel/events/write-events.ts';
import { callerOf, type Exchange, endpointOf } from '../kernel/exchange.ts';
import { operationUrl } from '../kernel/operations/schema.ts';
import { Problem } from '../kernel/problems/problem.ts';
import { isWrite } from '../kernel/record.ts';
import type { Services } from '../kernel/services.ts';
import { Departure } from '../kernel/waiting/client-gone.ts';
import type { Tx } from '../store/database.ts';
import { transact } from '../store/transaction.ts';
import { inTurns } from '../store/turned-database.ts';
import { afterActs } from './acts.ts';
import { checkApproval, requestApproval, Unapproved } from './approval.ts';
import { entryOf } from './audit.ts';
import { actorOf, callOf } from './call-context.ts';
import { dryRunFormatFor, formatFor } from './format.ts';
import { foreseenBy, handle, prepare } from './handling.ts';
import { isRepeated, keepAnswer, replay } from './idempotency.ts';
import { type Input, readInput } from './input.ts';
import { answer, inFormat, notModified, type Result, rememberable } from './output.ts';
import { applied, awaitEnd, holdFor, type Leave } from './wait.ts';
import { warningsHeader } from './warnings.ts';

function nextPage(exchange: Exchange, services: Services, query: Readonly<Record<string, unknown>>) {
  return (cursor: string): string => {
    const kept = Object.entries({ ...query, cursor }).map(([name, value]): [string, string] => [
      name,
      String(value),
    ]);
    return `${services.baseUrl}${exchange.incoming.path}?${new URLSearchParams(kept)}`;
  };
}

/** A read that answers with a secret leaves an audit entry, which is committed before the answer is sent. */
async function read(exchange: Exchange, services: Services, input: Input, leave: Leave): Promise<Result> {
  const endpoint = endpointOf(exchange);
  const hold = holdFor(exchange, services, input, leave);
  const accountId = callerOf(exchange).account.id;
  const db = inTurns(services.db, (work) => services.readTurns.take(accountId, work));
  const done = nothingDone();
  const reply = await endpoint.handle(callOf(exchange, services, input, { db, done, hold }));
  const format = formatFor(exchange);
  const result = answer(endpoint, reply, nextPage(exchange, services, input.query), format);
  if (services.registry.audited.has(endpoint.id)) {
    const entry = entryOf(exchange, { status: reply.status, effects: done.effects });
    await transact(db, (tx) => append(tx, accountId, entry));
  }
  return notModified(applied(result, input), input.ifNoneMatch);
}

/** Rolls back the transaction of a dry run and carries its result. */
class Undone extends Error {
  readonly result: Result;
  constructor(result: Result) {
    super('dry run');
    this.result = result;
  }
}

/** Rolls back the transaction of a call that has passed all checks, so that its acts run without a connection. */
class ActsDue extends Error {
  readonly acts: readonly Act[];
  constructor(acts: readonly Act[]) {
    super('acts due');
    this.acts = acts;
  }
}

/** A repeated request is answered from the stored answer, so its engines are not asked. */
async function prepareOnce(exchange: Exchange, services: Services, input: Input): Promise<unknown> {
  if (endpointOf(exchange).prepare === undefined || (await isRepeated(services.db, exchange, input)))
    return undefined;
  return prepare(exchange, services, input);
}

async function write(exchange: Exchange, services: Services, input: Input): Promise<Result> {
  const endpoint = endpointOf(exchange);
  const accountId = callerOf(exchange).account.id;
  const prepared = await prepareOnce(exchange, services, input);
  const perform = async (tx: Tx, hasActed: boolean): Promise<Result> => {
    const replayed = await replay(tx, exchange, input);
    if (replayed !== undefined) return replayed;
    const { reply, done } = await handle(tx, exchange, services, input, prepared);
    // Up to here every effect is a row of this transaction; acts run later, and engines act on committed rows only.
    // So a dry run is the real call, rolled back.
    if (input.dryRun) throw new Undone(await foreseenBy(tx, exchange, services, done));
    const approvalId = await checkApproval(tx, exchange, services, { input, done });
    if (done.acts.length > 0 && !hasActed) throw new ActsDue(done.acts);
    const result = answer(endpoint, reply, nextPage(exchange, services, input.query));
    if (done.operation !== null && reply.status === 202)
      result.headers['operation-location'] = operationUrl(services.baseUrl, done.operation.id);
    if (done.warnings.length > 0) result.headers['hostplane-warnings'] = warningsHeader(done.warnings);
    await keepAnswer(tx, exchange, input, result, () => rememberable(endpoint, reply));
    await writeEvents(tx, services.registry, { accountId, actor: actorOf(exchange) }, done.events);
    await append(
      tx,
      accountId,
      entryOf(exchange, {
        status: reply.status,
        effects: done.effects,
        operationId: done.operation?.id ?? null,
        approvalId,
      }),
    );
    return result;
  };
  const attempt = (hasActed: boolean): Promise<Result> =>
    services.turns.take(accountId, () => transact(services.db, (tx) => perform(tx, hasActed)));
  const work = attempt(false).catch((error: unknown) => {
    if (!(error instanceof ActsDue)) throw error;
    return afterActs(services.db, exchange, input, error.acts, () => attempt(true));
  });
  return work.catch(async (error: unknown) => {
    if (error instanceof Undone) return inFormat(error.result, dryRunFormatFor(exchange));
    if (error instanceof Unapproved)
      throw await requestApproval(services, exchange, error, { input, actor: actorOf(exchange) });
    throw error instanceof Problem ? await error.complete() : error;
  });
}

const never: Leave = () => new Departure();

/** Throws synchronously for invalid input and rejects for later refusals. An `await` within a `try` catches both. */
export function execute(
  exchange: Exchange,
  services: Services,
  body: unknown,
  leave: Leave = never,
): Promise<Result> {
  const input = readInput(exchange, services, body);
  if (!isWrite(endpointOf(exchange))) return read(exchange, services, input, leave);
  const result = write(exchange, services, input);
  return input.wait === null
    ? result
    : result.then((accepted) => awaitEnd(exchange, services, input, accepted, leave));
}
