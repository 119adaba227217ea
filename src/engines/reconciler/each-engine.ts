import type { Services } from '../../kernel/services.ts';
import type { Engine, Engines } from '../engine.ts';

/** Runs the work on all engines of a port at once. The rows of an engine that fails stay as they are until the next run. */
export async function eachEngine<E extends Engine>(
  { log }: Pick<Services, 'log'>,
  engines: Engines<E>,
  work: (engine: E) => Promise<void>,
): Promise<void> {
  await Promise.all(
    engines.all.map((engine) =>
      work(engine).catch((error: unknown) =>
        log.warn({ err: error, location: engine.location }, 'an engine could not be looked through'),
      ),
    ),
  );
}
