import type { ImageRef } from './instance.ts';

export type ImageFormat = 'qcow2' | 'raw' | 'vmdk';

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
