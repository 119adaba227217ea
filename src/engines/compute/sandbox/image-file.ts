/**
 * Reads and writes image files. Of a downloaded image, only the header and the checksum are used. A file that a sandbox
 * exports is a qcow2 header followed by the files of the disk, so that another sandbox can import the same disk.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile, writeFile } from 'node:fs/promises';
import { EngineRefused } from '../../errors.ts';
import type { ImageFormat, ImageSource } from '../image.ts';
import type { StoredImage } from './state.ts';

export type Made = Omit<StoredImage, 'at'>;

const GB = 1024 ** 3;
const HEADER_BYTES = 104;
const QCOW2 = 'QFI\xfb';
const VMDK = 'KDMV';
/** Marks the files that a sandbox exported. A real qcow2 file has its cluster table at this place. */
const MARK = 'sandbox image\n';

function refuse(format: ImageFormat): EngineRefused {
  return new EngineRefused('engine_failed', `The file is not an image of the format ${format}.`);
}

/** Returns the disk size that the file describes. The content of the file must match the format of the caller. */
function virtualSize(head: Buffer, sizeBytes: number, format: ImageFormat): number {
  const isAs = (magic: string): boolean => head.subarray(0, 4).toString('latin1') === magic;
  if (format === 'qcow2' && head.length >= 32 && isAs(QCOW2)) return Number(head.readBigUInt64BE(24));
  if (format === 'vmdk' && head.length >= 20 && isAs(VMDK)) return Number(head.readBigUInt64LE(12)) * 512;
  if (format === 'raw' && !isAs(QCOW2) && !isAs(VMDK) && sizeBytes > 0) return sizeBytes;
  throw refuse(format);
}

/** Reads the first bytes of the file, and the size of the file. */
async function lookAt(file: string): Promise<{ head: Buffer; sizeBytes: number }> {
  const handle = await open(file);
  try {
    const { size: sizeBytes } = await handle.stat();
    const wanted = HEADER_BYTES + MARK.length;
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(wanted), 0, wanted, 0);
    return { head: buffer.subarray(0, bytesRead), sizeBytes };
  } finally {
    await handle.close();
  }
}

async function digestOf(file: string, signal: AbortSignal | undefined): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file, signal === undefined ? {} : { signal }))
    hash.update(chunk);
  return hash.digest('hex');
}

const foreign = {
  distribution: 'linux',
  version: '',
  defaultUser: 'root',
  hasCloudInit: true,
  hasAgent: false,
};

export async function readImageFile(
  { file, format, architecture }: Extract<ImageSource, { file: string }>,
  signal: AbortSignal | undefined,
): Promise<Made> {
  const { head, sizeBytes } = await lookAt(file);
  const minDiskGb = Math.max(1, Math.ceil(virtualSize(head, sizeBytes, format) / GB));
  if (head.subarray(HEADER_BYTES).toString('latin1') === MARK) return readOwn(file, format);
  const sha256 = await digestOf(file, signal);
  const disk = { '/etc/imported': `${sha256}\n` };
  return { disk, system: foreign, architecture, minDiskGb, sizeBytes, sha256 };
}

async function readOwn(file: string, format: ImageFormat): Promise<Made> {
  const text = (await readFile(file)).subarray(HEADER_BYTES + MARK.length).toString('utf8');
  try {
    return JSON.parse(text) as Made;
  } catch {
    throw refuse(format);
  }
}

export async function writeImageFile(
  file: string,
  { at: _, ...made }: StoredImage,
  signal: AbortSignal | undefined,
): Promise<void> {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write(QCOW2, 'latin1');
  header.writeUInt32BE(3, 4);
  header.writeBigUInt64BE(BigInt(made.minDiskGb) * BigInt(GB), 24);
  const bytes = Buffer.concat([header, Buffer.from(MARK, 'latin1'), Buffer.from(JSON.stringify(made))]);
  await writeFile(file, bytes, signal === undefined ? {} : { signal });
}
