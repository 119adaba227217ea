/** The operation that creates a volume and, if the call names a machine, attaches it. */
import { step } from '../../../engines/engine-step.ts';
import { done, failed, kind, type Outcome, type Work } from '../../../kernel/operations/kind.ts';
import { Nullable, Shape, type Static, Type } from '../../../kernel/schema.ts';
import { refOf } from '../vms/guest.ts';
import { updateVm } from '../vms/store.ts';
import { forgetVolume } from '../volume-deletion/removal.ts';
import { readVolumeSnapshot } from '../volume-snapshots/store.ts';
import { attached, COPY_SECONDS, GONE, withVolume } from '../volumes/attach-kinds.ts';
import { engineOf, plugVolume, removeVolume, stillAlive } from '../volumes/engine-volume.ts';
import { volumes } from '../volumes/resource.ts';
import { readVolume } from '../volumes/store.ts';
import type { VolumeRow } from '../volumes/table.ts';

const Input = Shape({ vm_id: Nullable(Type.String()) });
type Input = Static<typeof Input>;

async function sourceOf({ db }: Pick<Work<Input>, 'db'>, { source_snapshot_id: id }: VolumeRow) {
  if (id === null) return null;
  const snapshot = await readVolumeSnapshot(db, id);
  return snapshot === undefined ? undefined : { volume: snapshot.volume_id, snapshot: id };
}

async function make(work: Work<Input>, row: VolumeRow): Promise<Outcome> {
  const { signal, input } = work;
  const source = await sourceOf(work, row);
  if (source === undefined) return failed('not_found', 'The snapshot no longer exists.');
  const engine = engineOf(work, row);
  const spec = { kind: row.kind, sizeGb: row.size_gb, source, near: input.vm_id };
  await engine.ensureVolume(refOf(row), spec, signal);
  const seen = await engine.observeVolume(refOf(row), signal);
  if (seen === null)
    return failed('engine_failed', 'The engine created the volume, but cannot find it.', true);
  return done({}, async (tx) => {
    await volumes.change(tx, row.id, { device_path: seen.path, serial: seen.serial }, { keepsPrice: true });
    return [];
  });
}

/** A volume that cannot be attached as the call asked for was not created: it is billed only from here on. */
async function finish(work: Work<Input>, row: VolumeRow): Promise<Outcome> {
  const { services, now, input } = work;
  const vm = input.vm_id === null ? undefined : await stillAlive(work, input.vm_id);
  if (vm === null) return GONE;
  if (vm !== undefined) await plugVolume(work, row, vm.id);
  return done({ changed: true }, async (tx) => {
    const free = { status: 'available', provisioned_at: now } as const;
    await volumes.change(tx, row.id, free, { services, at: now });
    return [volumes.event('created', row), ...(vm === undefined ? [] : await attached(tx, row, vm))];
  });
}

export const createVolumeKind = kind<typeof Input>({
  type: 'volume.create',
  family: 'flexible-vps',
  resourceType: 'volume',
  queue: 'attach',
  input: Input,
  typicalSeconds: 5,
  deadlineSeconds: COPY_SECONDS,
  cancellable: true,
  steps: [step('make', withVolume(make)), step('attach', withVolume(finish), { final: true })],
  undo: [
    step('remove', async (work) => {
      const row = await readVolume(work.db, work.resourceId);
      if (row !== undefined) await removeVolume(engineOf(work, row), row, work.signal);
      return done();
    }),
  ],
  erase: (tx, id) => forgetVolume(tx, id, new Date()),
  provisions: 'vps_volumes',
  async settle(tx, { status, resourceId, error }) {
    const row = status === 'failed' ? await readVolume(tx, resourceId) : undefined;
    if (row === undefined) return undefined;
    if (row.vm_id !== null) await updateVm(tx, row.vm_id, {});
    const after = { status: 'error', status_reason: error?.code ?? 'engine_failed', vm_id: null } as const;
    await volumes.change(tx, row.id, after, { keepsPrice: true });
    return undefined;
  },
});
