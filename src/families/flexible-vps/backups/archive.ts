/**
 * Writes the archive of a backup to the object store and reads it back, both as streams. The archive is stored in
 * encrypted parts, one object each, so that an interrupted upload continues with the part that is missing, and memory
 * holds few parts.
 */
import { createHash } from 'node:crypto';
import type { ImageContent } from '../../../engines/compute/port.ts';
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

interface Part {
  readonly plain: Buffer;
  readonly isLast: boolean;
}

/**
 * Cuts a stream into parts. A part is returned when the next one has begun, so that the last one is known. The bytes
 * of a part are valid until the next one is asked for.
 */
async function* partsIn(bytes: AsyncIterable<Buffer>): AsyncGenerator<Part> {
  let [current, other] = [Buffer.allocUnsafe(PART_BYTES), Buffer.allocUnsafe(PART_BYTES)];
  let filled = 0;
  for await (const chunk of bytes) {
    for (let at = 0; at < chunk.length; ) {
      if (filled === PART_BYTES) {
        yield { plain: current, isLast: false };
        [current, other] = [other, current];
        filled = 0;
      }
      const copied = chunk.copy(current, filled, at, at + PART_BYTES - filled);
      filled += copied;
      at += copied;
    }
  }
  yield { plain: current.subarray(0, filled), isLast: true };
}

/** Stores the bytes. Parts that the store already has from an earlier attempt are not sent again. */
export async function storeArchive(
  db: Db,
  services: Needs,
  row: Stored,
  bytes: AsyncIterable<Buffer>,
  signal: AbortSignal,
): Promise<Archive> {
  const store = storeOf(services, row);
  const cipher = await cipherOf(db, services, row);
  const known = await partsOf(db, row.id);
  const whole = createHash('sha256');
  let [size, number] = [0, 0];
  for await (const { plain, isLast } of partsIn(bytes)) {
    signal.throwIfAborted();
    number++;
    size += plain.length;
    whole.update(plain);
    // The last part is encrypted in another way than the same bytes at the same place before others.
    const sha256 = createHash('sha256')
      .update(plain)
      .update(isLast ? 'end' : '')
      .digest('hex');
    if (known.get(number) === sha256) continue;
    await store.put(keyOf(row, number), cipher.close(plain, { number, isLast }), signal);
    await notePart(db, { backup_id: row.id, number, sha256 });
  }
  return { size_bytes: size, sha256: whole.digest('hex'), part_count: number };
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

type Whole = Stored & Pick<BackupRow, 'size_bytes' | 'part_count' | 'sha256'>;

/** Yields the last part only if the SHA-256 of the whole is right. */
async function* readVerified(
  db: Db,
  services: Needs,
  row: Whole,
  signal?: AbortSignal,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  let left = row.size_bytes ?? 0;
  try {
    for await (const bytes of readArchive(db, services, row, undefined, signal)) {
      hash.update(bytes);
      left -= bytes.length;
      if (left === 0 && hash.digest('hex') !== row.sha256)
        throw new EngineRefused('checksum_mismatch', 'The backup is damaged: its SHA-256 has changed.');
      yield bytes;
    }
  } catch (error) {
    throw error instanceof PartDamaged ? new EngineRefused('checksum_mismatch', error.message) : error;
  }
}

/** The archive as the content of an image. An engine never gets all bytes of an archive that is damaged. */
export const contentOfArchive = (db: Db, services: Needs, row: Whole): ImageContent => ({
  sizeBytes: row.size_bytes ?? 0,
  sha256: row.sha256,
  read: (signal) => readVerified(db, services, row, signal),
});

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
