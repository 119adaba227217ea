/** Asking a guest to go down, and what follows when it does not listen. */
import { type ComputeEngine, EngineRefused, type Ref } from '../../../engines/compute/port.ts';

export interface Grace {
  readonly timeoutSeconds: number;
  /** Whether a guest that does not go in time is cut off; else it runs on and the call is refused. */
  readonly force: boolean;
}

async function orForced(grace: Grace, ask: () => Promise<void>, force: () => Promise<void>): Promise<void> {
  try {
    await ask();
  } catch (error) {
    const isDeaf = error instanceof EngineRefused && error.code === 'shutdown_timeout';
    if (!isDeaf || !grace.force) throw error;
    await force();
  }
}

export const ensureDown = (
  engine: ComputeEngine,
  ref: Ref,
  grace: Grace,
  signal: AbortSignal,
): Promise<void> =>
  orForced(
    grace,
    () => engine.ensureStopped(ref, { force: false, timeoutSeconds: grace.timeoutSeconds }, signal),
    () => engine.ensureStopped(ref, { force: true }, signal),
  );

export const restart = (
  engine: ComputeEngine,
  ref: Ref,
  grace: Grace,
  once: string,
  signal: AbortSignal,
): Promise<void> =>
  orForced(
    grace,
    () => engine.restart(ref, { force: false, timeoutSeconds: grace.timeoutSeconds, once }, signal),
    () => engine.restart(ref, { force: true, once }, signal),
  );
