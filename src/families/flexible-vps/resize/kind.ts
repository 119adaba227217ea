/** The resize operation: stop, size, disk, start, in this order. If a step is refused, the changes are rolled back. */
import type { ComputeEngine, Instance, Size } from '../../../engines/compute/port.ts';
import { engineAt, step } from '../../../engines/engine-step.ts';
import { done, failed, kind, type Outcome, type Work } from '../../../kernel/operations/kind.ts';
import type { OperationError } from '../../../kernel/operations/schema.ts';
import { followBackups } from '../backup-policies/future/future.ts';
import { bringUp } from '../power/bring-up.ts';
import { ensureDown } from '../power/shutdown.ts';
import { leaveStatus, refusalOf, tryEngine, withVm, writeStatus } from '../power/status.ts';
import { refOf } from '../vms/guest.ts';
import { vms } from '../vms/resource.ts';
import { sizeOf } from '../vms/size.ts';
import { lockVmIfThere, readVm, updateVm } from '../vms/store.ts';
import type { VmRow } from '../vms/table.ts';
import { ResizeInput } from './schema.ts';
import { configurationWithDisk } from './target.ts';

type Resizing = Work<ResizeInput>;

const STATUS = 'resizing';
/** Attempts after which a step fails if the engine reports success but the state is wrong. */
const MOST_LIES = 3;

/** The refusal that an earlier step recorded. After one, only the rollback runs. */
function faultOf({ results }: Resizing): OperationError | null {
  for (const result of Object.values(results as Record<string, { fault?: OperationError | null }>))
    if (result.fault != null) return result.fault;
  return null;
}

/**
 * A step that is skipped if an earlier one was refused. It records its own refusal for `restore` and `conclude`. If `ask`
 * returns an outcome, that is the outcome of the step.
 */
const onTheWay = (
  name: string,
  ask: (engine: ComputeEngine, work: Resizing, row: VmRow) => Promise<Outcome | null>,
  isDone: (seen: Instance, input: ResizeInput) => boolean,
) =>
  step<ResizeInput>(
    name,
    withVm(async (work, row): Promise<Outcome> => {
      if (faultOf(work) !== null) return done();
      const engine = engineAt(work.services.compute, row.location);
      const { refused, value: sleep } = await tryEngine(() => ask(engine, work, row));
      if (sleep !== null) return sleep;
      const seen = await engine.observeInstance(refOf(row), work.signal);
      if (seen !== null && isDone(seen, work.input)) return done();
      const detail = `The engine reported success for the step ${name}, but the machine did not change as requested.`;
      if (refused === null && seen !== null && work.tries < MOST_LIES)
        return failed('engine_failed', detail, true);
      return done({ fault: refused ?? { code: 'engine_failed', detail, retryable: false } });
    }),
  );

const isOf = (a: Size, b: Size): boolean => a.vcpus === b.vcpus && a.memoryMb === b.memoryMb;

const stop = onTheWay(
  'stop',
  async (engine, work, row) => {
    const { mode, shutdown_timeout_seconds: timeoutSeconds, force_after_timeout: force } = work.input;
    return mode === 'live' ? null : ensureDown(engine, refOf(row), { timeoutSeconds, force }, work);
  },
  ({ state }, { mode }) => mode === 'live' || state === 'stopped',
);

/** A running machine gets size and disk in one call, because a partial change to it could not be rolled back. */
const size = onTheWay(
  'size',
  async (engine, { input, signal }, row) => {
    const { diskGb } = sizeOf(input.mode === 'live' ? input.to : input.from);
    await engine.ensureSize(refOf(row), { ...sizeOf(input.to), diskGb }, signal);
    return null;
  },
  (seen, { to }) => isOf(seen.size, sizeOf(to)),
);

const disk = onTheWay(
  'disk',
  async (engine, { input, signal }, row) => {
    await engine.ensureSize(refOf(row), sizeOf(input.to), signal);
    return null;
  },
  (seen, { to }) => isOf(seen.size, sizeOf(to)) && seen.size.diskGb === to.disk_gb,
);

const start = onTheWay(
  'start',
  async (engine, { input, db, signal }, row) => {
    if (input.runs_after) await bringUp(engine, db, { ...row, ...input.to }, signal);
    return null;
  },
  ({ state }, { runs_after }) => !runs_after || state === 'running',
);

async function takeBack(engine: ComputeEngine, work: Resizing, row: VmRow): Promise<void> {
  const { input, db, signal } = work;
  const seen = await engine.observeInstance(refOf(row), signal);
  if (seen === null) return;
  const old = { ...sizeOf(input.from), diskGb: seen.size.diskGb };
  if (!isOf(seen.size, old)) await refusalOf(() => engine.ensureSize(refOf(row), old, signal));
  if (input.former === 'running') await refusalOf(() => bringUp(engine, db, row, signal));
}

/** Returns the size to store after a rollback: a grown disk stays, and so does a size that could not be rolled back. */
function trueSize({ services, input }: Resizing, row: VmRow, seen: Instance) {
  const isNew = isOf(seen.size, sizeOf(input.to)) && !isOf(seen.size, sizeOf(input.from));
  if (isNew && seen.size.diskGb === input.to.disk_gb) return newSize(input, row);
  const grown = { ...row, ...(isNew ? newSize(input, row) : {}) };
  if (grown.disk_gb === seen.size.diskGb) return null;
  const { diskGb: disk_gb } = seen.size;
  return { ...grown, disk_gb, configuration: configurationWithDisk(services, grown, disk_gb) };
}

const newSize = ({ to, plan, configuration }: ResizeInput, { requested }: VmRow) => ({
  ...to,
  plan,
  requested: { ...requested, plan },
  configuration,
});

const restore = step<ResizeInput>(
  'restore',
  withVm(async (work, row) => {
    if (faultOf(work) === null) return done();
    const engine = engineAt(work.services.compute, row.location);
    await takeBack(engine, work, row);
    const seen = await engine.observeInstance(refOf(row), work.signal);
    return done({}, async (tx) => {
      const size = seen === null ? null : trueSize(work, row, seen);
      if (size !== null) await writeSize(tx, row, size);
      return writeStatus(work.services, tx, row, STATUS, seen, work.now);
    });
  }),
);

type SizeChange = Pick<VmRow, 'vcpus' | 'memory_mb' | 'disk_gb' | 'plan' | 'requested' | 'configuration'>;

/** Does not update the price: the caller calls `writeStatus` next, which does so in the same transaction. */
async function writeSize(
  tx: Parameters<typeof lockVmIfThere>[0],
  { account_id, id }: VmRow,
  { vcpus, memory_mb, disk_gb, plan, requested, configuration }: SizeChange,
): Promise<boolean> {
  const held = await lockVmIfThere(tx, account_id, id);
  if (held?.status !== STATUS) return false;
  await updateVm(tx, id, { vcpus, memory_mb, disk_gb, plan, requested, configuration });
  return true;
}

const conclude = step<ResizeInput>(
  'conclude',
  withVm(async (work, row) => {
    const { input, services, signal, now } = work;
    const fault = faultOf(work);
    if (fault !== null) return { kind: 'failed', error: fault };
    const seen = await engineAt(services.compute, row.location).observeInstance(refOf(row), signal);
    return done({ changed: true, plan: input.plan, ...input.to }, async (tx) => {
      if (!(await writeSize(tx, row, newSize(input, row)))) return undefined;
      const told = await writeStatus(services, tx, row, STATUS, seen, now);
      const says = `is now ${input.plan}, with a disk of ${input.to.disk_gb} GB`;
      return [...(told ?? []), vms.event('resized', row, { says })];
    });
  }),
);

export const resizeVmKind = kind<typeof ResizeInput>({
  type: 'vm.resize',
  family: 'flexible-vps',
  resourceType: 'vm',
  queue: 'exclusive',
  input: ResizeInput,
  typicalSeconds: 30,
  deadlineSeconds: 1800,
  cancellable: false,
  steps: [stop, size, disk, start, restore, conclude],
  async settle(tx, { status, resourceId }, { former }) {
    // The call has planned backups of the larger disk, which the machine may not have got.
    const row = await readVm(tx, resourceId);
    if (row !== undefined) await followBackups(tx, row.account_id, row.id, row.backup_policy_id);
    return leaveStatus(tx, resourceId, STATUS, status === 'succeeded' ? undefined : former);
  },
});
