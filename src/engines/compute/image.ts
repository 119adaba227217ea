import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { ImageRef } from './instance.ts';

/**
 * `tarball` is a unified image of Incus or LXD: an archive of `metadata.yaml` and the root file system in `rootfs/`.
 */
export const imageFormats = ['qcow2', 'raw', 'vmdk', 'tarball'] as const;
export type ImageFormat = (typeof imageFormats)[number];

/** The bytes of an image, which may be too many for the memory and for a file. */
export interface ImageContent {
  readonly sizeBytes: number;
  /** Null if it is not known before all bytes were read. */
  readonly sha256: string | null;
  /** May be called several times. Throws before the last bytes if the content turns out to be damaged. */
  read(signal?: AbortSignal): AsyncIterable<Buffer>;
}

interface Given {
  readonly format: ImageFormat;
  readonly architecture: 'amd64' | 'arm64';
  readonly bootMode: 'uefi' | 'bios';
}

export type ImageSource =
  /** The machine may be running. */
  | { readonly instance: string; readonly snapshot?: string }
  /** A local file that the caller has already downloaded, unpacked and checked. */
  | (Given & { readonly file: string })
  /** The bytes that an engine of the same kind exported. */
  | (Given & { readonly content: ImageContent });

/** An image that comes from outside of the engine. */
export type ForeignImage = Exclude<ImageSource, { readonly instance: string }>;

export async function fileContent(file: string): Promise<ImageContent> {
  const { size: sizeBytes } = await stat(file);
  return {
    sizeBytes,
    sha256: null,
    read: (signal) => createReadStream(file, signal === undefined ? {} : { signal }),
  };
}

export const contentOf = async (source: ForeignImage): Promise<ImageContent> =>
  'content' in source ? source.content : fileContent(source.file);

export interface Image extends ImageRef {
  readonly state: 'creating' | 'available';
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly minDiskGb: number;
  readonly createdAt: Date;
}
