/** Creates an image at an engine: captures it from a machine, or imports it from a URL. */
import { join } from 'node:path';
import {
  type ComputeEngine,
  type Image as EngineImage,
  EngineUnreachable,
  type ImageFormat,
  type ImageSource,
  imageFormats,
} from '../../../engines/compute/port.ts';
import { engineAt } from '../../../engines/engine-step.ts';
import type { Work } from '../../../kernel/operations/kind.ts';
import { Nullable, OneOf, Shape, type Static, Type } from '../../../kernel/schema.ts';
import type { Services } from '../../../kernel/services.ts';
import { ensureImageOf } from '../backups/use.ts';
import { ImportFailed } from '../imports/failure.ts';
import { withImportedFile } from '../imports/fetched.ts';
import { unpack } from './decompression.ts';
import { inspect } from './formats.ts';
import { noteProgress } from './store.ts';
import type { ImageRow } from './table.ts';

export const MakeInput = Type.Union([
  Shape({
    source: Type.Literal('vm'),
    location: Type.String(),
    vm_id: Type.String(),
    snapshot_id: Nullable(Type.String()),
  }),
  Shape({ source: Type.Literal('backup'), location: Type.String(), backup_id: Type.String() }),
  Shape({
    source: Type.Literal('url'),
    format: Nullable(OneOf(imageFormats)),
    sha256: Nullable(Type.String()),
    max_bytes: Type.Integer(),
  }),
]);
export type MakeInput = Static<typeof MakeInput>;

export interface Made {
  readonly location: string;
  readonly image: EngineImage;
}

type Maker<I> = Pick<Work<I>, 'input' | 'services' | 'signal' | 'db' | 'operationId' | 'accountId'>;

const refOf = ({ account_id, id }: ImageRow) => ({ account: account_id, id });

/** Returns `null` if the engine reports success, but does not have the image. */
async function put(
  engine: ComputeEngine,
  row: ImageRow,
  source: ImageSource,
  signal: AbortSignal,
): Promise<Made | null> {
  await engine.ensureImage(refOf(row), source, signal);
  const image = await engine.observeImage(refOf(row), signal);
  return image === null ? null : { location: engine.location, image };
}

export async function capture(
  { input, services, signal }: Maker<Extract<MakeInput, { source: 'vm' }>>,
  row: ImageRow,
): Promise<Made | null> {
  const { vm_id: instance, snapshot_id } = input;
  const source = snapshot_id === null ? { instance } : { instance, snapshot: snapshot_id };
  return put(engineAt(services.compute, input.location), row, source, signal);
}

export async function importBackup(
  work: Maker<Extract<MakeInput, { source: 'backup' }>>,
  row: ImageRow,
): Promise<Made | null> {
  const { input, services, signal } = work;
  await ensureImageOf(work, input.backup_id, refOf(row), input.location);
  const image = await engineAt(services.compute, input.location).observeImage(refOf(row), signal);
  return image === null ? null : { location: input.location, image };
}

/** Engines that import files of customers and run machines of the image's architecture. */
export function importers(
  { compute, provider }: Pick<Services, 'compute' | 'provider'>,
  row: ImageRow,
): readonly ComputeEngine[] {
  const suits = (location: string): boolean =>
    provider.catalogue.locations.some(
      ({ slug, architectures }) => slug === location && architectures.includes(row.architecture),
    );
  return compute.all.filter(
    ({ capabilities, location }) => capabilities.imageImport === true && suits(location),
  );
}

/** The runner sets this progress when the step has ended, the first of two. */
const STEP_PERCENT = 50;

export const CREATE_SECONDS = 120 * 60;

export function importFile(
  work: Maker<Extract<MakeInput, { source: 'url' }>>,
  row: ImageRow,
): Promise<Made | null> {
  const { db, input, services, signal, operationId } = work;
  const note = (imagePercent: number) => {
    const operationPercent = Math.floor((imagePercent * STEP_PERCENT) / 100);
    return noteProgress(db, { imageId: row.id, imagePercent, operationId, operationPercent });
  };
  const fetching = { seconds: CREATE_SECONDS, note };
  return withImportedFile(work, row, input, fetching, async (fetched) => {
    const file = await unpack(fetched.file, join(fetched.folder, 'disk'), {
      maxBytes: input.max_bytes,
      signal,
      reserve: (bytes) => fetched.reserve(fetched.bytes + bytes),
    });
    const { format } = await inspect(file, input.format);
    const { architecture, boot_mode: bootMode } = row;
    return storeSomewhere(services, row, { file, format, architecture, bootMode }, signal);
  });
}

function takersOf(engines: readonly ComputeEngine[], format: ImageFormat): readonly ComputeEngine[] {
  const takers = engines.filter(({ imageFormats }) => imageFormats.includes(format));
  if (takers.length > 0 || engines.length === 0) return takers;
  const taken = [...new Set(engines.flatMap(({ imageFormats }) => imageFormats))];
  throw new ImportFailed(
    'unsupported_format',
    `The file is ${format}; machines of this architecture need ${taken.join(', ')}.`,
  );
}

/** Stores the file in the first location that is reachable. Other locations get their copy from there. */
async function storeSomewhere(
  services: Pick<Services, 'compute' | 'provider'>,
  row: ImageRow,
  source: Extract<ImageSource, { file: string }>,
  signal: AbortSignal,
): Promise<Made | null> {
  let silence = new EngineUnreachable('No location accepts image files at the moment.');
  for (const engine of takersOf(importers(services, row), source.format)) {
    try {
      return await put(engine, row, source, signal);
    } catch (error) {
      if (!(error instanceof EngineUnreachable)) throw error;
      silence = error;
    }
  }
  throw silence;
}
