/** Downloads the file that an image or ISO is made of. */
import { join } from 'node:path';
import type { Work } from '../../../kernel/operations/kind.ts';
import { fetchFile } from './download.ts';
import { ImportFailed } from './failure.ts';
import { withScratch } from './scratch.ts';

type Importing = Pick<Work<unknown>, 'services' | 'signal'>;

interface Imported {
  readonly id: string;
  readonly account_id: string;
  readonly sealed_url: Buffer | null;
}

interface Wanted {
  readonly max_bytes: number;
  readonly sha256: string | null;
}

interface Fetched {
  readonly file: string;
  readonly folder: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Takes more of the disk, for files beside this one. */
  readonly reserve: (bytes: number) => Promise<void>;
}

/** The rest of the progress is for checking and storing the file. */
export const FETCHED_PERCENT = 80;

const PROGRESS_MS = 1000;
/** Progress is stored in steps of this size, at most once a second. */
const PROGRESS_STEP = 5;

/** The download gets most of the operation's time, never all: checking and storing the file take time, too. */
const DOWNLOAD_PART = 0.75;

function progressOf({ services }: Importing, id: string, note: Note) {
  let toldAt = 0;
  let told = 0;
  return (bytes: number, total: number | null): void => {
    const now = Date.now();
    if (total === null || total === 0 || now - toldAt < PROGRESS_MS) return;
    const percent = Math.min(FETCHED_PERCENT, Math.floor((bytes / total) * FETCHED_PERCENT));
    if (percent < told + PROGRESS_STEP) return;
    toldAt = now;
    told = percent;
    note(percent).catch((error: unknown) =>
      services.log.warn({ err: error, resource_id: id }, 'progress could not be stored'),
    );
  };
}

/** Stores how much is done. */
type Note = (percent: number) => Promise<void>;

/** A retry downloads the file again, because an earlier download may be on the disk of another worker. */
export async function withImportedFile<R>(
  work: Importing,
  row: Imported,
  { max_bytes, sha256 }: Wanted,
  { seconds, note, onFetched }: { seconds: number; note: Note; onFetched?: () => Promise<void> },
  use: (fetched: Fetched) => Promise<R>,
): Promise<R> {
  const { services, signal } = work;
  if (row.sealed_url === null) throw new Error(`The row of ${row.id} has no URL any more.`);
  const url = new URL(services.secrets.open(row.sealed_url, row.id).toString('utf8'));
  return withScratch(services, row.account_id, async ({ folder, reserve }) => {
    const file = join(folder, 'fetched');
    const fetched = await fetchFile(services.egress, url, file, {
      maxBytes: max_bytes,
      mostMs: DOWNLOAD_PART * seconds * 1000,
      signal,
      reserve,
      onProgress: progressOf(work, row.id, note),
    });
    await onFetched?.();
    if (sha256 !== null && fetched.sha256 !== sha256)
      throw new ImportFailed('checksum_mismatch', `The file has another SHA-256: ${fetched.sha256}.`);
    return use({ file, folder, reserve, bytes: fetched.bytes, sha256: fetched.sha256 });
  });
}
