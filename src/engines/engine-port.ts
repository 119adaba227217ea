/** An engine port is a kind of engine. A family lists the ports that it uses. */
import type { Services } from '../kernel/services.ts';
import type { Engine, Engines } from './engine.ts';

declare module '../kernel/registry.ts' {
  interface Family {
    /** The ports of the engines that run the resources of the family. */
    readonly ports?: readonly EnginePort[];
  }
}

export interface EnginePort<E extends Engine = Engine> {
  /** The name of the port's folder in `src/engines/`. */
  readonly name: string;
  engines(services: Services): Engines<E>;
}
