/** Downloads an ISO, checks it, and stores it in all locations whose machines can use it. */
import { EngineUnreachable } from '../../../engines/compute/port.ts';
import type { Work } from '../../../kernel/operations/kind.ts';
import { Nullable, Shape, type Static, Type } from '../../../kernel/schema.ts';
import { FETCHED_PERCENT, withImportedFile } from '../imports/fetched.ts';
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

export const IMPORT_SECONDS = 60 * 60;

type Importing = Pick<Work<ImportInput>, 'input' | 'services' | 'signal' | 'db' | 'operationId'>;

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

export function importIso(work: Importing, row: IsoRow): Promise<Imported> {
  const { input, db, operationId } = work;
  const note = (status: 'downloading' | 'verifying', percent: number) =>
    noteIsoProgress(db, { isoId: row.id, status, percent, operationId });
  const fetching = {
    seconds: IMPORT_SECONDS,
    note: (percent: number) => note('downloading', percent),
    onFetched: () => note('verifying', FETCHED_PERCENT),
  };
  return withImportedFile(work, row, input, fetching, async ({ file, bytes, sha256 }) => {
    await requireIsoContent(file);
    return { locations: await store(work, row, file), sizeBytes: bytes, sha256 };
  });
}
