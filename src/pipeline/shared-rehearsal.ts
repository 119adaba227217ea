/**
 * Rehearses several writes in one transaction, which is rolled back: each finds the rows that those before it made. Like
 * a dry run, it performs no acts, and engines are asked before it. It gives up rather than keep others waiting.
 */
import { callerOf, type Exchange, endpointOf, type Incoming } from '../kernel/exchange.ts';
import { Problem } from '../kernel/problems/problem.ts';
import type { Services } from '../kernel/services.ts';
import type { Tx } from '../store/database.ts';
import { inSavepoint, limitWaits } from '../store/savepoint.ts';
import { transact } from '../store/transaction.ts';
import { foreseenBy, handle, prepare } from './handling.ts';
import { readInput } from './input.ts';
import { answer } from './output.ts';

/** A request with the values that it takes from earlier answers. */
export interface Filled {
  readonly incoming: Incoming;
  readonly body: unknown;
}

export interface SharedCall {
  /** Admitted already. */
  readonly exchange: Exchange;
  /** With values like those that it will have, for the questions to engines before there are any. */
  readonly sample: Filled;
  /** Undefined if an answer that it needs is not there. */
  fill(answers: readonly unknown[]): Filled | undefined;
}

/** `answer`: what the call itself would answer. */
export type SharedOutcome =
  | { readonly foreseen: string; readonly answer: unknown }
  | { readonly refused: Problem; readonly exchange: Exchange; readonly body: unknown };

/** PostgreSQL looks for deadlocks after a second, so it never ends the transaction of another call for this one. */
const LOCK_MS = 500;
const STATEMENT_MS = 2_000;
/** No call begins after this time. */
const ALL_MS = 4_000;

const GIVEN_UP = new Set(['55P03', '57014', '40P01']);
const isGivenUp = (error: unknown): boolean =>
  GIVEN_UP.has(String((error as { readonly code?: unknown } | null)?.code));

type Prepared = { readonly value: unknown } | undefined;

/** Undefined if the engine cannot be asked yet, or does not answer: then the call cannot be rehearsed. */
async function prepared({ exchange, sample }: SharedCall, services: Services): Promise<Prepared> {
  if (endpointOf(exchange).prepare === undefined) return { value: undefined };
  try {
    const sampled = { ...exchange, incoming: sample.incoming };
    return { value: await prepare(sampled, services, readInput(sampled, services, sample.body)) };
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

async function rehearse(
  tx: Tx,
  services: Services,
  { exchange, body }: { readonly exchange: Exchange; readonly body: unknown },
  value: unknown,
): Promise<SharedOutcome> {
  try {
    return await inSavepoint(tx, async () => {
      const input = readInput(exchange, services, body);
      const { reply, done } = await handle(tx, exchange, services, input, value);
      const foreseen = (await foreseenBy(tx, exchange, services, done)).body ?? '{}';
      const made = answer(endpointOf(exchange), reply, () => '').body;
      return { foreseen, answer: made === null ? null : JSON.parse(made) };
    });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { refused: error, exchange, body };
  }
}

class RolledBack extends Error {
  readonly outcomes: readonly (SharedOutcome | undefined)[];
  constructor(outcomes: readonly (SharedOutcome | undefined)[]) {
    super('rehearsal');
    this.outcomes = outcomes;
  }
}

/**
 * The outcomes by the number of the call. Undefined for a call that could not be rehearsed; undefined for all if locks of
 * other calls, or the time, did not allow it. `known`: answers that are there already, by number.
 */
export async function rehearseTogether(
  services: Services,
  calls: ReadonlyMap<number, SharedCall>,
  known: readonly unknown[],
): Promise<readonly (SharedOutcome | undefined)[] | undefined> {
  const [first] = calls.values();
  if (first === undefined) return [];
  const ready = new Map<number, Prepared>();
  for (const [i, call] of calls) ready.set(i, await prepared(call, services));
  const perform = async (tx: Tx): Promise<never> => {
    const began = performance.now();
    await limitWaits(tx, LOCK_MS, STATEMENT_MS);
    const answers = [...known];
    const outcomes: (SharedOutcome | undefined)[] = [];
    for (const [i, call] of calls) {
      const value = ready.get(i);
      const filled = call.fill(answers);
      if (value === undefined || filled === undefined || performance.now() - began > ALL_MS) continue;
      const exchange = { ...call.exchange, incoming: filled.incoming };
      const outcome = await rehearse(tx, services, { exchange, body: filled.body }, value.value);
      outcomes[i] = outcome;
      if ('answer' in outcome) answers[i] = outcome.answer;
    }
    throw new RolledBack(outcomes);
  };
  const accountId = callerOf(first.exchange).account.id;
  try {
    return await services.turns.take(accountId, () => transact(services.db, perform));
  } catch (error) {
    if (isGivenUp(error)) return undefined;
    if (error instanceof RolledBack) return error.outcomes;
    throw error;
  }
}
