/**
 * Detects the format of a file by its content. A disk image that refers to other files is refused: an engine that
 * opens it would read files of the provider for the customer.
 */
import { open } from 'node:fs/promises';
import type { ImageFormat } from '../../../engines/compute/port.ts';
import { isTar } from '../../../kernel/tar.ts';
import { BYTES_PER_GB } from '../gigabytes.ts';
import { ImportFailed } from '../imports/failure.ts';
import { systemSize } from './tarball.ts';

const SECTOR = 512;
const MOST_VIRTUAL_GB = 2000;
const LONGEST_DESCRIPTOR = 64 * 1024;

export interface Disk {
  readonly format: ImageFormat;
  /** The size of the disk; for a tarball, the total size of its files. */
  readonly virtualBytes: number;
}

const unsupported = (detail: string) => new ImportFailed('unsupported_format', detail);

async function readAt(file: string, position: number, length: number): Promise<Buffer> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

const begins = (head: Buffer, ...bytes: number[]): boolean =>
  head.subarray(0, bytes.length).equals(Buffer.from(bytes));
const says = (head: Buffer, text: string): boolean => begins(head, ...Buffer.from(text, 'latin1'));

const foreign: readonly (readonly [(head: Buffer) => boolean, string])[] = [
  [
    (head) => says(head, 'BZh'),
    'The file is packed with bzip2; pack it with gzip, xz or zstd, or not at all.',
  ],
  [
    (head) => says(head, 'PK\x03\x04'),
    'The file is a zip archive; pack the disk with gzip, xz or zstd, or not at all.',
  ],
  [
    (head) => says(head, 'vhdxfile') || says(head, 'conectix'),
    'The file is a disk of Hyper-V; convert it to qcow2.',
  ],
  [(head) => says(head, '<<< '), 'The file is a disk of VirtualBox; convert it to qcow2.'],
  [(head) => says(head, '# Disk Desc'), 'The file only refers to other files; convert the disk to qcow2.'],
];

function qcow2Size(head: Buffer): number {
  const version = head.length >= 72 ? head.readUInt32BE(4) : 0;
  if (version !== 2 && version !== 3)
    throw unsupported('The file is a qcow2 disk of an unknown version, or damaged.');
  if (head.readBigUInt64BE(8) !== 0n) throw unsupported('The disk needs a backing file; flatten it first.');
  const hasDataFile = version === 3 && head.length >= 80 && (head.readBigUInt64BE(72) & 4n) !== 0n;
  if (hasDataFile)
    throw unsupported('The data of the disk is in another file; convert it to a single file first.');
  return Number(head.readBigUInt64BE(24));
}

async function vmdkSize(file: string, head: Buffer): Promise<number> {
  if (head.length < 44) throw unsupported('The file is a damaged vmdk disk.');
  const at = Number(head.readBigUInt64LE(28)) * SECTOR;
  const length = Math.min(Number(head.readBigUInt64LE(36)) * SECTOR, LONGEST_DESCRIPTOR);
  const descriptor = length === 0 ? '' : (await readAt(file, at, length)).toString('latin1');
  const kind = /createType\s*=\s*"(\w+)"/.exec(descriptor)?.[1];
  if (kind !== 'monolithicSparse' && kind !== 'streamOptimized')
    throw unsupported(
      'Only vmdk disks in one file (monolithicSparse, streamOptimized) are supported; convert it.',
    );
  return Number(head.readBigUInt64LE(12)) * SECTOR;
}

export async function inspect(file: string, expected: ImageFormat | null): Promise<Disk> {
  const head = await readAt(file, 0, SECTOR);
  const known = foreign.find(([matches]) => matches(head));
  if (known !== undefined) throw unsupported(known[1]);
  const disk = await read(file, head);
  if (expected !== null && disk.format !== expected)
    throw unsupported(`The file must be ${expected}, but it is ${disk.format}.`);
  if (disk.virtualBytes > MOST_VIRTUAL_GB * BYTES_PER_GB)
    throw new ImportFailed('too_large', `The disk is larger than ${MOST_VIRTUAL_GB} GB.`);
  if (disk.virtualBytes === 0) throw unsupported('The disk has no size.');
  return disk;
}

async function read(file: string, head: Buffer): Promise<Disk> {
  if (says(head, 'QFI\xfb')) return { format: 'qcow2', virtualBytes: qcow2Size(head) };
  if (says(head, 'KDMV')) return { format: 'vmdk', virtualBytes: await vmdkSize(file, head) };
  if (isTar(head)) return { format: 'tarball', virtualBytes: await systemSize(file) };
  const isBootable = head.length === SECTOR && head[510] === 0x55 && head[511] === 0xaa;
  if (!isBootable)
    throw unsupported(
      'The file is neither qcow2, vmdk, a raw disk that begins with a partition table nor a container image.',
    );
  const handle = await open(file);
  try {
    return { format: 'raw', virtualBytes: (await handle.stat()).size };
  } finally {
    await handle.close();
  }
}
