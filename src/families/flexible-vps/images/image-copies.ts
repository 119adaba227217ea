/** Copies the account's own images between locations. A location gets its copy when it first needs the image. */
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import {
  CapabilityMissing,
  type ComputeEngine,
  EngineRefused,
  EngineUnreachable,
} from '../../../engines/compute/port.ts';
import { engineAt } from '../../../engines/engine-step.ts';
import type { Services } from '../../../kernel/services.ts';
import { withScratch } from '../imports/scratch.ts';
import { NoRoom } from '../imports/scratch-room.ts';
import type { ImageRow } from './table.ts';

type Row = Pick<ImageRow, 'id' | 'account_id' | 'locations' | 'architecture' | 'boot_mode'>;

async function isAt(engine: ComputeEngine, { id, account_id }: Row, signal: AbortSignal): Promise<boolean> {
  const image = await engine.observeImage({ account: account_id, id }, signal);
  return image?.state === 'available';
}

const NO_LIKE =
  'The image is stored in a format that this location does not accept. Import it again in a format for this location.';

/** Finds an engine that has the image, is reachable, and exports a format that the target engine accepts. */
async function originOf(
  services: Pick<Services, 'compute'>,
  row: Row,
  { location, imageFormats }: ComputeEngine,
  signal: AbortSignal,
): Promise<ComputeEngine> {
  let silence: EngineUnreachable | EngineRefused | null = null;
  for (const place of row.locations.filter((each) => each !== location)) {
    try {
      const engine = engineAt(services.compute, place);
      if (!imageFormats.includes(engine.imageFormats[0]))
        silence ??= new EngineRefused('unsupported_format', NO_LIKE);
      else if (await isAt(engine, row, signal)) return engine;
    } catch (error) {
      if (!(error instanceof EngineUnreachable)) throw error;
      silence = error;
    }
  }
  throw silence ?? new EngineRefused('not_found', `No location has the image ${row.id}.`);
}

/**
 * For operation steps: makes sure that the location has the image. The step adds the location to the row when it
 * commits (`noteImageAt`). If it never commits, a later call finds the copy, and deleting the image removes it too.
 */
export async function ensureImageAt(
  services: Pick<Services, 'compute' | 'provider' | 'metrics' | 'log'>,
  row: Row,
  location: string,
  signal: AbortSignal,
): Promise<void> {
  const engine = engineAt(services.compute, location);
  if (await isAt(engine, row, signal)) return;
  const { imageImport } = engine.capabilities;
  if (imageImport !== true) throw new CapabilityMissing('imageImport', imageImport);
  const origin = await originOf(services, row, engine, signal);
  const ref = { account: row.account_id, id: row.id };
  const sizeBytes = (await origin.observeImage(ref, signal))?.sizeBytes ?? 0;
  const copying = withScratch(services, row.account_id, async ({ folder, reserve }) => {
    await reserve(sizeBytes);
    const file = join(folder, 'image');
    const format = origin.imageFormats[0];
    await pipeline(await origin.exportImage(ref, signal), createWriteStream(file), { signal });
    const { architecture, boot_mode: bootMode } = row;
    await engine.ensureImage(ref, { file, format, architecture, bootMode }, signal);
  });
  await copying.catch((error: unknown) => {
    throw error instanceof NoRoom ? new EngineUnreachable(error.message, { cause: error }) : error;
  });
}
