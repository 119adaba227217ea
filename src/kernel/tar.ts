/** The parts of the tar format that images need: list the entries of an archive, and write an archive around a file. */

/** A file, or a stream that is read from its beginning to its end (`ForwardReader`). */
export interface TarSource {
  read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }>;
}

const BLOCK = 512;
/** The limit for extension records, which hold a long name or other values that do not fit into a header. */
const LONGEST_RECORD = 1024 * 1024;

export class TarDamaged extends Error {
  constructor(detail: string) {
    super(detail);
    this.name = 'TarDamaged';
  }
}

export type TarType = 'file' | 'folder' | 'symlink' | 'hardlink' | 'other';

export interface TarEntry {
  readonly name: string;
  readonly type: TarType;
  /** The target of a link. */
  readonly target: string;
  readonly size: number;
  /** The offset of the entry's content in the archive. */
  readonly position: number;
}

interface Further {
  readonly path?: string;
  readonly linkpath?: string;
  readonly size?: number;
}

const types: Readonly<Record<string, TarType>> = {
  '0': 'file',
  '\0': 'file',
  '7': 'file',
  '1': 'hardlink',
  '2': 'symlink',
  '5': 'folder',
  '3': 'other',
  '4': 'other',
  '6': 'other',
};
const HOLES = 'It holds files with holes; pack it without --sparse.';

export const isTar = (head: Buffer): boolean => head.subarray(257, 262).toString('latin1') === 'ustar';

function textAt(block: Buffer, start: number, length: number): string {
  const field = block.subarray(start, start + length);
  const end = field.indexOf(0);
  return field.subarray(0, end === -1 ? length : end).toString('utf8');
}

/** Reads octal digits, or a binary number if the first bit is set (for values too large for the field). */
function numberAt(block: Buffer, start: number, length: number): number {
  if (((block[start] ?? 0) & 0x80) !== 0) return Number(block.readBigUInt64BE(start + length - 8));
  const digits = textAt(block, start, length).trim();
  if (!/^[0-7]*$/.test(digits)) throw new TarDamaged('A header holds an invalid number.');
  return digits === '' ? 0 : Number.parseInt(digits, 8);
}

function sumOf(block: Buffer): number {
  let sum = 0;
  for (let at = 0; at < BLOCK; at++) sum += at >= 148 && at < 156 ? 32 : (block[at] ?? 0);
  return sum;
}

/** Parses pax records: lines of `length name=value`. */
function readRecords(bytes: Buffer): Further {
  const found: Record<string, string> = {};
  for (let at = 0; at < bytes.length; ) {
    const gap = bytes.indexOf(0x20, at);
    const length = Number.parseInt(bytes.subarray(at, gap).toString('latin1'), 10);
    const line = bytes.subarray(gap + 1, at + length - 1).toString('utf8');
    if (gap === -1 || !(length > gap - at) || !line.includes('='))
      throw new TarDamaged('An extension header is malformed.');
    const cut = line.indexOf('=');
    found[line.slice(0, cut)] = line.slice(cut + 1);
    at += length;
  }
  if (Object.keys(found).some((name) => name.startsWith('GNU.sparse.'))) throw new TarDamaged(HOLES);
  const { path, linkpath, size } = found;
  return {
    ...(path === undefined ? {} : { path }),
    ...(linkpath === undefined ? {} : { linkpath }),
    ...(size === undefined ? {} : { size: Number(size) }),
  };
}

async function readFully(handle: TarSource, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await handle.read(buffer, 0, length, position);
  return buffer.subarray(0, bytesRead);
}

/** The values that an extension record sets for the entry after it. */
function furtherOf(type: string, bytes: Buffer): Further {
  if (type === 'x') return readRecords(bytes);
  if (type === 'g') {
    if (Object.keys(readRecords(bytes)).length > 0)
      throw new TarDamaged('It has a global header that applies to all entries, which is not supported.');
    return {};
  }
  const text = textAt(bytes, 0, bytes.length);
  return type === 'L' ? { path: text } : { linkpath: text };
}

function entryOf(block: Buffer, further: Further, position: number): TarEntry {
  const type = types[block.subarray(156, 157).toString('latin1')];
  if (type === undefined) throw new TarDamaged('It holds an entry of an unknown kind.');
  const prefix = block.subarray(257, 263).toString('latin1') === 'ustar\0' ? textAt(block, 345, 155) : '';
  const short = textAt(block, 0, 100);
  const name = further.path ?? (prefix === '' ? short : `${prefix}/${short}`);
  const target = further.linkpath ?? textAt(block, 157, 100);
  const size = type === 'file' ? (further.size ?? numberAt(block, 124, 12)) : 0;
  if (!Number.isSafeInteger(size) || size < 0 || (size > 0 && name.endsWith('/')))
    throw new TarDamaged('A header holds an invalid size.');
  return { name, type, target, size, position };
}

const padded = (size: number): number => Math.ceil(size / BLOCK) * BLOCK;
const isEmpty = (block: Buffer): boolean => block.every((byte) => byte === 0);

/**
 * Reads only the headers, up to the end of the archive. Refuses anything that other programs may read differently, so
 * that the program that unpacks the archive finds the same entries.
 */
export async function* readTar(handle: TarSource): AsyncGenerator<TarEntry> {
  let further: Further = {};
  for (let at = 0; ; ) {
    const block = await readFully(handle, at, BLOCK);
    if (isEmpty(block) && isEmpty(await readFully(handle, at + BLOCK, BLOCK))) return;
    if (block.length < BLOCK || numberAt(block, 148, 8) !== sumOf(block))
      throw new TarDamaged('It is truncated, or a header is damaged.');
    const type = block.subarray(156, 157).toString('latin1');
    if (type === 'S') throw new TarDamaged(HOLES);
    const position = at + BLOCK;
    if ('xgLK'.includes(type)) {
      const length = numberAt(block, 124, 12);
      if (length > LONGEST_RECORD) throw new TarDamaged('A header is too long.');
      const told = furtherOf(type, await readFully(handle, position, length));
      further = { ...further, ...told };
      at = position + padded(length);
      continue;
    }
    const entry = entryOf(block, further, position);
    at = position + padded(entry.size);
    further = {};
    yield entry;
  }
}

/** The header of a plain file. The same name and size always give the same bytes. */
export function tarHeader(name: string, size: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  block.write(name, 0, 100, 'utf8');
  block.write('0000644\0', 100);
  block.write('0000000\0', 108);
  block.write('0000000\0', 116);
  if (size < 8 ** 11) block.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  else {
    block[124] = 0x80;
    block.writeBigUInt64BE(BigInt(size), 128);
  }
  block.write('00000000000\0', 136);
  block.write('0', 156);
  block.write('ustar\x0000', 257);
  block.write(`${sumOf(block).toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

/** The padding after the content of a file of this size. */
export const tarPadding = (size: number): Buffer => Buffer.alloc(padded(size) - size);

export const tarEnd = Buffer.alloc(2 * BLOCK);
