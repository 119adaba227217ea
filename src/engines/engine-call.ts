/**
 * The one way from request handlers to engines. An engine error becomes a problem of the problem catalogue, a call
 * that the engine does not answer is given up after a short time, and only a few calls to an engine run at once. No
 * transaction is open meanwhile: reads have none, and writes ask in `prepare`, before theirs, or act after it.
 */
import type { OperationErrorCode } from '../kernel/operations/schema.ts';
import type { ProblemCode } from '../kernel/problems/catalogue.ts';
import { Problem } from '../kernel/problems/problem.ts';
import { Turns } from '../kernel/turns.ts';
import type { Engine, Engines } from './engine.ts';
import { engineAt } from './engine-step.ts';
import { CapabilityMissing, EngineRefused, EngineUnreachable } from './errors.ts';

const PATIENCE_MS = 4_000;
const RETRY_SECONDS = 5;

const turns = new Turns<Engine>({
  atOnce: 8,
  patienceMs: 2_000,
  retryAfterSeconds: RETRY_SECONDS,
  refusal: 'Too many calls wait for the engine of this location at the moment.',
});

/** Maps the code of an engine's refusal to the problem of the endpoint. Other refusals become `engine_unavailable`. */
export type RefusalProblems = Readonly<Partial<Record<OperationErrorCode, ProblemCode>>>;

type EngineCall<E, T> = (engine: E, signal: AbortSignal) => Promise<T>;

const unavailable = (detail: string, cause?: unknown): Problem =>
  new Problem('engine_unavailable', { detail, retryAfterSeconds: RETRY_SECONDS, cause });

const missing = (capability: string, detail: string): Problem =>
  new Problem('capability_missing', { detail, extra: { capability } });

function problemOf(error: unknown, problems: RefusalProblems): unknown {
  if (error instanceof Problem) return error;
  if (error instanceof CapabilityMissing) return missing(error.capability, error.message);
  if (error instanceof EngineRefused) {
    const code = problems[error.code];
    return code === undefined
      ? unavailable(error.message, error)
      : new Problem(code, { detail: error.message });
  }
  return error instanceof EngineUnreachable ? unavailable(error.message, error) : error;
}

/** Returns the engine of the location, or throws `capability_missing` with the reason that the driver declares. */
export function requireCapability<Name extends string, E extends Engine<Name>>(
  engines: Engines<E>,
  location: string,
  capability: Name,
): E {
  const engine = engines.at(location);
  if (engine === undefined) throw unavailable(`No engine serves ${location} at the moment.`);
  const reason = engine.capabilities[capability];
  if (reason !== true) throw missing(capability, reason);
  return engine;
}

/** Gives up after this time, also if the driver ignores the signal. */
async function withPatience<T>(
  location: string,
  patienceMs: number,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const patience = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const given = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(unavailable(`The engine of ${location} did not answer within ${patienceMs / 1000} seconds.`));
      patience.abort();
    }, patienceMs);
  });
  try {
    return await Promise.race([given, call(patience.signal)]);
  } finally {
    clearTimeout(timer);
  }
}

export async function ask<E extends Engine, T>(
  engines: Engines<E>,
  location: string,
  problems: RefusalProblems,
  call: EngineCall<E, T>,
): Promise<T> {
  try {
    return await askEngine(engineAt(engines, location), call);
  } catch (error) {
    throw problemOf(error, problems);
  }
}

/** Like `ask`, but rejects with the error of the engine. */
export function askEngine<E extends Engine, T>(
  engine: E,
  call: EngineCall<E, T>,
  patienceMs = PATIENCE_MS,
): Promise<T> {
  return turns.take(engine, () =>
    withPatience(engine.location, patienceMs, (signal) => call(engine, signal)),
  );
}

/** What an engine answered before the transaction began: returns the answer, or throws the problem there was. */
export type Answer<T> = () => T;

/** Keeps a problem for the handler, which throws it when it needs the answer: its own checks come first. */
export async function answerOf<T>(asked: Promise<T>): Promise<Answer<T>> {
  try {
    const value = await asked;
    return () => value;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return () => {
      throw error;
    };
  }
}
