/** The types of a machine: the specification that the callers pass, and the instance that the engine reports. */
import type { Ref } from '../engine.ts';
import type { Drive } from './iso.ts';

export type { Ref };

/** With `account: null`, it is an image of the provider that every account may use, and its id is its slug. */
export interface ImageRef {
  readonly account: string | null;
  readonly id: string;
}

export interface Size {
  readonly vcpus: number;
  readonly memoryMb: number;
  readonly diskGb: number;
}

export interface Nic {
  readonly id: string;
  /** The order in which the guest sees its interfaces. */
  readonly index: number;
  /** `null` is the public network of the location. */
  readonly network: string | null;
  readonly mac: string;
  readonly ipv4: string | null;
  readonly ipv6: string | null;
  /**
   * Further addresses and prefixes that are routed to this interface: alias addresses, reserved public addresses, the
   * /64.
   */
  readonly aliases: readonly string[];
  /** Blocks outgoing traffic from all addresses other than `ipv4`, `ipv6` and `aliases`. */
  readonly antiSpoofing: boolean;
}

/** The data for cloud-init, which runs again at the next start whenever `seed` has changed. */
export interface Guest {
  readonly seed: string;
  readonly hostname: string;
  /** Plain text: the caller has already decoded and decompressed it. */
  readonly userData: string | null;
  readonly sshKeys: readonly string[];
  /** The password of the image's default user, in crypt(3) format. */
  readonly passwordHash: string | null;
}

export type Source =
  | { readonly image: ImageRef }
  /** A copy of another machine of the same account, or of one of that machine's snapshots. */
  | { readonly instance: string; readonly snapshot?: string }
  /** An empty disk. */
  | { readonly blank: true };

export interface Placement {
  readonly groupId: string;
  readonly policy: 'spread' | 'compact';
  readonly strict: boolean;
  /** The ids of the group's other machines, including machines that do not exist yet. */
  readonly others: readonly string[];
}

export interface Boot {
  readonly mode: 'uefi' | 'bios';
  readonly secure: boolean;
}

export interface InstanceSpec {
  readonly source: Source;
  readonly architecture: 'amd64' | 'arm64';
  readonly size: Size;
  readonly nics: readonly Nic[];
  readonly guest: Guest;
  readonly bootMode: 'uefi' | 'bios';
  readonly secureBoot: boolean;
  readonly placement: Placement | null;
  /** The volumes that are going to be attached to it, so that it can be placed near them. */
  readonly volumes?: readonly string[];
}

export interface Rescue {
  readonly sshKeys: readonly string[];
  readonly passwordHash: string | null;
}

export interface Snapshot {
  readonly id: string;
  readonly createdAt: Date;
  readonly sizeBytes: number;
  readonly diskGb: number;
  readonly consistency: 'crash' | 'filesystem';
}

/** `broken`: the engine cannot determine the state, or cannot repair the machine; `problem` names the cause. */
export type InstanceState = 'creating' | 'stopped' | 'running' | 'broken';

export interface Instance extends Ref {
  readonly state: InstanceState;
  readonly problem: 'crashed' | 'host_lost' | null;
  readonly size: Size;
  readonly nics: readonly Nic[];
  /** The image that the disk was created from; `null` if it was not created from an image. */
  readonly image: ImageRef | null;
  readonly hostname: string;
  readonly seed: string;
  /** The same value for machines on the same hardware; it has no other meaning. */
  readonly host: string;
  readonly startedAt: Date | null;
  /** `null` while no agent in the guest answers. */
  readonly agent: { readonly version: string } | null;
  /** `wanted` applies from the next start on; `active` is the current state. */
  readonly rescue: { readonly wanted: boolean; readonly active: boolean };
  readonly drive: Drive | null;
  /** Oldest first. */
  readonly snapshots: readonly Snapshot[];
}
