import { step } from '../../../engines/engine-step.ts';
import type { NewEvent } from '../../../kernel/events/event.ts';
import { done, failed, kind, NoInput, type Outcome, type Work } from '../../../kernel/operations/kind.ts';
import type { OperationError } from '../../../kernel/operations/schema.ts';
import type { Tx } from '../../../store/database.ts';
import { failedColumns } from '../catalog/store.ts';
import { ImportFailed } from '../images/failure.ts';
import { NoRoom, outcomeOf } from '../images/scratch-room.ts';
import { IMPORT_SECONDS, ImportInput, importIso } from './import.ts';
import { isos } from './resource.ts';
import { findIsoRow } from './store.ts';
import type { IsoRow } from './table.ts';

async function importStep(work: Work<ImportInput>): Promise<Outcome> {
  const { db, accountId, resourceId, services } = work;
  const row = await findIsoRow(db, accountId, resourceId);
  if (row === undefined) return failed('not_found', 'The ISO is gone.');
  try {
    const { locations, sizeBytes, sha256 } = await importIso(work, row);
    return done({ locations }, async (tx) => {
      const change = {
        locations,
        sha256,
        size_bytes: sizeBytes,
        status: 'available',
        progress_percent: null,
        sealed_url: null,
      } as const;
      const ready = await isos.change(tx, row.id, change, { services });
      return ready === undefined ? undefined : [isos.event('available', ready)];
    });
  } catch (error) {
    if (error instanceof ImportFailed) return failed(error.code, error.message);
    if (error instanceof NoRoom) return outcomeOf(error);
    throw error;
  }
}

/** Removes the ISO from all engines, not only from `locations`: a copy whose step never committed is not in it. */
async function removeEverywhere({
  services,
  accountId,
  resourceId,
  signal,
}: Work<unknown>): Promise<Outcome | null> {
  const ref = { account: accountId, id: resourceId };
  for (const engine of services.compute.all) {
    await engine.removeIso(ref, signal);
    if ((await engine.observeIso(ref, signal)) !== null)
      return failed('engine_failed', 'The engine removed the ISO, but still has it.', true);
  }
  return null;
}

async function erase(tx: Tx, id: string): Promise<NewEvent[]> {
  const row = await isos.erase(tx, id);
  return row === undefined ? [] : [isos.event('deleted', row)];
}

export const failureEvent = (row: IsoRow, detail: string): NewEvent =>
  isos.event('failed', row, { severity: 'error', message: `The ISO ${row.name} failed: ${detail}` });

async function settleFailed(
  tx: Tx,
  id: string,
  error: OperationError | null,
): Promise<NewEvent[] | undefined> {
  const { code, detail } = error ?? {
    code: 'engine_failed',
    detail: 'The ISO could not be imported or deleted.',
  };
  const row = await isos.change(tx, id, failedColumns({ code, detail }));
  return row === undefined ? undefined : [failureEvent(row, detail)];
}

export const createIsoKind = kind<typeof ImportInput>({
  type: 'iso.create',
  family: 'flexible-vps',
  resourceType: 'iso',
  queue: 'exclusive',
  input: ImportInput,
  typicalSeconds: 60,
  everywhere: true,
  deadlineSeconds: IMPORT_SECONDS,
  cancellable: true,
  steps: [step('import', importStep, { foreign: true })],
  undo: [step('remove', async (work) => (await removeEverywhere(work)) ?? done())],
  erase,
  provisions: 'vps_isos',
  async settle(tx, { status, resourceId, error }) {
    return status === 'failed' ? settleFailed(tx, resourceId, error) : undefined;
  },
});

export const deleteIsoKind = kind<typeof NoInput>({
  type: 'iso.delete',
  family: 'flexible-vps',
  resourceType: 'iso',
  queue: 'destroy',
  input: NoInput,
  typicalSeconds: 5,
  everywhere: true,
  deadlineSeconds: 60 * 60,
  cancellable: false,
  steps: [
    step('remove', async (work) => {
      const fault = await removeEverywhere(work);
      return fault ?? done({}, (tx) => erase(tx, work.resourceId));
    }),
  ],
  async settle(tx, { status, resourceId, error }) {
    return status === 'failed' ? settleFailed(tx, resourceId, error) : undefined;
  },
});
