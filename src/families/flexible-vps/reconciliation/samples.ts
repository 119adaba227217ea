/** Samples the machines of engines that keep no history of their own. The metrics are built from these samples. */
import { eachEngine } from '../../../engines/reconciler/each-engine.ts';
import type { Schedule } from '../../../kernel/schedule.ts';

/** No client waits for the samples, but a run has to end before the next run. */
const PATIENCE_MS = 45_000;

export const machineSamples: Schedule = {
  name: 'flexible-vps.samples',
  everySeconds: 60,
  run: (services) =>
    eachEngine(services, services.compute, async (engine) =>
      engine.sample?.(AbortSignal.timeout(PATIENCE_MS)),
    ),
};
