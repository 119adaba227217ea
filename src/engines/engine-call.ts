/** Engines asked while a caller waits: what they refuse is the problem of the call, and silence ends soon. */
import {
  CapabilityMissing,
  type CapabilityName,
  type ComputeEngine,
  EngineRefused,
  EngineUnreachable,
} from '../../../engines/compute/port.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import type { Services } from '../../../kernel/services.ts';
import { engineAt } from '../engine-step.ts';

const PATIENCE_MS = 10_000;
const RETRY_SECONDS = 5;

/** A transaction that waits for an engine keeps a connection from all others: so many may, of those of a process. */
const MOST_HELD = 4;

type Home = Pick<Services, 'compute'>;
type Ask<T> = (engine: ComputeEngine, signal: AbortSignal) => Promise<T>;

const unavailable = (detail: string, cause?: unknown): Problem =>
  new Problem('engine_unavailable', { detail, retryAfterSeconds: RETRY_SECONDS, cause });

function problemOf(error: unknown, hasGivenUp: boolean): unknown {
  if (error instanceof Problem) return error;
  if (error instanceof CapabilityMissing) return missing(error.capability, error.message);
  if (error instanceof EngineRefused) {
    if (error.code === 'invalid_state' || error.code === 'not_found')
      return new Problem('vm_not_running', { detail: error.message });
    if (error.code === 'guest_agent_unavailable') return new Problem(error.code, { detail: error.message });
    return unavailable(error.message, error);
  }
  if (hasGivenUp)
    return unavailable(`The engine did not answer within ${PATIENCE_MS / 1000} seconds.`, error);
  return error instanceof EngineUnreachable ? unavailable(error.message, error) : error;
}

const missing = (capability: string, detail: string): Problem =>
  new Problem('capability_missing', { detail, extra: { capability } });

/** The engine of a location that can do this. */
export function requireCapability(
  { compute }: Home,
  location: string,
  capability: CapabilityName,
): ComputeEngine {
  const engine = compute.at(location);
  if (engine === undefined) throw unavailable(`No engine serves ${location} at the moment.`);
  const reason = engine.capabilities[capability];
  if (reason !== true) throw missing(capability, reason);
  return engine;
}

export async function ask<T>(services: Home, location: string, question: Ask<T>): Promise<T> {
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), PATIENCE_MS);
  try {
    return await question(engineAt(services, location), patience.signal);
  } catch (error) {
    throw problemOf(error, patience.signal.aborted);
  } finally {
    clearTimeout(timer);
  }
}

const held = new WeakMap<Services['compute'], number>();

/** From within a transaction. */
export async function askHolding<T>(services: Home, location: string, question: Ask<T>): Promise<T> {
  const { compute } = services;
  const before = held.get(compute) ?? 0;
  if (before >= MOST_HELD) throw unavailable('Too many calls wait for an engine at the moment.');
  held.set(compute, before + 1);
  try {
    return await ask(services, location, question);
  } finally {
    held.set(compute, (held.get(compute) ?? 1) - 1);
  }
}
