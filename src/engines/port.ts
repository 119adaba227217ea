/**
 * An engine port as the program assembles it. `index.ts` in the folder of a port exports one, and `src/engine-ports.ts`
 * lists it; the provider's file, reload, `doctor`, the sandbox commands and the test app loop over that list.
 */
import type { Examination } from '../kernel/registry.ts';
import type { Catalogue, Location } from '../provider/catalogue.ts';
import type { PortSettings } from '../provider/port-settings.ts';
import type { Engine } from './engine.ts';
import type { DriverOptions } from './open.ts';
import type { FaultVocabulary, SandboxObjects } from './sandbox/operator.ts';

export interface Port<Name extends string = string, E extends Engine = Engine, S extends object = object>
  extends PortSettings<S> {
  /** The folder in `src/engines/`, and the member of `Services` that has the engines. */
  readonly name: Name;
  /** Opens the engine of a location; null if the location has none. */
  open(settings: S | null, location: Location, options: DriverOptions): E | null;
  /** For `doctor`: whether the engine of the location supports what is sold there. */
  examine?(settings: S, location: Location, catalogue: Catalogue): Promise<readonly Examination[]>;
  readonly sandbox?: PortSandbox<S>;
}

/** How the port works without a system outside of Hostplane. */
export interface PortSandbox<S extends object = object> {
  /** The settings for tests: no work takes time. Files may be kept in `folder`. */
  settings(folder: string): object;
  /** Whether these settings choose a simulated engine, so that the whole location is a sandbox. */
  simulates?(settings: S): boolean;
  /** What operators and tests can make fail. */
  readonly faults: FaultVocabulary;
  /** The simulated objects that operators can list, and let something happen to. */
  readonly objects?: SandboxObjects;
}
