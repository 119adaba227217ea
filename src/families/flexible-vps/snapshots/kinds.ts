import { engineAt, step } from '../../../engines/engine-step.ts';
import { done, failed, kind, type Outcome, type Work } from '../../../kernel/operations/kind.ts';
import { OneOf, Shape, type Static, Type } from '../../../kernel/schema.ts';
import { statusBefore, takeBack } from '../../../resources/records/deletion.ts';
import { refOf } from '../vms/guest.ts';
import { readVm } from '../vms/store.ts';
import type { VmRow } from '../vms/table.ts';
import { wantsQuiet } from './quiesce.ts';
import { forgetSnapshot, removeFromEngine } from './removal.ts';
import { snapshots } from './resource.ts';
import { readSnapshot } from './store.ts';
import type { SnapshotRow } from './table.ts';

const common = { family: 'flexible-vps', resourceType: 'snapshot' } as const;

const CreateInput = Shape({ vm_id: Type.String(), quiesce: OneOf(['auto', 'require', 'never']) });
type CreateInput = Static<typeof CreateInput>;

interface Pair {
  readonly row: SnapshotRow;
  readonly vm: VmRow;
}

async function readPair({
  db,
  resourceId,
}: Pick<Work<unknown>, 'db' | 'resourceId'>): Promise<Pair | undefined> {
  const row = await readSnapshot(db, resourceId);
  const vm = row === undefined ? undefined : await readVm(db, row.vm_id);
  return row === undefined || vm === undefined ? undefined : { row, vm };
}

async function take(work: Work<CreateInput>): Promise<Outcome> {
  const { services, signal, now, input } = work;
  const pair = await readPair(work);
  if (pair === undefined) return failed('not_found', 'The machine is gone.');
  const { row, vm } = pair;
  const engine = engineAt(services.compute, vm.location);
  const ref = refOf(vm);
  const before = await engine.observeInstance(ref, signal);
  if (before === null) return failed('engine_failed', 'The machine is not where it should be.');
  const quiesce = wantsQuiet(input.quiesce, before, engine.capabilities.quiesce === true);
  await engine.ensureSnapshot(ref, { id: row.id, quiesce }, signal);
  const after = await engine.observeInstance(ref, signal);
  const seen = after?.snapshots.find(({ id }) => id === row.id);
  if (seen === undefined)
    return failed('engine_failed', 'The engine took the snapshot, but does not list it.', true);
  return done({}, async (tx) => {
    const change = {
      status: 'available',
      size_bytes: seen.sizeBytes,
      disk_gb: seen.diskGb,
      consistency: seen.consistency,
      applied_seed: vm.applied_seed,
      applied_user_data_sha256: vm.applied_user_data_sha256,
    } as const;
    const taken = await snapshots.change(tx, row.id, change, { services, at: now });
    return taken === undefined ? [] : [snapshots.event('created', row, { says: `of ${vm.name} is ready` })];
  });
}

async function takeAway(work: Work<unknown>): Promise<Outcome> {
  const pair = await readPair(work);
  if (pair === undefined) return done();
  const engine = engineAt(work.services.compute, pair.vm.location);
  await removeFromEngine(engine, pair.vm, pair.row.id, work.signal);
  return done();
}

async function remove(work: Work<unknown>): Promise<Outcome> {
  await takeAway(work);
  return done({}, (tx) => forgetSnapshot(tx, work.resourceId, work.now));
}

export const createSnapshotKind = kind<typeof CreateInput>({
  ...common,
  type: 'snapshot.create',
  queue: 'exclusive',
  input: CreateInput,
  typicalSeconds: 10,
  deadlineSeconds: 1800,
  cancellable: true,
  steps: [step('take', take)],
  undo: [step('take-away', takeAway)],
  erase: (tx, id) => forgetSnapshot(tx, id, new Date()),
  provisions: 'vm_snapshots',
  async settle(tx, { status, resourceId: id, error }) {
    if (status !== 'failed') return undefined;
    const row = await snapshots.change(tx, id, { status: 'failed', failed_at: new Date() });
    const vm = row && (await readVm(tx, row.vm_id));
    if (row === undefined || vm === undefined) return undefined;
    const message = `The snapshot ${row.name} of ${vm.name} could not be taken: ${error?.detail ?? ''}`;
    return [snapshots.event('failed', row, { message })];
  },
});

const DeleteInput = Shape({ vm_id: Type.String(), was: OneOf(['available', 'failed']) });

/** Starts after the operations that are queued on the machine, so no other operation works on its disk meanwhile. */
export const deleteSnapshotKind = kind<typeof DeleteInput>({
  ...common,
  type: 'snapshot.delete',
  queue: 'attach',
  input: DeleteInput,
  typicalSeconds: 5,
  deadlineSeconds: 3600,
  cancellable: false,
  steps: [step('remove', remove)],
  settle: takeBack(snapshots),
});

export const snapshotDeletion = {
  kind: deleteSnapshotKind,
  input: (row: SnapshotRow) => ({ vm_id: row.vm_id, ...statusBefore(row) }),
  subjects: ({ vm_id, id }: SnapshotRow) => [vm_id, id],
};
