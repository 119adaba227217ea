/** A kind of engine, as the families that use it name it. */
import type { Services } from '../kernel/services.ts';
import type { Engine, Engines } from './engine.ts';

declare module '../kernel/registry.ts' {
  interface Family {
    /** The engine ports on which the resources of the family live. */
    readonly ports?: readonly EnginePort[];
  }
}

export interface EnginePort<E extends Engine = Engine> {
  /** The folder of the port in `src/engines/`. */
  readonly name: string;
  engines(services: Services): Engines<E>;
}
