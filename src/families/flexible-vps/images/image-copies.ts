/** Images of the account lie where they were made; other locations get a copy when it is first wanted there. */
import { join } from 'node:path';
import {
  CapabilityMissing,
  type ComputeEngine,
  EngineRefused,
  EngineUnreachable,
} from '../../../engines/compute/port.ts';
import { engineAt } from '../../../engines/engine-step.ts';
import type { Services } from '../../../kernel/services.ts';
import { withScratch } from './scratch.ts';
import type { ImageRow } from './table.ts';

type Row = Pick<ImageRow, 'id' | 'account_id' | 'locations' | 'architecture' | 'boot_mode'>;

async function isAt(engine: ComputeEngine, { id, account_id }: Row, signal: AbortSignal): Promise<boolean> {
  const image = await engine.observeImage({ account: account_id, id }, signal);
  return image?.state === 'available';
}

const NO_LIKE =
  'Where the image is, machines are made from files of another kind than in this location. Import it again for this one.';

/** One that has it, answers, and writes files that this one takes. */
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
  throw silence ?? new EngineRefused('not_found', `The image ${row.id} is nowhere to be found.`);
}

/**
 * For a step: afterwards a disk can be made from it there. The step notes it in its commit (`noteImageAt`); one that is
 * there without a note is found again, and deleted with the others.
 */
export async function ensureImageAt(
  services: Pick<Services, 'compute' | 'provider'>,
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
  await withScratch(services, async (folder) => {
    const file = join(folder, 'image');
    const format = origin.imageFormats[0];
    await origin.exportImage(ref, file, signal);
    const { architecture, boot_mode: bootMode } = row;
    await engine.ensureImage(ref, { file, format, architecture, bootMode }, signal);
  });
}
