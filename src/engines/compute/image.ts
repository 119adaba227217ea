import type { ImageRef } from './instance.ts';

/**
 * `tarball` is a unified image of Incus or LXD: an archive of `metadata.yaml` and the root file system in `rootfs/`.
 */
export const imageFormats = ['qcow2', 'raw', 'vmdk', 'tarball'] as const;
export type ImageFormat = (typeof imageFormats)[number];

export type ImageSource =
  /** The machine may be running. */
  | { readonly instance: string; readonly snapshot?: string }
  /** A local file that the caller has already downloaded, unpacked and checked. */
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
