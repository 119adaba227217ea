/**
 * The compute port: what a driver does for the machines of one location. Objects are identified by our ids. Every
 * call is idempotent: any worker may repeat it any number of times, also after a crash. `ensure` calls bring an
 * object into a state and return nothing, `observe` calls return the current state, and `remove` calls succeed if the
 * object is already gone. A call returns when its work is done; a repeated call waits for the work that the engine is
 * still doing. No call waits for a guest or a person. If the result does not show whether the work was done (a restart, a rebuild), the call carries `once`,
 * the id of the operation, which the engine stores with the machine.
 */
import type { Duplex, Readable } from 'node:stream';
import type { Engine, Engines, Watcher } from '../engine.ts';
import type { EnginePort } from '../engine-port.ts';
import type { CapabilityName } from './capabilities.ts';
import type { Firewall, FirewallSpec } from './firewall.ts';
import type { Gateway, GatewayPeer, GatewaySpec } from './gateway.ts';
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
} from './instance.ts';
import type { Drive, Iso } from './iso.ts';
import type { Network, NetworkSpec } from './network.ts';
import type { MetricName, Series, SeriesRange, Traffic } from './series.ts';
import type { Volume, VolumeSpec } from './volume.ts';

export { CapabilityMissing, EngineRefused, EngineUnreachable } from '../errors.ts';
export type { Capabilities, CapabilityName } from './capabilities.ts';
export * from './firewall.ts';
export type { Gateway, GatewayPeer, GatewaySpec } from './gateway.ts';
export {
  type Image,
  type ImageContent,
  type ImageFormat,
  type ImageSource,
  imageFormats,
} from './image.ts';
export type * from './instance.ts';
export type { Drive, Iso } from './iso.ts';
export type { Network, NetworkSpec } from './network.ts';
export {
  type MetricName,
  metricMeanings,
  metricNames,
  type Series,
  type SeriesRange,
  type Traffic,
} from './series.ts';
export type { Volume, VolumeKind, VolumeSpec } from './volume.ts';

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
  /** Ends when either side closes the connection. */
  readonly stream: Duplex;
}

/** Every call rejects with `EngineRefused` (final), `EngineUnreachable` (retry) or the reason of its abort signal. */
export interface ComputeEngine extends Engine<CapabilityName> {
  /** The formats that `ensureImage` accepts; `exportImage` returns the first one. */
  readonly imageFormats: readonly [ImageFormat, ...ImageFormat[]];
  /** The protocol of the graphical console, if the driver has one. */
  readonly graphicalProtocol: 'spice' | 'vnc';

  /** Creates the instance, stopped. An existing instance is left unchanged, even if it differs from `spec`. */
  ensureInstance(ref: Ref, spec: InstanceSpec, signal?: AbortSignal): Promise<void>;
  observeInstance(ref: Ref, signal?: AbortSignal): Promise<Instance | null>;
  observeInstances(signal?: AbortSignal): Promise<readonly Instance[]>;
  /** Removes a running or stopped instance together with its snapshots. */
  removeInstance(ref: Ref, signal?: AbortSignal): Promise<void>;

  ensureRunning(ref: Ref, signal?: AbortSignal): Promise<void>;
  /**
   * Asks the guest of a running instance to shut down, and returns without waiting for it: `observeInstance` tells when
   * the instance is stopped. The guest may ignore the request. `timeoutSeconds` is how long the caller means to wait;
   * until then, the engine may refuse other changes of the instance, except `ensureStopped` and `restart`.
   */
  requestShutdown(ref: Ref, timeoutSeconds: number, signal?: AbortSignal): Promise<void>;
  /** Forces the instance off, also while its guest shuts down. */
  ensureStopped(ref: Ref, signal?: AbortSignal): Promise<void>;
  /**
   * Forces the instance off and starts it. Afterwards the instance is running and has booted since the call, even if it
   * was stopped before.
   */
  restart(ref: Ref, as: { readonly once: string }, signal?: AbortSignal): Promise<void>;
  /**
   * Resizes a running instance if the engine supports it, otherwise only a stopped one. May move the instance to
   * another host. Disks can only grow.
   */
  ensureSize(ref: Ref, size: Size, signal?: AbortSignal): Promise<void>;
  /** Moves a stopped instance to a host that satisfies its placement group. */
  ensurePlacement(ref: Ref, placement: Placement | null, signal?: AbortSignal): Promise<void>;
  /** Takes effect at the next start; cloud-init uses the data only if the seed is new. */
  ensureGuest(ref: Ref, guest: Guest, signal?: AbortSignal): Promise<void>;
  /** Sets whether the next start boots the rescue system. */
  ensureRescue(ref: Ref, rescue: Rescue | null, signal?: AbortSignal): Promise<void>;
  /**
   * Gives a stopped instance without snapshots a new disk. Its interfaces and addresses stay, and so does its boot
   * mode unless `boot` is given.
   */
  ensureRebuilt(
    ref: Ref,
    to: { readonly once: string; readonly image: ImageRef; readonly guest: Guest; readonly boot?: Boot },
    signal?: AbortSignal,
  ): Promise<void>;

  /** Attaches the interface, or changes the interface with this id to match. */
  ensureNic(ref: Ref, nic: Nic, signal?: AbortSignal): Promise<void>;
  removeNic(ref: Ref, nicId: string, signal?: AbortSignal): Promise<void>;

  ensureSnapshot(
    ref: Ref,
    snapshot: { readonly id: string; readonly quiesce: boolean },
    signal?: AbortSignal,
  ): Promise<void>;
  removeSnapshot(ref: Ref, snapshotId: string, signal?: AbortSignal): Promise<void>;
  /** Resets the disk of a stopped instance to the snapshot. Refused while newer snapshots exist. */
  ensureRestored(
    ref: Ref,
    to: { readonly once: string; readonly snapshot: string },
    signal?: AbortSignal,
  ): Promise<void>;

  /**
   * Creates the network, or changes an existing one to these settings. Refused with `address_taken` if the engine
   * cannot have an address range twice.
   */
  ensureNetwork(ref: Ref, spec: NetworkSpec, signal?: AbortSignal): Promise<void>;
  observeNetwork(ref: Ref, signal?: AbortSignal): Promise<Network | null>;
  /** Refused with `resource_in_use` while a machine has an interface in the network. */
  removeNetwork(ref: Ref, signal?: AbortSignal): Promise<void>;

  /**
   * Puts all rules of the firewall into force for all its members in the location, at once: until then, the previous
   * ones are in force. Open connections that the rules still allow go on. Ignored if the engine has a later revision.
   */
  ensureFirewall(ref: Ref, spec: FirewallSpec, signal?: AbortSignal): Promise<void>;
  observeFirewall(ref: Ref, signal?: AbortSignal): Promise<Firewall | null>;
  /** The ids of all firewalls that the engine has. */
  observeFirewalls(signal?: AbortSignal): Promise<readonly Ref[]>;
  removeFirewall(ref: Ref, signal?: AbortSignal): Promise<void>;

  /** Creates the volume, attached to no machine. An existing volume is left unchanged, even if it differs from `spec`. */
  ensureVolume(ref: Ref, spec: VolumeSpec, signal?: AbortSignal): Promise<void>;
  observeVolume(ref: Ref, signal?: AbortSignal): Promise<Volume | null>;
  observeVolumes(signal?: AbortSignal): Promise<readonly Volume[]>;
  /** Removes the volume together with its snapshots. Refused with `resource_in_use` while a machine has it. */
  removeVolume(ref: Ref, signal?: AbortSignal): Promise<void>;
  /** Grows a volume of a running machine if the engine supports it, otherwise only of a stopped one. */
  ensureVolumeSize(ref: Ref, sizeGb: number, signal?: AbortSignal): Promise<void>;
  /**
   * Attaches the volume to a running or stopped machine. Refused with `already_attached` if another machine has it.
   * `mayMove`: if the machine is on another server, the volume is copied there first, which can take hours; otherwise
   * the call is refused with `invalid_state` then.
   */
  ensureVolumeAttached(
    ref: Ref,
    to: { readonly instance: string; readonly mayMove: boolean },
    signal?: AbortSignal,
  ): Promise<void>;
  /**
   * Detaches the volume from this machine. Refused with `guest_refused_detach` while the guest uses the volume, unless
   * `force` is set. A volume that the machine does not have, or of a machine that does not exist, is left alone.
   */
  ensureVolumeDetached(
    ref: Ref,
    from: { readonly instance: string; readonly force: boolean },
    signal?: AbortSignal,
  ): Promise<void>;
  ensureVolumeSnapshot(ref: Ref, snapshotId: string, signal?: AbortSignal): Promise<void>;
  removeVolumeSnapshot(ref: Ref, snapshotId: string, signal?: AbortSignal): Promise<void>;
  /** Resets the content to the snapshot. Refused while newer snapshots exist or a running machine has the volume. */
  ensureVolumeRestored(
    ref: Ref,
    to: { readonly once: string; readonly snapshot: string },
    signal?: AbortSignal,
  ): Promise<void>;

  /**
   * Creates and starts the gateway, or changes an existing one to these settings. Its peers stay as they are, and so do
   * the tunnels, unless the key or the port changes. Refused with `not_found` if a network of it does not exist.
   */
  ensureGateway(ref: Ref, spec: GatewaySpec, signal?: AbortSignal): Promise<void>;
  /** Gives the gateway exactly these peers. The tunnels of peers that do not change stay up. */
  ensureGatewayPeers(ref: Ref, peers: readonly GatewayPeer[], signal?: AbortSignal): Promise<void>;
  observeGateway(ref: Ref, signal?: AbortSignal): Promise<Gateway | null>;
  /** All gateways that the engine has; `observeInstances` does not contain them. */
  observeGateways(signal?: AbortSignal): Promise<readonly Ref[]>;
  removeGateway(ref: Ref, signal?: AbortSignal): Promise<void>;
  /** Stores a local file, which the caller has already checked. An existing ISO is left unchanged. */
  ensureIso(ref: Ref, file: string, signal?: AbortSignal): Promise<void>;
  observeIso(ref: Ref, signal?: AbortSignal): Promise<Iso | null>;
  /** The ISOs of all accounts. */
  observeIsos(signal?: AbortSignal): Promise<readonly Iso[]>;
  /** Refused with `resource_in_use` while the ISO is in the drive of a machine. */
  removeIso(ref: Ref, signal?: AbortSignal): Promise<void>;
  /** Puts an ISO into the drive of a running or stopped machine, instead of the one that is there; null ejects it. */
  ensureDrive(ref: Ref, drive: Drive | null, signal?: AbortSignal): Promise<void>;

  ensureImage(ref: Ref, source: ImageSource, signal?: AbortSignal): Promise<void>;
  observeImage(ref: ImageRef, signal?: AbortSignal): Promise<Image | null>;
  /**
   * Returns the bytes of the image in the first of `imageFormats`, whatever format it was imported from, so that
   * `ensureImage` of an engine of the same kind accepts them. They are the same at each call. The stream fails if it
   * is cut off. The caller may read it as slowly as it likes.
   */
  exportImage(ref: ImageRef, signal?: AbortSignal): Promise<Readable>;
  removeImage(ref: Ref, signal?: AbortSignal): Promise<void>;

  /** Uses the agent inside a running guest. */
  setPassword(ref: Ref, user: string, password: string, signal?: AbortSignal): Promise<void>;
  /** The last `maxBytes` of output on the serial line. The log survives restarts, but not a rebuild. */
  readConsoleLog(ref: Ref, maxBytes: number, signal?: AbortSignal): Promise<string>;
  openConsole(ref: Ref, kind: 'serial' | 'graphical', signal?: AbortSignal): Promise<Console>;
  readSeries(
    ref: Ref,
    metrics: readonly MetricName[],
    range: SeriesRange,
    signal?: AbortSignal,
  ): Promise<readonly Series[]>;
  /**
   * The traffic of all machines that was measured from `from` until before `to`. Consecutive ranges add up: bytes
   * between two measurements belong to the later one. Machines without measurements are left out.
   */
  readTraffic(from: Date, to: Date, signal?: AbortSignal): Promise<readonly Traffic[]>;
  /** Measures all machines now. For engines that keep no history to read series from. Called once a minute. */
  sample?(signal?: AbortSignal): Promise<void>;

  readCapacity(signal?: AbortSignal): Promise<readonly HostCapacity[]>;
  /** Whether the machine would fit at this moment; nothing is reserved. */
  fits(account: string, size: Size, placement: Placement | null, signal?: AbortSignal): Promise<Fit>;

  /** Reports machines only. Returns a function that ends the subscription. */
  watch(watcher: Watcher): () => void;
}
