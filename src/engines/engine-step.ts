/** Operation steps that call an engine. An engine error becomes the outcome of the step. */
import { failed, type Outcome, type Step, type Work } from '../kernel/operations/kind.ts';
import type { Engine, Engines } from './engine.ts';
import { EngineRefused, EngineUnreachable } from './errors.ts';

/** A refusal is final. A step whose engine did not answer is retried until the deadline of its operation. */
function outcomeOf(error: unknown): Outcome {
  if (error instanceof EngineRefused) return failed(error.code, error.message);
  if (error instanceof EngineUnreachable) return failed('engine_unavailable', error.message, true);
  throw error;
}

export function step<I>(
  name: string,
  run: (work: Work<I>) => Promise<Outcome>,
  options: Pick<Step<I>, 'final' | 'foreign'> = {},
): Step<I> {
  return {
    name,
    ...options,
    run: (work) => run(work).catch(outcomeOf),
  };
}

/**
 * A location without an engine counts as unreachable: the provider may have removed the engine from the provider file
 * for a while, and the step is retried until the engine is back.
 */
export function engineAt<E extends Engine>(engines: Engines<E>, location: string): E {
  const engine = engines.at(location);
  if (engine === undefined) throw new EngineUnreachable(`No engine serves ${location} at the moment.`);
  return engine;
}
