/**
 * Sends images to the engine and receives them. For containers, an image is the engine's own tarball. For virtual
 * machines, an image is a qcow2 disk, while the engine uses an archive of that disk and `metadata.yaml`, so the archive
 * is added on upload and removed on export. Images are never held in memory or in files.
 */
import { createHash } from 'node:crypto';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ForwardReader } from '../../../kernel/forward-reader.ts';
import { readTar, tarEnd, tarHeader, tarPadding } from '../../../kernel/tar.ts';
import { EngineRefused, EngineUnreachable } from '../../errors.ts';
import { contentOf, type ForeignImage, type ImageContent, type ImageFormat } from '../image.ts';
import type { Site } from './driver-context.ts';
import { isTaken, translate } from './failure.ts';
import { DEFAULT } from './names.ts';
import type { IncusSettings, InstanceType } from './settings.ts';

type Settings = Pick<IncusSettings, 'instanceType'>;

const GIB = 1024 ** 3;
const QCOW2 = Buffer.from('QFI\xfb', 'latin1');
const GZIP = Buffer.from([0x1f, 0x8b]);
/** The part of a qcow2 header that contains the size of the disk. */
const HEAD_BYTES = 32;
/** The first bytes of a multipart response. */
const PART = Buffer.from('--');

export const formatOf = ({ instanceType }: Settings): ImageFormat =>
  instanceType === 'container' ? 'tarball' : 'qcow2';

const notThis = (format: ImageFormat) =>
  new EngineRefused('engine_failed', `The file is not an image of the format ${format}.`);

export interface Received {
  readonly type: InstanceType;
  /** The fingerprint that the engine computes for the image. */
  readonly print: string;
  /** The SHA-256 and the size of the disk; null if the engine receives exactly the image. */
  readonly disk: string | null;
  readonly minDiskGb: number;
  /** The engine keeps the name with the image, from the first moment on. */
  upload(site: Site, name: string, signal?: AbortSignal): Promise<void>;
}

interface Examined {
  readonly head: Buffer;
  /** The SHA-256 of the image alone. */
  readonly own: string;
  /** The SHA-256 of everything that is sent. */
  readonly whole: string;
}

async function examine(
  content: ImageContent,
  [before, after]: Around,
  signal?: AbortSignal,
): Promise<Examined> {
  const own = createHash('sha256');
  const whole = createHash('sha256').update(before);
  let head = Buffer.alloc(0);
  for await (const chunk of content.read(signal)) {
    if (head.length < HEAD_BYTES) head = Buffer.concat([head, chunk.subarray(0, HEAD_BYTES)]);
    own.update(chunk);
    whole.update(chunk);
  }
  return { head, own: own.digest('hex'), whole: whole.update(after).digest('hex') };
}

type Around = readonly [before: Buffer, after: Buffer];
const NOTHING: Around = [Buffer.alloc(0), Buffer.alloc(0)];

/** The same disk always gets the same archive, so the engine stores it only once. */
function aroundDisk(bytes: number, architecture: ForeignImage['architecture']): Around {
  const name = architecture === 'arm64' ? 'aarch64' : 'x86_64';
  const metadata = Buffer.from(`architecture: ${name}\ncreation_date: 1\n`);
  const before = [
    tarHeader('metadata.yaml', metadata.length),
    metadata,
    tarPadding(metadata.length),
    tarHeader('rootfs.img', bytes),
  ];
  return [Buffer.concat(before), Buffer.concat([tarPadding(bytes), tarEnd])];
}

const hasMagic = (head: Buffer): boolean => head.length >= HEAD_BYTES && head.subarray(0, 4).equals(QCOW2);

/** Checks an image and computes its fingerprint; the upload is a separate step. */
export async function receive(
  settings: Settings,
  source: ForeignImage,
  signal?: AbortSignal,
): Promise<Received> {
  const { format, architecture } = source;
  const wanted = formatOf(settings);
  if (format !== wanted)
    throw new EngineRefused('unsupported_format', `This location takes images of the format ${wanted} only.`);
  const content = await contentOf(source);
  const { sizeBytes, sha256 } = content;
  const isDisk = format === 'qcow2';
  const around = isDisk ? aroundDisk(sizeBytes, architecture) : NOTHING;
  const received = {
    type: settings.instanceType,
    upload: (site: Site, name: string, uploading?: AbortSignal) =>
      upload(site, { name, content, format, around }, uploading),
  };
  // An engine exported the tarball, and its SHA-256 is the fingerprint: it need not be read for that.
  if (sha256 !== null && !isDisk)
    return { ...received, print: sha256, disk: null, minDiskGb: minDiskGbOf(sizeBytes) };
  const { head, own, whole } = await examine(content, around, signal);
  if (hasMagic(head) !== isDisk) throw notThis(format);
  const diskBytes = isDisk ? Number(head.readBigUInt64BE(24)) : sizeBytes;
  return {
    ...received,
    print: whole,
    disk: isDisk ? `${own} ${sizeBytes}` : null,
    minDiskGb: minDiskGbOf(diskBytes),
  };
}

const minDiskGbOf = (bytes: number): number => Math.max(1, Math.ceil(bytes / GIB));

interface Upload {
  readonly name: string;
  readonly content: ImageContent;
  readonly format: ImageFormat;
  readonly around: Around;
}

async function upload(
  { client }: Site,
  { name, content, format, around }: Upload,
  signal?: AbortSignal,
): Promise<void> {
  // Incus and LXD each read the header with their own name.
  const headers = {
    'content-type': 'application/octet-stream',
    'x-incus-filename': name,
    'x-lxd-filename': name,
  };
  try {
    await client.run('POST', '/1.0/images', { project: DEFAULT, content, around, headers, signal });
  } catch (error) {
    if (isTaken(error)) return;
    // Not of the engine: the content could not be read.
    if (error instanceof EngineRefused) throw error;
    const told = translate(error, 'The image could not be stored');
    const isOfContent = told instanceof EngineRefused && told.code !== 'capacity_unavailable';
    throw isOfContent
      ? new EngineRefused('engine_failed', `${notThis(format).message} (${told.message})`)
      : error;
  }
}

/** Reads the first bytes of a stream, and returns a stream that begins with them. */
async function peek(stream: AsyncGenerator<Buffer>, length: number) {
  const read: Buffer[] = [];
  while (Buffer.concat(read).length < length) {
    const next = await stream.next();
    if (next.done === true) break;
    read.push(next.value);
  }
  async function* whole(): AsyncGenerator<Buffer> {
    yield* read;
    yield* stream;
  }
  return { head: Buffer.concat(read).subarray(0, length), whole: whole() };
}

/** Returns the disk in the archive of a virtual machine. */
async function* diskIn(archive: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const reader = new ForwardReader(archive);
  try {
    for await (const { name, size, position } of readTar(reader)) {
      if (name.replace(/^\.\//, '') !== 'rootfs.img') continue;
      let left = size;
      for await (const bytes of reader.slices(position, size)) {
        left -= bytes.length;
        yield bytes;
      }
      if (left > 0) throw new EngineUnreachable('The engine sent only a part of the disk.');
      return;
    }
  } finally {
    await reader.close();
  }
  throw new EngineRefused('engine_failed', 'The image holds no disk.');
}

/** `pipeline` passes errors on in both directions, and closes the request if the reader stops. */
const unzip = (zipped: AsyncIterable<Buffer>): Readable =>
  pipeline(Readable.from(zipped), createGunzip(), () => undefined);

/** Returns the bytes of the image. */
export async function send(site: Site, print: string, signal?: AbortSignal): Promise<Readable> {
  const ask = { project: DEFAULT, signal };
  const stream = await site.client.open(`/1.0/images/${print}/export`, ask);
  const { head, whole } = await peek(stream, 2);
  if (head.equals(PART)) {
    await stream.return(undefined);
    throw new EngineRefused(
      'unsupported_format',
      'The image consists of several files and cannot be exported.',
    );
  }
  if (site.settings.instanceType === 'container') return Readable.from(whole);
  return Readable.from(diskIn(head.equals(GZIP) ? unzip(whole) : whole));
}
