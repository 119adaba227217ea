import { EngineRefused, EngineUnreachable } from '../../../engines/compute/port.ts';
import { step } from '../../../engines/engine-step.ts';
import { done, failed, kind, type Work } from '../../../kernel/operations/kind.ts';
import { importing, importKinds } from '../imports/kinds.ts';
import {
  CREATE_SECONDS,
  capture,
  importBackup,
  importers,
  importFile,
  type Made,
  MakeInput,
} from './capture-and-import.ts';
import { ensureImageAt } from './image-copies.ts';
import { images } from './resource.ts';
import { readImage } from './store.ts';
import type { ImageRow } from './table.ts';

const MADE_PERCENT = 90;
const LIED = 'The engine reported the image as stored, but does not have it.';

const { on, creation, deletion } = importKinds(images, 'vps_images', readImage, {
  remove: (engine, ref, signal) => engine.removeImage(ref, signal),
  observe: (engine, ref, signal) => engine.observeImage(ref, signal),
});

export { deletion as deleteImageKind };

function makeFrom(work: Work<MakeInput>, row: ImageRow): Promise<Made | null> {
  const { input } = work;
  if (input.source === 'vm') return capture({ ...work, input }, row);
  return input.source === 'backup'
    ? importBackup({ ...work, input }, row)
    : importFile({ ...work, input }, row);
}

const make = on(async (work: Work<MakeInput>, row) => {
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
});

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

const finish = on(async (work: Work<MakeInput>, row) => {
  const locations = await spread(work, row);
  return done({ locations }, async (tx) => {
    const change = { locations, status: 'available', progress_percent: null } as const;
    const ready = await images.change(tx, row.id, change, { services: work.services });
    return ready === undefined ? undefined : [images.event('available', ready)];
  });
});

export const createImageKind = kind<typeof MakeInput>({
  ...creation,
  input: MakeInput,
  typicalSeconds: 120,
  deadlineSeconds: CREATE_SECONDS,
  steps: [
    step('make', (work) => importing(() => make(work)), { foreign: ({ input }) => input.source !== 'vm' }),
    step('copy', finish),
  ],
});
