/** The disk of a machine as it was. What is on it now is kept until the very step that overwrites it. */
import { type ComputeEngine, EngineRefused, type Ref } from '../../../engines/compute/port.ts';
import { done, failed, type Kind, kind, type Outcome, type Work } from '../../../kernel/operations/kind.ts';
import { OneOf, Shape, type Static, Type } from '../../../kernel/schema.ts';
import { removeSnapshots } from '../snapshots/removal.ts';
import { readSnapshot } from '../snapshots/store.ts';
import type { VmRow } from '../tables.ts';
import { bringUp, markRunning, markStopped, refOf } from '../vms/guest.ts';
import { vmRef } from '../vms/leaving.ts';
import { readVm, updateVm } from '../vms/store.ts';
import { engineAt, step } from '../work.ts';
import { noteFormer } from './noting.ts';

const GRACE_SECONDS = 60;

const Input = Shape({
  snapshot_id: Type.String(),
  /** Those that are newer and go first, the newest at the front. */
  remove: Type.Array(Type.String()),
  start: Type.Boolean(),
  was: OneOf(['running', 'stopped']),
});
type Input = Static<typeof Input>;

const withVm =
  (run: (work: Work<Input>, row: VmRow) => Promise<Outcome>) =>
  async (work: Work<Input>): Promise<Outcome> => {
    const row = await readVm(work.db, work.resource.id ?? '');
    return row === undefined ? failed('not_found', 'The machine is gone.') : run(work, row);
  };

async function stopSomehow(engine: ComputeEngine, ref: Ref, signal: AbortSignal): Promise<void> {
  try {
    await engine.ensureStopped(ref, { force: false, timeoutSeconds: GRACE_SECONDS }, signal);
  } catch (error) {
    if (!(error instanceof EngineRefused) || error.code !== 'shutdown_timeout') throw error;
    await engine.ensureStopped(ref, { force: true }, signal);
  }
}

async function stop({ services, signal }: Work<Input>, row: VmRow): Promise<Outcome> {
  const engine = engineAt(services, row.location);
  const seen = await engine.observeInstance(refOf(row), signal);
  if (seen === null) return failed('engine_failed', 'The machine is not where it should be.');
  if (seen.state === 'running') await stopSomehow(engine, refOf(row), signal);
  return done({}, async (tx) => {
    await updateVm(tx, row.id, { started_at: null });
    return [];
  });
}

/** cloud-init does not run again: the machine is told what the disk was told when the snapshot was taken. */
async function putBack(
  { services, db, input, operationId, signal }: Work<Input>,
  row: VmRow,
): Promise<Outcome> {
  const snapshot = await readSnapshot(db, input.snapshot_id);
  if (snapshot === undefined) return failed('not_found', 'The snapshot is gone.');
  const engine = engineAt(services, row.location);
  await engine.ensureRestored(refOf(row), { once: operationId, snapshot: snapshot.id }, signal);
  return done({}, async (tx) => {
    const { applied_seed, applied_user_data_sha256 } = snapshot;
    const seed = applied_seed ?? row.seed;
    await updateVm(tx, row.id, { seed, applied_seed, applied_user_data_sha256 });
    return [];
  });
}

async function resume(
  { services, db, signal, now }: Work<Input>,
  row: VmRow,
  isOn: boolean,
): Promise<Outcome> {
  if (!isOn) {
    return done({}, async (tx) => {
      await markStopped(services, tx, row.id, now);
      return [];
    });
  }
  const seen = await bringUp(engineAt(services, row.location), db, row, signal);
  if (seen?.state !== 'running')
    return failed('engine_failed', 'The machine was started, but does not run.', true);
  return done({}, async (tx) => {
    await markRunning(services, tx, row, seen, now);
    return [];
  });
}

export const restoreVmKind: Kind = kind<Input>({
  type: 'vm.restore',
  family: 'flexible-vps',
  resourceType: 'vm',
  queue: 'exclusive',
  input: Input,
  typicalSeconds: 60,
  deadlineSeconds: 7200,
  cancellable: true,
  steps: [
    step('stop', withVm(stop)),
    step(
      'remove-newer',
      withVm((work, row) => removeSnapshots(work, row, work.input.remove)),
      { final: true },
    ),
    step('restore', withVm(putBack), { final: true }),
    step(
      'start',
      withVm((work, row) => resume(work, row, work.input.start)),
      { final: true },
    ),
  ],
  undo: [
    step(
      'resume',
      withVm((work, row) => resume(work, row, work.input.was === 'running')),
    ),
  ],
  async settle(tx, { status, resource, error }, { was }) {
    const row = await readVm(tx, resource.id ?? '');
    if (row === undefined) return undefined;
    if (status === 'succeeded') {
      const message = `The disk of ${row.name} was put back to a snapshot.`;
      return [{ type: 'vm.restored', resource: vmRef(row), message }];
    }
    if (row.status !== 'restoring') return undefined;
    // Until it was seen to be stopped it is taken to run on.
    const isUp = status === 'cancelled' ? was === 'running' : row.started_at !== null;
    const changed = await updateVm(tx, row.id, {
      status: isUp ? 'running' : 'stopped',
      status_reason: error?.code ?? null,
    });
    if (changed !== undefined) await noteFormer(tx, changed);
    return undefined;
  },
});
