/** Downloads an ISO, checks it, and stores it in all locations whose machines can use it. */
import { join } from 'node:path';
import { EngineUnreachable } from '../../../engines/compute/port.ts';
import type { Work } from '../../../kernel/operations/kind.ts';
import { Nullable, Shape, type Static, Type } from '../../../kernel/schema.ts';
import { fetchFile } from '../images/download.ts';
import { ImportFailed } from '../images/failure.ts';
import { withScratch } from '../images/scratch.ts';
import { refOf } from '../vms/guest.ts';
import { requireIsoContent } from './content.ts';
import { takersOf } from './offered.ts';
import { noteIsoProgress } from './store.ts';
import type { IsoRow } from './table.ts';

export const ImportInput = Shape({ sha256: Nullable(Type.String()), max_bytes: Type.Integer() });
export type ImportInput = Static<typeof ImportInput>;

export interface Imported {
  readonly locations: string[];
  readonly sizeBytes: number;
  readonly sha256: string;
}

const PROGRESS_MS = 1000;
/** Progress is stored in steps of this size, at most once a second. */
const PROGRESS_STEP = 5;
/** The rest of the progress is for checking and storing the file. */
const FETCHED_PERCENT = 80;

export const IMPORT_SECONDS = 60 * 60;
/** The download gets most of the operation's time, never all: checking and storing the file take time, too. */
const DOWNLOAD_MS = 0.75 * IMPORT_SECONDS * 1000;

type Importing = Pick<Work<ImportInput>, 'input' | 'services' | 'signal' | 'db' | 'operationId'>;

function progressOf({ db, services, operationId }: Importing, { id: isoId }: IsoRow) {
  let toldAt = 0;
  let told = 0;
  return (bytes: number, total: number | null): void => {
    const now = Date.now();
    if (total === null || total === 0 || now - toldAt < PROGRESS_MS) return;
    const percent = Math.min(FETCHED_PERCENT, Math.floor((bytes / total) * FETCHED_PERCENT));
    if (percent < told + PROGRESS_STEP) return;
    toldAt = now;
    told = percent;
    noteIsoProgress(db, { isoId, status: 'downloading', percent, operationId }).catch((error: unknown) =>
      services.log.warn({ err: error, iso_id: isoId }, 'progress could not be stored'),
    );
  };
}

/** Locations that do not answer are left out. If none answers, the step is tried again later. */
async function store({ services, signal }: Importing, row: IsoRow, file: string): Promise<string[]> {
  const locations: string[] = [];
  let silence = new EngineUnreachable('No location stores ISOs at the moment.');
  for (const engine of takersOf(services, row.architecture)) {
    try {
      await engine.ensureIso(refOf(row), file, signal);
      if ((await engine.observeIso(refOf(row), signal)) === null)
        silence = new EngineUnreachable('The engine stored the ISO, but does not have it.');
      else locations.push(engine.location);
    } catch (error) {
      if (!(error instanceof EngineUnreachable)) throw error;
      silence = error;
    }
  }
  if (locations.length === 0) throw silence;
  return locations;
}

/** A retry downloads the file again, because an earlier download may be on the disk of another worker. */
export async function importIso(work: Importing, row: IsoRow): Promise<Imported> {
  const { input, services, signal, db, operationId } = work;
  if (row.sealed_url === null) throw new Error(`The row of ${row.id} has no URL any more.`);
  const url = new URL(services.secrets.open(row.sealed_url, row.id).toString('utf8'));
  return withScratch(services, row.account_id, async ({ folder, reserve }) => {
    const file = join(folder, 'iso');
    const onProgress = progressOf(work, row);
    const fetching = { maxBytes: input.max_bytes, mostMs: DOWNLOAD_MS, signal, reserve, onProgress };
    const { bytes, sha256 } = await fetchFile(services.egress, url, file, fetching);
    await noteIsoProgress(db, { isoId: row.id, status: 'verifying', percent: FETCHED_PERCENT, operationId });
    if (input.sha256 !== null && sha256 !== input.sha256)
      throw new ImportFailed('checksum_mismatch', `The file has another SHA-256: ${sha256}.`);
    await requireIsoContent(file);
    return { locations: await store(work, row, file), sizeBytes: bytes, sha256 };
  });
}
