/**
 * Reads and writes images. Of a downloaded image, only the header and the checksum are used. What a sandbox
 * exports is a qcow2 header followed by the files of the disk, so that another sandbox can import the same disk.
 */
import { createHash } from 'node:crypto';
import { EngineRefused } from '../../errors.ts';
import { contentOf, type ForeignImage, type ImageFormat } from '../image.ts';
import type { StoredImage } from './state.ts';

export type Made = Omit<StoredImage, 'at'>;

const GB = 1024 ** 3;
const HEADER_BYTES = 104;
const QCOW2 = 'QFI\xfb';
const VMDK = 'KDMV';
/** Marks what a sandbox exported. A real qcow2 file has its cluster table at this place. */
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

const foreign = {
  distribution: 'linux',
  version: '',
  defaultUser: 'root',
  hasCloudInit: true,
  hasAgent: false,
};

const OWN_AT = HEADER_BYTES + MARK.length;
const isOwn = (head: Buffer): boolean => head.subarray(HEADER_BYTES, OWN_AT).toString('latin1') === MARK;

export async function readImage(source: ForeignImage, signal: AbortSignal | undefined): Promise<Made> {
  const { format, architecture } = source;
  const content = await contentOf(source);
  const hash = createHash('sha256');
  // Only the images of a sandbox, which are small, are kept as a whole.
  let kept = Buffer.alloc(0);
  for await (const chunk of content.read(signal)) {
    hash.update(chunk);
    if (kept.length < OWN_AT || isOwn(kept)) kept = Buffer.concat([kept, chunk]);
  }
  const { sizeBytes } = content;
  const minDiskGb = Math.max(1, Math.ceil(virtualSize(kept, sizeBytes, format) / GB));
  if (isOwn(kept)) return parseOwn(kept, format);
  const sha256 = hash.digest('hex');
  const disk = { '/etc/imported': `${sha256}\n` };
  return { disk, system: foreign, architecture, minDiskGb, sizeBytes, sha256 };
}

function parseOwn(bytes: Buffer, format: ImageFormat): Made {
  try {
    return JSON.parse(bytes.subarray(OWN_AT).toString('utf8')) as Made;
  } catch {
    throw refuse(format);
  }
}

export function imageBytes({ at: _, ...made }: StoredImage): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write(QCOW2, 'latin1');
  header.writeUInt32BE(3, 4);
  header.writeBigUInt64BE(BigInt(made.minDiskGb) * BigInt(GB), 24);
  return Buffer.concat([header, Buffer.from(MARK, 'latin1'), Buffer.from(JSON.stringify(made))]);
}
