/** The types that the engines of all ports share. A port adds its own calls to `Engine`. */
import type { Capability } from './capability.ts';

/**
 * Identifies an object at an engine. Hostplane assigns the id, and the id never changes. The account owns the object;
 * drivers keep the objects of different accounts apart, for example in one project for each account.
 */
export interface Ref {
  readonly account: string;
  readonly id: string;
}

/** An engine serves one location. Every call may reject with `EngineRefused` or `EngineUnreachable`. */
export interface Engine<CapabilityName extends string = never> {
  readonly driver: string;
  readonly location: string;
  readonly capabilities: Readonly<Record<CapabilityName, Capability>>;
  close(): Promise<void>;
}

/** The engines of one port in this installation. */
export interface Engines<E extends Engine> {
  /** Returns undefined if the provider file configures no engine of this port for the location. */
  at(location: string): E | undefined;
  readonly all: readonly E[];
}

/** Called when an object changed at the engine without a call from Hostplane. Such a nudge may be lost. */
export type Watcher = (ref: Ref) => void;

/** An engine that reports changes. `watch` returns a function that ends the subscription. */
export interface WatchedEngine extends Engine {
  watch(watcher: Watcher): () => void;
}
