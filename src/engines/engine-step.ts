/** Steps that ask an engine: what it says becomes the outcome of the step, in words the operation may end with. */

import { type ComputeEngine, EngineRefused, EngineUnreachable } from '../../engines/compute/port.ts';
import { failed, type Outcome, type Step, type Work } from '../../kernel/operations/kind.ts';
import type { Services } from '../../kernel/services.ts';

/** Refusals are final, silence is not: the step is tried again until the deadline of its operation. */
function outcomeOf(error: unknown): Outcome {
  if (error instanceof EngineRefused) return failed(error.code, error.message);
  if (error instanceof EngineUnreachable) return failed('engine_unavailable', error.message, true);
  throw error;
}

export function step<I>(
  name: string,
  run: (work: Work<I>) => Promise<Outcome>,
  options: { readonly final?: true } = {},
): Step<I> {
  return {
    name,
    ...options,
    run: (work) => run(work).catch(outcomeOf),
  };
}

/** Where there is none, nothing can be there either: work on it waits until the provider has put it back. */
export function engineAt({ compute }: Pick<Services, 'compute'>, location: string): ComputeEngine {
  const engine = compute.at(location);
  if (engine === undefined) throw new EngineUnreachable(`No engine serves ${location} at the moment.`);
  return engine;
}
