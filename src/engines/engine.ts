/** What the engines of every port have in common. A port adds its own calls to `Engine`. */
import type { Capability } from './capability.ts';

/**
 * Names a thing at an engine. The id is ours and never changes. The account owns the thing; drivers keep the things of
 * each account apart, for example in a project.
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
  /** Undefined where the provider file configures no engine of this port. */
  at(location: string): E | undefined;
  readonly all: readonly E[];
}

/** Called when a thing changed at the engine without a call of ours. Such a nudge may be lost. */
export type Watcher = (ref: Ref) => void;

/** An engine that reports changes. `watch` returns a function that ends the watch. */
export interface WatchedEngine extends Engine {
  watch(watcher: Watcher): () => void;
}
