/** Reconciles machines at once when an engine reports that they changed without a call from Hostplane. */
import { watchEngines } from '../../../engines/reconciler/nudges.ts';
import type { Services } from '../../../kernel/services.ts';
import { observeMachine } from './observed-machine.ts';
import { align } from './reconcile.ts';
import { isMachineAt } from './store.ts';

export const watchMachines = (services: Services): (() => Promise<void>) =>
  watchEngines(services, services.compute, async (engine, ref, ending) => {
    if (!(await isMachineAt(services.db, ref, engine.location))) return;
    await align(services, ref, await observeMachine(services, engine, ref, ending));
  });
