/** Engines that tell only how machines are now are asked again and again: what they said is what metrics are made of. */

import { eachEngine } from '../../../engines/reconciler/each-engine.ts';
import type { Schedule } from '../../../kernel/schedule.ts';

/** Nobody waits for it; but the next time comes. */
const PATIENCE_MS = 45_000;

export const machineSamples: Schedule = {
  name: 'flexible-vps.samples',
  everySeconds: 60,
  run: (services) =>
    eachEngine(services, services.compute, async (engine) =>
      engine.sample?.(AbortSignal.timeout(PATIENCE_MS)),
    ),
};
