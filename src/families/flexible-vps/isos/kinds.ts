import { step } from '../../../engines/engine-step.ts';
import { done, kind, type Work } from '../../../kernel/operations/kind.ts';
import { importing, importKinds } from '../imports/kinds.ts';
import { IMPORT_SECONDS, ImportInput, importIso } from './import.ts';
import { isos } from './resource.ts';
import { readIso } from './store.ts';

const { on, creation, deletion, failureEvent } = importKinds(isos, 'vps_isos', readIso, {
  remove: (engine, ref, signal) => engine.removeIso(ref, signal),
  observe: (engine, ref, signal) => engine.observeIso(ref, signal),
});

export { deletion as deleteIsoKind, failureEvent };

const importStep = on(async (work: Work<ImportInput>, row) => {
  const { services } = work;
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
});

export const createIsoKind = kind<typeof ImportInput>({
  ...creation,
  input: ImportInput,
  typicalSeconds: 60,
  deadlineSeconds: IMPORT_SECONDS,
  steps: [step('import', (work) => importing(() => importStep(work)), { foreign: true })],
});
