/**
 * Engine calls from request handlers whose client waits for the response. An engine error becomes a problem of the
 * problem catalogue, and a call that the engine does not answer times out.
 */
import type { OperationErrorCode } from '../kernel/operations/schema.ts';
import type { ProblemCode } from '../kernel/problems/catalogue.ts';
import { Problem } from '../kernel/problems/problem.ts';
import type { Engine, Engines } from './engine.ts';
import { engineAt } from './engine-step.ts';
import { CapabilityMissing, EngineRefused, EngineUnreachable } from './errors.ts';

const PATIENCE_MS = 10_000;
const RETRY_SECONDS = 5;

/**
 * A transaction that waits for an engine holds a connection of the pool, which other requests cannot use meanwhile. At
 * most this many transactions of a process may wait for the engines of a port.
 */
const MOST_HELD = 4;

/** Maps the code of an engine's refusal to the problem of the endpoint. Other refusals become `engine_unavailable`. */
export type RefusalProblems = Readonly<Partial<Record<OperationErrorCode, ProblemCode>>>;

type EngineCall<E, T> = (engine: E, signal: AbortSignal) => Promise<T>;

const unavailable = (detail: string, cause?: unknown): Problem =>
  new Problem('engine_unavailable', { detail, retryAfterSeconds: RETRY_SECONDS, cause });

const missing = (capability: string, detail: string): Problem =>
  new Problem('capability_missing', { detail, extra: { capability } });

function problemOf(error: unknown, problems: RefusalProblems, hasGivenUp: boolean): unknown {
  if (error instanceof Problem) return error;
  if (error instanceof CapabilityMissing) return missing(error.capability, error.message);
  if (error instanceof EngineRefused) {
    const code = problems[error.code];
    return code === undefined
      ? unavailable(error.message, error)
      : new Problem(code, { detail: error.message });
  }
  if (hasGivenUp)
    return unavailable(`The engine did not answer within ${PATIENCE_MS / 1000} seconds.`, error);
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

export async function ask<E extends Engine, T>(
  engines: Engines<E>,
  location: string,
  problems: RefusalProblems,
  call: EngineCall<E, T>,
): Promise<T> {
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), PATIENCE_MS);
  try {
    return await call(engineAt(engines, location), patience.signal);
  } catch (error) {
    throw problemOf(error, problems, patience.signal.aborted);
  } finally {
    clearTimeout(timer);
  }
}

const held = new WeakMap<Engines<Engine>, number>();

/** Like `ask`, for handlers that keep a transaction open during the call. Refuses if too many handlers already do. */
export async function askHolding<E extends Engine, T>(
  engines: Engines<E>,
  location: string,
  problems: RefusalProblems,
  call: EngineCall<E, T>,
): Promise<T> {
  const before = held.get(engines) ?? 0;
  if (before >= MOST_HELD) throw unavailable('Too many calls wait for an engine at the moment.');
  held.set(engines, before + 1);
  try {
    return await ask(engines, location, problems, call);
  } finally {
    held.set(engines, (held.get(engines) ?? 1) - 1);
  }
}
