/** The operation that installs a new disk. The machine keeps its id, its interfaces and its addresses. */
import type { Boot, ComputeEngine } from '../../../engines/compute/port.ts';
import { engineAt, step } from '../../../engines/engine-step.ts';
import { done, failed, kind, type Outcome, type Work } from '../../../kernel/operations/kind.ts';
import { Shape, type Static, Type } from '../../../kernel/schema.ts';
import { nicsOf } from '../interface-changes/engine-nics.ts';
import { bringUp } from '../power/bring-up.ts';
import { leaveStatus, withVm, writeStatus } from '../power/status.ts';
import { removeSnapshots } from '../snapshots/removal.ts';
import { ensureMade } from '../vm-creation/create-instance.ts';
import { fetchImage } from '../vm-creation/image.ts';
import { settleInterfaces } from '../vm-creation/store.ts';
import { guestOf, refOf } from '../vms/guest.ts';
import { noteUnbilled } from '../vms/inventory.ts';
import { vmLife } from '../vms/lifecycle.ts';
import { vms } from '../vms/resource.ts';
import { readVm, updateVm } from '../vms/store.ts';
import type { VmImage, VmRow } from '../vms/table.ts';
import { plugVolumesOf } from '../volumes/machine-volumes.ts';
import { openPlan } from './guest-plan.ts';

const Input = Shape({
  image: Type.Unsafe<VmImage>({ type: 'object' }),
  is_custom: Type.Boolean(),
  boot: Type.Unsafe<Boot>({ type: 'object' }),
  configuration: Type.Unsafe<Record<string, unknown>>({ type: 'object' }),
  /** The snapshots to delete first, the newest first. */
  remove: Type.Array(Type.String()),
  was: vmLife.Status,
  /** The encrypted guest plan. */
  sealed: Type.String(),
});
type Input = Static<typeof Input>;

/** Forces the stop, because the data that a shutdown would save is wiped anyway. */
async function stop({ services, signal }: Work<Input>, row: VmRow): Promise<Outcome> {
  const engine = engineAt(services.compute, row.location);
  const seen = await engine.observeInstance(refOf(row), signal);
  if (seen?.state === 'running') await engine.ensureStopped(refOf(row), signal);
  return done({}, async (tx) => {
    await updateVm(tx, row.id, { started_at: null });
    return [];
  });
}

/** For a machine in `error`: creates a missing instance, and restores its interfaces, addresses and volumes. */
async function mend(work: Work<Input>, engine: ComputeEngine, row: VmRow): Promise<void> {
  const { db, signal } = work;
  await ensureMade(engine, db, row, signal);
  for (const nic of await nicsOf(db, row.id)) await engine.ensureNic(refOf(row), nic, signal);
  await plugVolumesOf(work, row.id);
}

async function wipe(work: Work<Input>, row: VmRow): Promise<Outcome> {
  const { services, input, operationId, signal } = work;
  const engine = engineAt(services.compute, row.location);
  const changes = {
    ...openPlan(services, row.id, input.sealed),
    image: input.image,
    source: { type: 'image' as const, id: input.image.id },
    configuration: input.configuration,
    boot_mode: input.boot.mode,
    secure_boot: input.boot.secure,
  };
  const planned: VmRow = { ...row, ...changes };
  if (input.was === 'error') await mend(work, engine, planned);
  if ((await engine.observeInstance(refOf(row), signal)) === null)
    return failed('engine_failed', 'The engine cannot find the machine.');
  const image = { account: input.is_custom ? row.account_id : null, id: input.image.id };
  const to = { once: operationId, image, guest: guestOf(planned), boot: input.boot };
  await engine.ensureRebuilt(refOf(row), to, signal);
  if (row.iso_id !== null) await engine.ensureDrive(refOf(row), null, signal);
  return done({}, async (tx) => {
    const untold = { applied_seed: null, applied_user_data_sha256: null, guest_agent: null };
    const ejected = { iso_id: null, iso_boot_once: false };
    await updateVm(tx, row.id, { ...changes, ...untold, ...ejected, failed_at: null });
    return [];
  });
}

async function boot({ services, db, signal, now }: Work<Input>, row: VmRow): Promise<Outcome> {
  const seen = await bringUp(engineAt(services.compute, row.location), db, row, signal);
  if (seen?.state !== 'running')
    return failed('engine_failed', 'The machine was started, but is not running.', true);
  return done({}, async (tx) => {
    await settleInterfaces(tx, row.id, 'made');
    const told = await writeStatus(services, tx, row, 'redeploying', seen, now);
    if (told === undefined) return [];
    const message = `The disk of ${row.name} was wiped and ${row.image?.name ?? 'an image'} installed.`;
    return [vms.event('redeployed', row, { message })];
  });
}

/** Runs after a cancellation, which is possible only before data was deleted. Starts the machine again if it ran. */
async function resume({ services, db, signal, now, input }: Work<Input>, row: VmRow): Promise<Outcome> {
  if (input.was === 'error') return done();
  const engine = engineAt(services.compute, row.location);
  const isOn = input.was === 'running';
  const seen = isOn
    ? await bringUp(engine, db, row, signal)
    : await engine.observeInstance(refOf(row), signal);
  if (isOn && seen?.state !== 'running')
    return failed('engine_failed', 'The machine was started again, but is not running.', true);
  return done({}, (tx) => writeStatus(services, tx, row, 'redeploying', seen, now));
}

export const redeployVmKind = kind<typeof Input>({
  type: 'vm.redeploy',
  family: 'flexible-vps',
  resourceType: 'vm',
  queue: 'exclusive',
  input: Input,
  typicalSeconds: 40,
  deadlineSeconds: 1800,
  cancellable: true,
  steps: [
    // The first step, so that the old disk is kept if the image is not available.
    step(
      'image',
      withVm((work, row) => fetchImage(work, row, work.input.image)),
    ),
    step('stop', withVm(stop)),
    step(
      'remove-snapshots',
      withVm((work, row) => removeSnapshots(work, row, work.input.remove)),
      { final: true },
    ),
    step('wipe', withVm(wipe), { final: true }),
    step('boot', withVm(boot), { final: true }),
  ],
  undo: [step('resume', withVm(resume))],
  // A machine whose creation had failed comes into being with its first disk.
  provisions: 'vms',
  async settle(tx, { status, resourceId, error }, { was }) {
    const row = await readVm(tx, resourceId);
    if (status === 'succeeded' || row?.status !== 'redeploying') return undefined;
    if (status === 'cancelled' && was !== 'error') return leaveStatus(tx, row.id, 'redeploying', was);
    const status_reason = status === 'cancelled' ? row.status_reason : (error?.code ?? 'engine_failed');
    const broken = await updateVm(tx, row.id, { status: 'error', status_reason, is_billed: false });
    if (broken !== undefined) await noteUnbilled(tx, broken);
    return undefined;
  },
});
