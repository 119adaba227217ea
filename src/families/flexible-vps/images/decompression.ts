/**
 * Unpacks compressed files. Node always supports gzip, but not xz and zstd: the programs of these names unpack those.
 * The programs get the file as input and no other data of this process.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Duplex, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { isOfDisk } from '../imports/download.ts';
import { ImportFailed } from '../imports/failure.ts';
import { growingBy, NoRoom } from '../imports/scratch-room.ts';

interface Packing {
  readonly name: string;
  readonly magic: readonly number[];
  /** The command that unpacks from its standard input to its standard output; `null` if Node unpacks the file. */
  readonly program: readonly [name: string, ...args: string[]] | null;
}

/** A file can demand any amount of memory for unpacking; the programs use at most 256 MiB. */
const packings: readonly Packing[] = [
  { name: 'gzip', magic: [0x1f, 0x8b], program: null },
  {
    name: 'xz',
    magic: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00],
    program: ['xz', '--decompress', '--stdout', '--memlimit-decompress=256MiB'],
  },
  {
    name: 'zstd',
    magic: [0x28, 0xb5, 0x2f, 0xfd],
    program: ['zstd', '--decompress', '--stdout', '--memory=256MB'],
  },
];

const MAGIC_BYTES = 6;

async function packingOf(file: string): Promise<Packing | undefined> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAGIC_BYTES), 0, MAGIC_BYTES, 0);
    const head = buffer.subarray(0, bytesRead);
    return packings.find(({ magic }) => head.subarray(0, magic.length).equals(Buffer.from(magic)));
  } finally {
    await handle.close();
  }
}

/** Throws unless the program exits with code 0. */
async function* unpackedBy(
  [name, ...args]: NonNullable<Packing['program']>,
  file: string,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const handle = await open(file);
  try {
    const { PATH } = process.env;
    const child = spawn(name, args, { stdio: [handle.fd, 'pipe', 'ignore'], env: { PATH }, signal });
    const closed = once(child, 'close');
    // Awaited below, after the output is read. Until then, a rejection must not count as unhandled.
    closed.catch(() => undefined);
    try {
      await once(child, 'spawn');
      yield* child.stdout!;
      const [code] = await closed;
      if (code !== 0) throw new Error(`${name} ended with ${code}`);
    } finally {
      child.kill();
    }
  } finally {
    await handle.close();
  }
}

function explain(error: unknown, { name, program }: Packing): unknown {
  if (error instanceof ImportFailed || error instanceof NoRoom || isOfDisk(error)) return error;
  const isMissing = program !== null && (error as NodeJS.ErrnoException | null)?.code === 'ENOENT';
  const detail = isMissing
    ? `The file is packed with ${name}, which is not installed here; pack it with gzip, or not at all.`
    : `The file is packed with ${name}, but it is damaged.`;
  return new ImportFailed('unsupported_format', detail);
}

interface Unpacking {
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  /** Called before bytes are stored, with the number of bytes that the unpacked file needs by then. */
  reserve(bytes: number): Promise<void>;
}

/** Unpacks `file` to `target` if it is packed. Returns the path of the file that contains the disk. */
export async function unpack(
  file: string,
  target: string,
  { maxBytes, signal, reserve }: Unpacking,
): Promise<string> {
  const packing = await packingOf(file);
  if (packing === undefined) return file;
  const growing = growingBy(reserve, maxBytes);
  async function* counted(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let bytes = 0;
    for await (const chunk of source) {
      bytes += chunk.length;
      if (bytes > maxBytes)
        throw new ImportFailed('too_large', `The unpacked file is larger than ${maxBytes} bytes.`);
      await growing(bytes);
      yield chunk;
    }
  }
  const { program } = packing;
  const unpacked =
    program === null
      ? [createReadStream(file), createGunzip()]
      : [Readable.from(unpackedBy(program, file, signal))];
  await pipeline([...unpacked, Duplex.from(counted), createWriteStream(target)], { signal }).catch(
    (error: unknown) => {
      signal.throwIfAborted();
      throw explain(error, packing);
    },
  );
  return target;
}
