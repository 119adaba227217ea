/** Graceful stop and restart, followed by a forced one if the guest does not shut down in time. */
import { type ComputeEngine, EngineRefused, type Ref } from '../../../engines/compute/port.ts';

export interface Grace {
  readonly timeoutSeconds: number;
  /** Whether to force the stop after the timeout. If false, the guest keeps running and the call fails. */
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
