/**
 * Reads and writes images as files. For containers, the file is the engine's own tarball. For virtual machines, the
 * file is a qcow2 disk, while the engine uses an archive of that disk and `metadata.yaml`, so the archive is added on
 * upload and removed on export.
 */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { readTar, tarEnd, tarHeader, tarPadding } from '../../../kernel/tar.ts';
import { EngineRefused } from '../../errors.ts';
import type { ImageFormat, ImageSource } from '../image.ts';
import type { Site } from './driver-context.ts';
import { isTaken, translate } from './failure.ts';
import { DEFAULT } from './names.ts';
import type { IncusSettings, InstanceType } from './settings.ts';

type Settings = Pick<IncusSettings, 'instanceType'>;
type FileSource = Extract<ImageSource, { file: string }>;

const GIB = 1024 ** 3;
const QCOW2 = Buffer.from('QFI\xfb', 'latin1');
const GZIP = Buffer.from([0x1f, 0x8b]);
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
  /** The SHA-256 and the size of the file; null if the engine receives exactly the file. */
  readonly disk: string | null;
  readonly minDiskGb: number;
  upload(site: Site, signal?: AbortSignal): Promise<void>;
}

async function readHead(file: string, length: number): Promise<Buffer> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** The SHA-256 of the file alone, and of the whole archive that is sent. */
async function digestOf(file: string, [before, after]: Around, signal?: AbortSignal) {
  const own = createHash('sha256');
  const whole = createHash('sha256').update(before);
  for await (const chunk of createReadStream(file, signal === undefined ? {} : { signal })) {
    own.update(chunk);
    whole.update(chunk);
  }
  return { own: own.digest('hex'), whole: whole.update(after).digest('hex') };
}

type Around = readonly [before: Buffer, after: Buffer];
const NOTHING: Around = [Buffer.alloc(0), Buffer.alloc(0)];

/** The same disk always gets the same archive, so the engine stores it only once. */
function aroundDisk(bytes: number, architecture: FileSource['architecture']): Around {
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

/** Checks a file and computes its fingerprint; the upload is a separate step. */
export async function receive(
  settings: Settings,
  { file, format, architecture }: FileSource,
  signal?: AbortSignal,
): Promise<Received> {
  const wanted = formatOf(settings);
  if (format !== wanted)
    throw new EngineRefused('unsupported_format', `This location takes images of the format ${wanted} only.`);
  const { size } = await stat(file);
  const head = await readHead(file, 32);
  const isDisk = head.length === 32 && head.subarray(0, 4).equals(QCOW2);
  if (isDisk !== (format === 'qcow2')) throw notThis(format);
  const around = isDisk ? aroundDisk(size, architecture) : NOTHING;
  const { own, whole } = await digestOf(file, around, signal);
  return {
    type: settings.instanceType,
    print: whole,
    disk: isDisk ? `${own} ${size}` : null,
    minDiskGb: Math.max(1, Math.ceil((isDisk ? Number(head.readBigUInt64BE(24)) : size) / GIB)),
    upload: (site, uploading) => upload(site, { file, format, around }, uploading),
  };
}

async function upload(
  { client }: Site,
  { file, format, around }: Pick<FileSource, 'file' | 'format'> & { readonly around: Around },
  signal?: AbortSignal,
): Promise<void> {
  const headers = { 'content-type': 'application/octet-stream' };
  try {
    await client.run('POST', '/1.0/images', { project: DEFAULT, file, around, headers, signal });
  } catch (error) {
    if (isTaken(error)) return;
    const told = translate(error, 'The image could not be stored');
    const isOfContent = told instanceof EngineRefused && told.code !== 'capacity_unavailable';
    throw isOfContent
      ? new EngineRefused('engine_failed', `${notThis(format).message} (${told.message})`)
      : error;
  }
}

async function unzip(file: string, signal?: AbortSignal): Promise<void> {
  if (!(await readHead(file, 2)).equals(GZIP)) return;
  const target = `${file}.tar`;
  await pipeline(createReadStream(file), createGunzip(), createWriteStream(target), { signal });
  await rename(target, file);
}

async function copyDisk(handle: FileHandle, file: string, signal?: AbortSignal): Promise<void> {
  for await (const { name, size, position } of readTar(handle)) {
    if (name.replace(/^\.\//, '') !== 'rootfs.img') continue;
    const disk = handle.createReadStream({ start: position, end: position + size - 1, autoClose: false });
    await pipeline(disk, createWriteStream(file), { signal });
    return;
  }
  throw new EngineRefused('engine_failed', 'The image holds no disk.');
}

/** Writes the image into `file`, replacing its content. */
export async function send(site: Site, print: string, file: string, signal?: AbortSignal): Promise<void> {
  const isContainer = site.settings.instanceType === 'container';
  const packed = isContainer ? file : `${file}.packed`;
  const ask = { project: DEFAULT, signal };
  try {
    await site.client.download(`/1.0/images/${print}/export`, packed, ask);
    if ((await readHead(packed, 2)).equals(PART))
      throw new EngineRefused(
        'unsupported_format',
        'The image consists of several files and cannot be exported.',
      );
    if (isContainer) return;
    await unzip(packed, signal);
    const handle = await open(packed);
    await copyDisk(handle, file, signal).finally(() => handle.close());
  } finally {
    if (!isContainer) await rm(packed, { force: true });
  }
}
