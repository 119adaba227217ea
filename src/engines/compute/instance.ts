/** A machine as we ask for it and as the engine tells of it. */

import type { Ref } from '../engine.ts';

export type { Ref };

/** `account: null`: one of the provider's own, which everybody may use; its id is its slug. */
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
  /** The order in which the guest sees them. */
  readonly index: number;
  /** `null`: the public network of the location. */
  readonly network: string | null;
  readonly mac: string;
  readonly ipv4: string | null;
  readonly ipv6: string | null;
  /** Further addresses and prefixes that are routed here: alias addresses, reserved public ones, the /64. */
  readonly aliases: readonly string[];
  /** Lets nothing out that comes from other addresses than these. */
  readonly antiSpoofing: boolean;
}

/** What cloud-init is told. It runs again at the next start whenever `seed` has changed. */
export interface Guest {
  readonly seed: string;
  readonly hostname: string;
  /** As text: whoever asks has decoded and unpacked it. */
  readonly userData: string | null;
  readonly sshKeys: readonly string[];
  /** For the default user of the image, as crypt(3) writes it. */
  readonly passwordHash: string | null;
}

export type Source =
  | { readonly image: ImageRef }
  /** A copy of another machine of the account, or of one of its snapshots. */
  | { readonly instance: string; readonly snapshot?: string };

export interface Placement {
  readonly groupId: string;
  readonly policy: 'spread' | 'compact';
  readonly strict: boolean;
  /** The ids of the group's other machines, whether they exist by now or not. */
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
}

/** How it is brought down: at once, or by asking the guest and waiting so long for it. */
export type Stop = { readonly force: true } | { readonly force: false; readonly timeoutSeconds: number };

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

/** `broken`: the engine cannot tell or mend it; `problem` says what happened. */
export type InstanceState = 'creating' | 'stopped' | 'running' | 'broken';

export interface Instance extends Ref {
  readonly state: InstanceState;
  readonly problem: 'crashed' | 'host_lost' | null;
  readonly size: Size;
  readonly nics: readonly Nic[];
  /** What its disk was made from; `null` where that is no image. */
  readonly image: ImageRef | null;
  readonly hostname: string;
  readonly seed: string;
  /** Equal for machines on the same hardware, and otherwise without meaning. */
  readonly host: string;
  readonly startedAt: Date | null;
  /** `null` while the guest has none that answers. */
  readonly agent: { readonly version: string } | null;
  /** `wanted` from the next start on; `active` now. */
  readonly rescue: { readonly wanted: boolean; readonly active: boolean };
  /** The oldest first. */
  readonly snapshots: readonly Snapshot[];
}
