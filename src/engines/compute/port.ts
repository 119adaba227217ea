/**
 * What we ask of whatever runs machines in one location. Every call is named by our ids and may be made any number of
 * times, by any worker, after any crash: `ensure` calls bring about a state and say nothing of it, `observe` calls tell
 * what is, `remove` calls are content with what is gone already. A call returns when the thing is done; repeated while
 * the engine is still at it, it waits for the same work. What cannot be told from its result (a restart, a rebuild)
 * carries a `once`, the id of the operation, which the engine remembers with the machine.
 */
import type { Duplex } from 'node:stream';
import type { Engine, Engines, Watcher } from '../engine.ts';
import type { EnginePort } from '../engine-port.ts';
import type { CapabilityName } from './capabilities.ts';
import type { Image, ImageFormat, ImageSource } from './image.ts';
import type {
  Boot,
  Guest,
  ImageRef,
  Instance,
  InstanceSpec,
  Nic,
  Placement,
  Ref,
  Rescue,
  Size,
  Stop,
} from './instance.ts';
import type { Network, NetworkSpec } from './network.ts';
import type { MetricName, Series, SeriesRange } from './series.ts';

export { CapabilityMissing, EngineRefused, EngineUnreachable } from '../errors.ts';
export type { Capabilities, CapabilityName } from './capabilities.ts';
export type { Image, ImageFormat, ImageSource } from './image.ts';
export type * from './instance.ts';
export type { Network, NetworkSpec } from './network.ts';
export { type MetricName, metricNames, type Series, type SeriesRange } from './series.ts';

export type ComputeEngines = Engines<ComputeEngine>;

declare module '../../kernel/services.ts' {
  interface Services {
    readonly compute: ComputeEngines;
  }
}

export const computePort: EnginePort<ComputeEngine> = {
  name: 'compute',
  engines: ({ compute }) => compute,
};

export type Fit =
  | { readonly fits: true }
  | {
      readonly fits: false;
      readonly code: 'capacity_unavailable' | 'placement_unsatisfiable';
      readonly detail: string;
    };

export interface HostCapacity {
  readonly host: string;
  readonly total: Size;
  readonly free: Size;
}

export interface Console {
  readonly protocol: 'serial' | 'spice' | 'vnc';
  /** Ends when either side hangs up. */
  readonly stream: Duplex;
}

/** Every call rejects with `EngineRefused` (final), `EngineUnreachable` (ask again) or the reason of its signal. */
export interface ComputeEngine extends Engine<CapabilityName> {
  /** The files that `ensureImage` takes; `exportImage` writes the first of these. */
  readonly imageFormats: readonly [ImageFormat, ...ImageFormat[]];
  /** What its graphical consoles speak, where it has any. */
  readonly graphicalProtocol: 'spice' | 'vnc';

  /** Makes it, stopped. One that is there is left as it is, whatever the rest of `spec` says. */
  ensureInstance(ref: Ref, spec: InstanceSpec, signal?: AbortSignal): Promise<void>;
  observeInstance(ref: Ref, signal?: AbortSignal): Promise<Instance | null>;
  observeInstances(signal?: AbortSignal): Promise<readonly Instance[]>;
  /** Running or not, and its snapshots with it. */
  removeInstance(ref: Ref, signal?: AbortSignal): Promise<void>;

  ensureRunning(ref: Ref, signal?: AbortSignal): Promise<void>;
  /** A guest that does not heed the request in time runs on: `shutdown_timeout`. */
  ensureStopped(ref: Ref, stop: Stop, signal?: AbortSignal): Promise<void>;
  /** Afterwards it runs and was booted since, also if it was stopped before. */
  restart(ref: Ref, stop: Stop & { readonly once: string }, signal?: AbortSignal): Promise<void>;
  /** Live where the engine can, else of a stopped one. Moves it to other hardware if need be. Disks only grow. */
  ensureSize(ref: Ref, size: Size, signal?: AbortSignal): Promise<void>;
  /** Moves a stopped one to where its group wants it. */
  ensurePlacement(ref: Ref, placement: Placement | null, signal?: AbortSignal): Promise<void>;
  /** Heeded at the next start, and by cloud-init only if the seed is new. */
  ensureGuest(ref: Ref, guest: Guest, signal?: AbortSignal): Promise<void>;
  /** Whether the next start is into the rescue system. */
  ensureRescue(ref: Ref, rescue: Rescue | null, signal?: AbortSignal): Promise<void>;
  /** A fresh disk for a stopped machine without snapshots; its interfaces and addresses stay, and how it boots unless said. */
  ensureRebuilt(
    ref: Ref,
    to: { readonly once: string; readonly image: ImageRef; readonly guest: Guest; readonly boot?: Boot },
    signal?: AbortSignal,
  ): Promise<void>;

  /** Plugs it in, or brings the one with this id to these addresses. */
  ensureNic(ref: Ref, nic: Nic, signal?: AbortSignal): Promise<void>;
  removeNic(ref: Ref, nicId: string, signal?: AbortSignal): Promise<void>;

  ensureSnapshot(
    ref: Ref,
    snapshot: { readonly id: string; readonly quiesce: boolean },
    signal?: AbortSignal,
  ): Promise<void>;
  removeSnapshot(ref: Ref, snapshotId: string, signal?: AbortSignal): Promise<void>;
  /** The disk of a stopped machine as it was; refused while there are newer snapshots. */
  ensureRestored(
    ref: Ref,
    to: { readonly once: string; readonly snapshot: string },
    signal?: AbortSignal,
  ): Promise<void>;

  /** Makes it, or brings the one that is there to these settings. `address_taken` where the engine cannot have a range twice. */
  ensureNetwork(ref: Ref, spec: NetworkSpec, signal?: AbortSignal): Promise<void>;
  observeNetwork(ref: Ref, signal?: AbortSignal): Promise<Network | null>;
  /** Refused with `resource_in_use` while a machine has an interface in it. */
  removeNetwork(ref: Ref, signal?: AbortSignal): Promise<void>;

  ensureImage(ref: Ref, source: ImageSource, signal?: AbortSignal): Promise<void>;
  observeImage(ref: ImageRef, signal?: AbortSignal): Promise<Image | null>;
  /** Written into this file in the first of `imageFormats`, whatever it came as: what `ensureImage` of a like engine takes. */
  exportImage(ref: ImageRef, file: string, signal?: AbortSignal): Promise<void>;
  removeImage(ref: Ref, signal?: AbortSignal): Promise<void>;

  /** Through the agent inside a running machine. */
  setPassword(ref: Ref, user: string, password: string, signal?: AbortSignal): Promise<void>;
  /** The end of what it printed on its serial line; survives restarts, not a rebuild. */
  readConsoleLog(ref: Ref, maxBytes: number, signal?: AbortSignal): Promise<string>;
  openConsole(ref: Ref, kind: 'serial' | 'graphical', signal?: AbortSignal): Promise<Console>;
  readSeries(
    ref: Ref,
    metrics: readonly MetricName[],
    range: SeriesRange,
    signal?: AbortSignal,
  ): Promise<readonly Series[]>;
  /** Measures all machines as they are now, for an engine that keeps nothing to read series from. Asked for each minute. */
  sample?(signal?: AbortSignal): Promise<void>;

  readCapacity(signal?: AbortSignal): Promise<readonly HostCapacity[]>;
  /** As of now: nothing is held back for whoever asked. */
  fits(account: string, size: Size, placement: Placement | null, signal?: AbortSignal): Promise<Fit>;

  /** Tells of machines only. Returns a function that ends the watch. */
  watch(watcher: Watcher): () => void;
}
