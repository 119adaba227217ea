import type { ImageRef } from './instance.ts';

/** `tarball`: a unified image of Incus or LXD, which is `metadata.yaml` and the files of a system in `rootfs/`. */
export type ImageFormat = 'qcow2' | 'raw' | 'vmdk' | 'tarball';

export type ImageSource =
  /** The machine may keep running. */
  | { readonly instance: string; readonly snapshot?: string }
  /** On the disk of whoever asks: downloaded, unpacked and checked. */
  | {
      readonly file: string;
      readonly format: ImageFormat;
      readonly architecture: 'amd64' | 'arm64';
      readonly bootMode: 'uefi' | 'bios';
    };

export interface Image extends ImageRef {
  readonly state: 'creating' | 'available';
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly minDiskGb: number;
  readonly createdAt: Date;
}
