/** The types of volumes: disks that an account owns apart from its machines. A volume is attached to one machine at most. */
import type { Ref, Snapshot } from './instance.ts';

/** `block`: the guest sees a raw device. `filesystem`: the engine mounts a file system in the guest. */
export type VolumeKind = 'block' | 'filesystem';

export interface VolumeSpec {
  readonly kind: VolumeKind;
  readonly sizeGb: number;
  /** The snapshot of another volume of the account that it is a copy of; `null` if it begins empty. */
  readonly source: { readonly volume: string; readonly snapshot: string } | null;
  /** The machine that it is going to be attached to, so that it can be stored near that machine. */
  readonly near?: string | null;
}

export interface Volume extends Ref {
  readonly kind: VolumeKind;
  readonly sizeGb: number;
  /** The id of the machine that it is attached to. */
  readonly instance: string | null;
  /** Where every guest finds it: the path of the device, or of the folder that the file system is mounted at. */
  readonly path: string;
  /** The serial number of the device that the guest sees; `null` for a file system. */
  readonly serial: string | null;
  /** Oldest first. */
  readonly snapshots: readonly Snapshot[];
}
