/**
 * What the machine room remembers of each thing. Nothing in it ticks: a change is written at once with the time from
 * which it holds, so what is true now follows from the row and the clock, in every process and after every crash.
 */
import type { Moment } from '../../sandbox/store.ts';
import type { Guest, ImageRef, Nic, Rescue, Size } from '../instance.ts';
import type { NetworkSpec } from '../network.ts';

export type { Moment };

/** Path and content of the few files that make up a disk here. */
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
  /** Of the keys that may sign in. */
  readonly fingerprints: readonly string[];
  /** What its own commands printed. */
  readonly printed: readonly string[];
}

export interface Boot {
  readonly at: Moment;
  /** When the guest is up and its agent answers. */
  readonly upAt: Moment;
  readonly isRescue: boolean;
  /** `null`: it had run before. */
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
  /** What cloud-init ran with last. */
  readonly seeded: string | null;
  readonly createdAt: Moment;
  readonly madeAt: Moment;
  /** Something is being done to it that shows nowhere else. */
  readonly busyUntil: Moment;
  /** What it printed before is gone with its former disk. */
  readonly logSince: Moment;
  /** Until `at` it is still the other way round. */
  readonly power: { readonly on: boolean; readonly at: Moment };
  readonly problem: 'crashed' | 'host_lost' | null;
  readonly rescue: Rescue | null;
  readonly boots: readonly Boot[];
  readonly snapshots: readonly StoredSnapshot[];
  /** The operations whose unrepeatable work is done. */
  readonly once: readonly string[];
}

export interface StoredImage {
  readonly at: Moment;
  readonly disk: Disk;
  readonly system: System;
  readonly architecture: 'amd64' | 'arm64';
  readonly minDiskGb: number;
  readonly sizeBytes: number;
  readonly sha256: string;
}

export interface States {
  machine: Machine;
  network: NetworkSpec;
  image: StoredImage;
}

const MOST_BOOTS = 40;
const MOST_ONCE = 16;

/** The first moment from which nothing is under way any more. */
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

/** A worker that was paused may come back with the work of an operation before the last one. */
export function withOnce(machine: Machine, once: string): Machine {
  return { ...machine, once: [...machine.once, once].slice(-MOST_ONCE) };
}
