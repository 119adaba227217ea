/**
 * The operation that restores a disk from a snapshot or a backup. Present data is kept until the step `restore`; a
 * backup is fetched and verified before the machine is stopped.
 */
import { engineAt, step } from '../../../engines/engine-step.ts';
import { done, failed, kind, type Outcome, type Step, type Work } from '../../../kernel/operations/kind.ts';
import type { OperationError } from '../../../kernel/operations/schema.ts';
import { Shape, type Static, Type } from '../../../kernel/schema.ts';
import {
  clearBackup,
  finishBackup,
  PACK_SECONDS,
  packDisk,
  packStep,
  storeDisk,
  storeStep,
} from '../backups/copying.ts';
import { readBackup } from '../backups/store.ts';
import { ensurePassingImage, passingImage, removePassingImage, UNPACK_SECONDS } from '../backups/use.ts';
import { settleBackupBefore } from '../backups/with-machine.ts';
import { bringUp } from '../power/bring-up.ts';
import { ensureDown, untilNextLook } from '../power/shutdown.ts';
import { leaveStatus, refusalOf, tryEngine, withVm, writeStatus } from '../power/status.ts';
import { removeSnapshots } from '../snapshots/removal.ts';
import { readSnapshot } from '../snapshots/store.ts';
import { guestOf, refOf } from '../vms/guest.ts';
import { vmLife } from '../vms/lifecycle.ts';
import { vms } from '../vms/resource.ts';
import { readVm, updateVm } from '../vms/store.ts';
import type { VmRow } from '../vms/table.ts';

const GRACE = { timeoutSeconds: 60, force: true };

const Input = Shape({
  snapshot_id: Type.Optional(Type.String()),
  backup_id: Type.Optional(Type.String()),
  /** The backup of the present disk that is made first. */
  safety_backup_id: Type.Optional(Type.String()),
  /** The snapshots that are deleted before the restore, the newest first. */
  remove: Type.Array(Type.String()),
  start: Type.Boolean(),
  was: vmLife.Status,
});
type Input = Static<typeof Input>;

/** The refusal that an earlier step recorded. After one, later steps change nothing and only report the state. */
function faultIn({ results }: Pick<Work<Input>, 'results'>): OperationError | null {
  const faults = Object.values(results).map((result) => (result as { fault?: OperationError | null }).fault);
  return faults.find((fault) => fault != null) ?? null;
}

async function keepFault(run: () => Promise<Outcome>): Promise<Outcome> {
  const { refused, value } = await tryEngine(run);
  const outcome = value ?? done({ fault: refused });
  const isFinal = outcome.kind === 'failed' && !outcome.error.retryable;
  return isFinal ? done({ fault: outcome.error }) : outcome;
}

const attempt = (
  name: string,
  run: (work: Work<Input>, row: VmRow) => Promise<Outcome>,
  options: Pick<Step<Input>, 'final' | 'foreign'> = {},
) =>
  step<Input>(
    name,
    withVm(async (work, row) => (faultIn(work) === null ? keepFault(() => run(work, row)) : done())),
    options,
  );

const stopStep = 'stop';

async function stop(work: Work<Input>, row: VmRow): Promise<Outcome> {
  const { services, signal } = work;
  const engine = engineAt(services.compute, row.location);
  const seen = await engine.observeInstance(refOf(row), signal);
  if (seen === null) return failed('engine_failed', 'The engine cannot find the machine.');
  const sleep = seen.state === 'running' ? await ensureDown(engine, refOf(row), GRACE, work) : null;
  if (sleep !== null) return sleep;
  return done({}, async (tx) => {
    await updateVm(tx, row.id, { started_at: null });
    return [];
  });
}

/** Restores the seed from the time of the snapshot too, so that cloud-init does not run again. */
async function putBack(work: Work<Input>, row: VmRow): Promise<Outcome> {
  const { services, db, input, operationId, signal } = work;
  if (input.backup_id !== undefined) return swapDisk(work, row, input.backup_id);
  const snapshot = await readSnapshot(db, input.snapshot_id ?? '');
  if (snapshot === undefined) return failed('not_found', 'The snapshot no longer exists.');
  const engine = engineAt(services.compute, row.location);
  await engine.ensureRestored(refOf(row), { once: operationId, snapshot: snapshot.id }, signal);
  return done({}, async (tx) => {
    const { applied_seed, applied_user_data_sha256 } = snapshot;
    const seed = applied_seed ?? row.seed;
    await updateVm(tx, row.id, { seed, applied_seed, applied_user_data_sha256 });
    return [];
  });
}

/** The engine has the image since the step `fetch`. */
async function swapDisk(work: Work<Input>, row: VmRow, backupId: string): Promise<Outcome> {
  const { services, db, operationId, signal } = work;
  const backup = await readBackup(db, backupId);
  if (backup === undefined) return failed('not_found', 'The backup no longer exists.');
  const { applied_seed, applied_user_data_sha256, image } = backup;
  const seed = applied_seed ?? row.seed;
  const to = { once: operationId, image: passingImage(work), guest: guestOf({ ...row, seed }) };
  await engineAt(services.compute, row.location).ensureRebuilt(refOf(row), to, signal);
  return done({}, async (tx) => {
    await updateVm(tx, row.id, { seed, applied_seed, applied_user_data_sha256, image });
    return [];
  });
}

async function fetch(work: Work<Input>, row: VmRow): Promise<Outcome> {
  const { backup_id } = work.input;
  if (backup_id !== undefined) await ensurePassingImage(work, backup_id, row.location);
  return done();
}

/** Runs after a refusal, too. An engine that refuses to remove the image does not make the restore fail. */
async function tidy(work: Work<Input>, row: VmRow): Promise<Outcome> {
  if (work.input.backup_id !== undefined) await refusalOf(() => removePassingImage(work, row.location));
  return done();
}

/** Makes the safety backup, if the call asked for one. */
const securing = (run: (work: Work<Input>, backupId: string) => Promise<Outcome>) => (work: Work<Input>) =>
  work.input.safety_backup_id === undefined
    ? Promise.resolve(done())
    : run(work, work.input.safety_backup_id);

async function clearSafety(work: Work<Input>): Promise<Outcome> {
  const row = await readBackup(work.db, work.input.safety_backup_id ?? '');
  if (row?.status === 'creating') await clearBackup(work, row);
  return done();
}

async function resume(work: Work<Input>, row: VmRow, isOn: boolean): Promise<Outcome> {
  const { services, db, signal, now } = work;
  const engine = engineAt(services.compute, row.location);
  const fault = faultIn(work) ?? (isOn ? await refusalOf(() => bringUp(engine, db, row, signal)) : null);
  const seen = await engine.observeInstance(refOf(row), signal);
  if (fault === null && isOn && seen?.state !== 'running')
    return failed('engine_failed', 'The machine was started, but is not running.', true);
  return done({ fault }, (tx) => writeStatus(services, tx, row, 'restoring', seen, now));
}

/**
 * After a cancellation. A guest that was asked to shut down goes on with it, so the machine cannot be started before it
 * is off, unless the guest has ignored the request.
 */
async function resumeAsBefore(work: Work<Input>, row: VmRow): Promise<Outcome> {
  const { services, signal, now, results, input } = work;
  const { asked_at } = (results[stopStep] ?? {}) as { readonly asked_at?: string };
  if (asked_at !== undefined && row.status === 'restoring') {
    const seen = await engineAt(services.compute, row.location).observeInstance(refOf(row), signal);
    const sleep = untilNextLook(new Date(asked_at), now, GRACE.timeoutSeconds);
    if (seen?.state === 'running' && sleep !== null) return sleep;
  }
  return resume(work, row, input.was === 'running');
}

const report = step<Input>('report', async (work) => {
  const fault = faultIn(work);
  return fault === null ? done({ changed: true }) : { kind: 'failed', error: fault };
});

export const restoreVmKind = kind<typeof Input>({
  type: 'vm.restore',
  family: 'flexible-vps',
  resourceType: 'vm',
  queue: 'exclusive',
  input: Input,
  typicalSeconds: 60,
  // A safety backup comes first.
  deadlineSeconds: PACK_SECONDS + UNPACK_SECONDS,
  cancellable: true,
  steps: [
    attempt(
      packStep,
      securing((work, id) => packDisk(work, id, 'auto')),
    ),
    attempt(storeStep, securing(storeDisk), {
      foreign: ({ input }) => input.safety_backup_id !== undefined,
    }),
    attempt('secure', securing(finishBackup)),
    attempt('fetch', fetch, { foreign: ({ input }) => input.backup_id !== undefined }),
    attempt(stopStep, stop),
    attempt('remove-newer', (work, row) => removeSnapshots(work, row, work.input.remove), { final: true }),
    attempt('restore', putBack, { final: true }),
    step('tidy', withVm(tidy), { final: true }),
    step(
      'start',
      withVm((work, row) => resume(work, row, work.input.start)),
      { final: true },
    ),
    { ...report, final: true },
  ],
  undo: [
    step('drop-image', withVm(tidy)),
    step('clear-safety', clearSafety),
    step('resume', withVm(resumeAsBefore)),
  ],
  async settle(tx, { status, resourceId, error }, { was, safety_backup_id, backup_id }) {
    const { events } = await settleBackupBefore(tx, safety_backup_id, { status, error });
    const row = await readVm(tx, resourceId);
    if (row === undefined) return events;
    if (status === 'succeeded') {
      const what = backup_id === undefined ? 'snapshot' : 'backup';
      const message = `The disk of ${row.name} was put back to a ${what}.`;
      return [...events, vms.event('restored', row, { message })];
    }
    // `started_at` is null once the step `stop` has stopped the machine. Before that it counts as running.
    const isUp = status === 'cancelled' ? was === 'running' : row.started_at !== null;
    await leaveStatus(tx, row.id, 'restoring', isUp ? 'running' : 'stopped');
    return events;
  },
});
