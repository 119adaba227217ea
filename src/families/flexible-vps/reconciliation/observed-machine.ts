import type { ComputeEngine, Instance, Ref } from '../../../engines/compute/port.ts';
import { type Observation, observeNow } from '../../../engines/reconciler/observation.ts';
import type { Services } from '../../../kernel/services.ts';

export type ObservedMachine = Observation<Instance>;

export const observeMachine = (
  services: Services,
  engine: ComputeEngine,
  ref: Ref,
  ending?: AbortSignal,
): Promise<ObservedMachine> => observeNow(services, (signal) => engine.observeInstance(ref, signal), ending);
