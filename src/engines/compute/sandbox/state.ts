/**
 * The stored state of machines, volumes, networks, gateways, images and ISOs. No timer changes this state: a change is written at once together
 * with the time from which it is in effect. So every process computes the current state from the row and the clock,
 * also after a crash.
 */
import type { Moment } from '../../sandbox/store.ts';
import type { FirewallSpec } from '../firewall.ts';
import type { Guest, ImageRef, Nic, Rescue, Size } from '../instance.ts';
import type { Drive } from '../iso.ts';
import type { NetworkSpec } from '../network.ts';

export type { Moment };

/** The paths and contents of the files on a simulated disk. */
export type Disk = Readonly<Record<string, string>>;

export interface System {
  readonly distribution: string;
  readonly version: string;
  readonly defaultUser: string;
  readonly hasCloudInit: boolean;
  readonly hasAgent: boolean;
}

export interface CloudInit {
  readonly hostname: string;
  readonly user: string;
  /** The fingerprints of the SSH keys that may log in. */
  readonly fingerprints: readonly string[];
  /** The output of the commands in the user data. */
  readonly printed: readonly string[];
}

/** What a start finds to boot. */
export type BootedFrom = 'disk' | 'iso' | 'nothing';

export interface Boot {
  readonly at: Moment;
  /** When the guest is up and its agent answers. */
  readonly upAt: Moment;
  readonly isRescue: boolean;
  /** Absent: the disk. */
  readonly from?: BootedFrom;
  /** The name of the disc that was booted. */
  readonly title?: string;
  /** `null` if cloud-init does not run at this start, for example because it already ran with this seed. */
  readonly cloudInit: CloudInit | null;
  readonly end: { readonly at: Moment; readonly how: 'shutdown' | 'cut' | 'crashed' } | null;
}

export interface StoredSnapshot {
  readonly id: string;
  readonly at: Moment;
  readonly disk: Disk;
  readonly diskGb: number;
  readonly seeded: string | null;
  readonly system: System;
  readonly image: ImageRef | null;
  readonly consistency: 'crash' | 'filesystem';
}

export interface Machine {
  readonly host: string;
  readonly size: Size;
  readonly architecture: 'amd64' | 'arm64';
  readonly nics: readonly Nic[];
  readonly guest: Guest;
  readonly image: ImageRef | null;
  readonly system: System;
  readonly disk: Disk;
  /** The seed that cloud-init last ran with. */
  readonly seeded: string | null;
  readonly createdAt: Moment;
  readonly madeAt: Moment;
  /** The end of the current task, for tasks that no other field shows. */
  readonly busyUntil: Moment;
  /** The console log starts here: a rebuild discards the earlier output together with the old disk. */
  readonly logSince: Moment;
  /** Before `at`, the machine still has the opposite power state. */
  readonly power: { readonly on: boolean; readonly at: Moment };
  readonly problem: 'crashed' | 'host_lost' | null;
  readonly rescue: Rescue | null;
  /** The ISO in the drive, with the name that its disc has. Absent in old rows. */
  readonly drive?: (Drive & { readonly title: string }) | null;
  readonly boots: readonly Boot[];
  readonly snapshots: readonly StoredSnapshot[];
  /** The ids of the latest operations whose work must not be repeated: restarts, restores and rebuilds. */
  readonly once: readonly string[];
}

export interface StoredImage {
  readonly at: Moment;
  readonly disk: Disk;
  readonly system: System;
  readonly architecture: 'amd64' | 'arm64';
  readonly minDiskGb: number;
  /** The seed that cloud-init last ran with on the disk that the image was made of. */
  readonly seeded?: string | null;
  readonly sizeBytes: number;
  readonly sha256: string;
}

export interface StoredIso {
  readonly at: Moment;
  readonly sizeBytes: number;
  readonly title: string;
}

export interface StoredVolumeSnapshot {
  readonly id: string;
  readonly at: Moment;
  readonly content: string;
  readonly sizeGb: number;
  readonly consistency: 'crash' | 'filesystem';
}

export interface StoredVolume {
  readonly sizeGb: number;
  /** What guests have written to the device. */
  readonly content: string;
  readonly instance: string | null;
  readonly busyUntil: Moment;
  readonly snapshots: readonly StoredVolumeSnapshot[];
  /** As for machines: the ids of the latest operations that restored the volume. */
  readonly once: readonly string[];
}

export interface StoredPeer {
  readonly publicKey: string;
  readonly allowedIps: readonly string[];
  readonly endpoint: string | null;
  /** When the gateway got the peer, or its last change. */
  readonly since: Moment;
}

/** Holds no private or preshared key: the sandbox encrypts nothing. */
export interface StoredGateway {
  readonly nics: readonly Nic[];
  readonly port: number;
  readonly publicKey: string;
  readonly busyUntil: Moment;
  readonly peers: readonly StoredPeer[];
}

export interface States {
  machine: Machine;
  network: NetworkSpec;
  image: StoredImage;
  volume: StoredVolume;
  firewall: FirewallSpec;
  gateway: StoredGateway;
  iso: StoredIso;
}

const MOST_BOOTS = 40;
const MOST_ONCE = 16;

/** Returns the moment from which no task is in progress on the machine. */
export const restsAt = ({ madeAt, busyUntil, power, snapshots }: Machine): Moment =>
  Math.max(madeAt, busyUntil, power.at, ...snapshots.map(({ at }) => at));

export const isOn = ({ power, problem }: Machine, now: Moment): boolean =>
  problem === null && (now >= power.at ? power.on : !power.on);

export const currentBoot = (machine: Machine): Boot | undefined => machine.boots.at(-1);

export function withBoot(machine: Machine, boot: Boot): Machine {
  return { ...machine, boots: [...machine.boots, boot].slice(-MOST_BOOTS) };
}

export function withEnd(machine: Machine, end: NonNullable<Boot['end']>): Machine {
  const boots = machine.boots.map((boot, i) =>
    i === machine.boots.length - 1 && boot.end === null ? { ...boot, end } : boot,
  );
  return { ...machine, boots };
}

/** Keeps several ids, because a paused worker may resume and repeat the work of an older operation. */
export function withOnce<T extends { readonly once: readonly string[] }>(thing: T, once: string): T {
  return { ...thing, once: [...thing.once, once].slice(-MOST_ONCE) };
}
