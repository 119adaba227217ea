import type { Services } from '../../kernel/services.ts';
import type { Engine, Engines } from '../engine.ts';

/** Runs `work` for all engines of a port in parallel. If an engine fails, its rows wait for the next run. */
export async function eachEngine<E extends Engine>(
  { log }: Pick<Services, 'log'>,
  engines: Engines<E>,
  work: (engine: E) => Promise<void>,
): Promise<void> {
  await Promise.all(
    engines.all.map((engine) =>
      work(engine).catch((error: unknown) =>
        log.warn(
          { err: error, location: engine.location },
          'the run for this engine failed; the next run tries again',
        ),
      ),
    ),
  );
}
