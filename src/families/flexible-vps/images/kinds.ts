import { EngineRefused, EngineUnreachable } from '../../../engines/compute/port.ts';
import { step } from '../../../engines/engine-step.ts';
import type { NewEvent } from '../../../kernel/events/event.ts';
import { done, failed, kind, NoInput, type Outcome, type Work } from '../../../kernel/operations/kind.ts';
import type { OperationError } from '../../../kernel/operations/schema.ts';
import type { Tx } from '../../../store/database.ts';
import { failedColumns } from '../catalog/store.ts';
import {
  CREATE_SECONDS,
  capture,
  importBackup,
  importers,
  importFile,
  type Made,
  MakeInput,
} from './capture-and-import.ts';
import { ImportFailed } from './failure.ts';
import { ensureImageAt } from './image-copies.ts';
import { images } from './resource.ts';
import { NoRoom, outcomeOf } from './scratch-room.ts';
import { findImageRow } from './store.ts';
import type { ImageRow } from './table.ts';

const MADE_PERCENT = 90;
const LIED = 'The engine reported the image as stored, but does not have it.';

const rowOf = ({ db, accountId, resourceId }: Work<unknown>): Promise<ImageRow | undefined> =>
  findImageRow(db, accountId, resourceId);

function makeFrom(work: Work<MakeInput>, row: ImageRow): Promise<Made | null> {
  const { input } = work;
  if (input.source === 'vm') return capture({ ...work, input }, row);
  return input.source === 'backup'
    ? importBackup({ ...work, input }, row)
    : importFile({ ...work, input }, row);
}

async function make(work: Work<MakeInput>): Promise<Outcome> {
  const row = await rowOf(work);
  if (row === undefined) return failed('not_found', 'The image is gone.');
  try {
    const made = await makeFrom(work, row);
    if (made === null) return failed('engine_failed', LIED, true);
    const { location, image } = made;
    return done({ location }, async (tx) => {
      await images.change(tx, row.id, {
        min_disk_gb: image.minDiskGb,
        size_bytes: image.sizeBytes,
        sha256: image.sha256,
        locations: [location],
        sealed_url: null,
        progress_percent: MADE_PERCENT,
      });
      return undefined;
    });
  } catch (error) {
    if (error instanceof ImportFailed) return failed(error.code, error.message);
    if (error instanceof NoRoom) return outcomeOf(error);
    throw error;
  }
}

/**
 * Copies an imported image to the other locations and returns all locations that have it. A location that cannot take
 * the copy now gets it when the first machine there is created from the image.
 */
async function spread(work: Work<MakeInput>, row: ImageRow): Promise<string[]> {
  const { services, signal, input } = work;
  const reached = [...row.locations];
  const others = input.source === 'url' ? importers(services, row) : [];
  for (const { location } of others.filter((engine) => !row.locations.includes(engine.location))) {
    try {
      await ensureImageAt(services, row, location, signal);
      reached.push(location);
    } catch (error) {
      if (!(error instanceof EngineUnreachable || error instanceof EngineRefused)) throw error;
    }
  }
  return reached;
}

async function finish(work: Work<MakeInput>): Promise<Outcome> {
  const row = await rowOf(work);
  if (row === undefined) return failed('not_found', 'The image is gone.');
  const locations = await spread(work, row);
  return done({ locations }, async (tx) => {
    const change = { locations, status: 'available', progress_percent: null } as const;
    const ready = await images.change(tx, row.id, change, { services: work.services });
    return ready === undefined ? undefined : [images.event('available', ready)];
  });
}

/** Removes the image from all engines, not only from `locations`: a copy whose step never committed is not in it. */
async function removeEverywhere({
  services,
  accountId,
  resourceId,
  signal,
}: Work<unknown>): Promise<Outcome | null> {
  const ref = { account: accountId, id: resourceId };
  for (const engine of services.compute.all) {
    await engine.removeImage(ref, signal);
    if ((await engine.observeImage(ref, signal)) !== null)
      return failed('engine_failed', 'The engine reported the image as removed, but still has it.', true);
  }
  return null;
}

async function erase(tx: Tx, id: string): Promise<NewEvent[]> {
  const row = await images.erase(tx, id);
  return row === undefined ? [] : [images.event('deleted', row)];
}

async function settleFailed(
  tx: Tx,
  id: string,
  error: OperationError | null,
): Promise<readonly NewEvent[] | undefined> {
  const { code, detail } = error ?? {
    code: 'engine_failed',
    detail: 'The image could not be created or deleted.',
  };
  const row = await images.change(tx, id, failedColumns({ code, detail }));
  if (row === undefined) return undefined;
  return [
    images.event('failed', row, { severity: 'error', message: `The image ${row.name} failed: ${detail}` }),
  ];
}

export const createImageKind = kind<typeof MakeInput>({
  type: 'image.create',
  family: 'flexible-vps',
  resourceType: 'image',
  queue: 'exclusive',
  input: MakeInput,
  typicalSeconds: 120,
  everywhere: true,
  deadlineSeconds: CREATE_SECONDS,
  cancellable: true,
  steps: [step('make', make, { foreign: ({ input }) => input.source !== 'vm' }), step('copy', finish)],
  undo: [step('remove', async (work) => (await removeEverywhere(work)) ?? done())],
  erase,
  provisions: 'vps_images',
  async settle(tx, { status, resourceId, error }) {
    return status === 'failed' ? settleFailed(tx, resourceId, error) : undefined;
  },
});

export const deleteImageKind = kind<typeof NoInput>({
  type: 'image.delete',
  family: 'flexible-vps',
  resourceType: 'image',
  queue: 'destroy',
  input: NoInput,
  typicalSeconds: 5,
  everywhere: true,
  deadlineSeconds: 60 * 60,
  cancellable: false,
  steps: [
    step('remove', async (work) => {
      const fault = await removeEverywhere(work);
      if (fault !== null) return fault;
      return done({}, (tx) => erase(tx, work.resourceId));
    }),
  ],
  async settle(tx, { status, resourceId, error }) {
    return status === 'failed' ? settleFailed(tx, resourceId, error) : undefined;
  },
});
