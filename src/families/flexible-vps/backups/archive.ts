/**
 * Writes the archive of a backup to the object store and reads it back. The archive is stored in encrypted parts, one
 * object each, so that an interrupted upload continues with the part that is missing, and memory holds few parts.
 */
import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { engineAt } from '../../../engines/engine-step.ts';
import { EngineRefused } from '../../../engines/errors.ts';
import type { ObjectStore } from '../../../engines/objects/port.ts';
import type { Services } from '../../../kernel/services.ts';
import type { Db } from '../../../store/database.ts';
import { cipherOf, PartDamaged } from './cipher.ts';
import { forgetParts, notePart, partsOf } from './store.ts';
import type { BackupRow } from './table.ts';

/** The plain bytes of each part except the last. Ranges of a download are found with it, so it never changes. */
export const PART_BYTES = 8 * 1024 * 1024;

type Stored = Pick<BackupRow, 'id' | 'account_id' | 'location'>;
type Needs = Pick<Services, 'objects' | 'secrets'>;

export interface Archive {
  readonly size_bytes: number;
  readonly sha256: string;
  readonly part_count: number;
}

const prefixOf = ({ account_id, id }: Stored): string => `${account_id}/${id}/`;
const keyOf = (row: Stored, number: number): string => `${prefixOf(row)}${String(number).padStart(8, '0')}`;

const storeOf = ({ objects }: Needs, { location }: Stored): ObjectStore => engineAt(objects, location);

/** Fills the buffer unless the file ends. */
async function readInto(handle: FileHandle, buffer: Buffer): Promise<Buffer> {
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}

/** Stores the file. Parts that the store already has from an earlier attempt are not sent again. */
export async function storeArchive(
  db: Db,
  services: Needs,
  row: Stored,
  file: string,
  signal: AbortSignal,
): Promise<Archive> {
  const store = storeOf(services, row);
  const cipher = await cipherOf(db, services, row);
  const known = await partsOf(db, row.id);
  const whole = createHash('sha256');
  const buffer = Buffer.alloc(PART_BYTES);
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    const count = Math.max(1, Math.ceil(size / PART_BYTES));
    for (let number = 1; number <= count; number++) {
      signal.throwIfAborted();
      const plain = await readInto(handle, buffer);
      whole.update(plain);
      const sha256 = createHash('sha256').update(plain).digest('hex');
      if (known.get(number) === sha256) continue;
      await store.put(keyOf(row, number), cipher.close(plain, { number, isLast: number === count }), signal);
      await notePart(db, { backup_id: row.id, number, sha256 });
    }
    return { size_bytes: size, sha256: whole.digest('hex'), part_count: count };
  } finally {
    await handle.close();
  }
}

interface Range {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

/** The decrypted bytes of the archive, part by part. Throws `PartDamaged` before it returns a byte of a wrong part. */
export async function* readArchive(
  db: Db,
  services: Needs,
  row: Stored & Pick<BackupRow, 'size_bytes' | 'part_count'>,
  { from, to }: Range = { from: 0, to: row.size_bytes ?? 0 },
  signal?: AbortSignal,
): AsyncGenerator<Buffer> {
  const store = storeOf(services, row);
  const cipher = await cipherOf(db, services, row);
  for (let number = Math.floor(from / PART_BYTES) + 1; (number - 1) * PART_BYTES < to; number++) {
    const place = { number, isLast: number === row.part_count };
    const sealed = await store.get(keyOf(row, number), signal);
    if (sealed === null)
      throw new EngineRefused('checksum_mismatch', `Part ${number} of the backup is missing.`);
    const plain = cipher.open(sealed, place);
    const start = (number - 1) * PART_BYTES;
    yield plain.subarray(Math.max(0, from - start), Math.min(plain.length, to - start));
  }
}

/** Writes the archive into a file, and checks the SHA-256 of the whole. */
export async function fetchArchive(
  db: Db,
  services: Needs,
  row: Stored & Pick<BackupRow, 'size_bytes' | 'part_count' | 'sha256'>,
  file: string,
  signal: AbortSignal,
): Promise<void> {
  const hash = createHash('sha256');
  const handle = await open(file, 'w', 0o600);
  try {
    for await (const bytes of readArchive(db, services, row, undefined, signal)) {
      hash.update(bytes);
      await handle.writeFile(bytes);
    }
  } catch (error) {
    throw error instanceof PartDamaged ? new EngineRefused('checksum_mismatch', error.message) : error;
  } finally {
    await handle.close();
  }
  if (hash.digest('hex') !== row.sha256)
    throw new EngineRefused('checksum_mismatch', 'The backup is damaged: its SHA-256 has changed.');
}

export async function removeArchive(
  db: Db,
  services: Needs,
  row: Stored,
  signal: AbortSignal,
): Promise<void> {
  // First, so that a part that is removed is never taken for stored.
  await forgetParts(db, row.id);
  await storeOf(services, row).removeAll(prefixOf(row), signal);
}
