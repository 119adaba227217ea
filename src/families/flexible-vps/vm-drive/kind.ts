/** The operation that puts an ISO into the drive of a machine, or ejects it. An accepted call writes the row at once. */
import type { Drive } from '../../../engines/compute/port.ts';
import { engineAt, step } from '../../../engines/engine-step.ts';
import { done, failed, kind, type Outcome, type Work } from '../../../kernel/operations/kind.ts';
import { Nullable, Shape, type Static, Type } from '../../../kernel/schema.ts';
import { isBeforeShutdown, restart } from '../power/shutdown.ts';
import { withVm } from '../power/status.ts';
import { markRunning, refOf } from '../vms/guest.ts';
import { vms } from '../vms/resource.ts';
import { readVm, updateVm } from '../vms/store.ts';
import type { VmRow } from '../vms/table.ts';

const Content = Shape({ iso_id: Nullable(Type.String()), boot_once: Type.Boolean() });
type Content = Static<typeof Content>;

const Input = Shape({ wanted: Content, before: Content, restart: Type.Boolean() });
export type DriveInput = Static<typeof Input>;

/** As for the rescue system: a guest that does not shut down in time is forced off. */
const GRACE = { timeoutSeconds: 30, force: true };

export const driveOf = ({ iso_id, boot_once }: Content): Drive | null =>
  iso_id === null ? null : { iso: iso_id, bootOnce: boot_once };

const isSame = (one: Drive | null, other: Drive | null): boolean =>
  one?.iso === other?.iso && one?.bootOnce === other?.bootOnce;

async function change(work: Work<DriveInput>, row: VmRow): Promise<Outcome> {
  const { services, input, signal } = work;
  const engine = engineAt(services.compute, row.location);
  const drive = driveOf(input.wanted);
  await engine.ensureDrive(refOf(row), drive, signal);
  const seen = await engine.observeInstance(refOf(row), signal);
  if (seen === null) return failed('engine_failed', 'The engine cannot find the machine.');
  if (!isSame(seen.drive, drive))
    return failed('engine_failed', 'The engine changed the drive, but its content is another.', true);
  return done({}, async (tx) => {
    // A redeploy that ended meanwhile has emptied the row.
    await updateVm(tx, row.id, { iso_id: input.wanted.iso_id, iso_boot_once: input.wanted.boot_once });
    const says = drive === null ? 'has an empty drive' : 'has another ISO in its drive';
    return [vms.event('drive_changed', row, { says })];
  });
}

async function reboot(work: Work<DriveInput>, row: VmRow): Promise<Outcome> {
  const { services, input, signal, now } = work;
  const isOn = row.status === 'running' || !isBeforeShutdown(work);
  if (!input.restart || !isOn) return done({ changed: true });
  const engine = engineAt(services.compute, row.location);
  const sleep = await restart(engine, refOf(row), GRACE, work);
  if (sleep !== null) return sleep;
  const seen = await engine.observeInstance(refOf(row), signal);
  if (seen?.state !== 'running')
    return failed('engine_failed', 'The machine was restarted, but is not running.', true);
  return done({ changed: true }, async (tx) => {
    const held = await readVm(tx, row.id);
    if (held?.status !== 'running') return [];
    await markRunning(services, tx, held, seen, now);
    return [vms.event('restarted', row)];
  });
}

export const setIsoKind = kind<typeof Input>({
  type: 'vm.set_iso',
  family: 'flexible-vps',
  resourceType: 'vm',
  queue: 'attach',
  input: Input,
  typicalSeconds: 5,
  deadlineSeconds: 600,
  cancellable: false,
  steps: [step('drive', withVm(change)), step('restart', withVm(reboot))],
  async settle(tx, { status, resourceId, error: _ }, { wanted, before }) {
    const row = status === 'succeeded' ? undefined : await readVm(tx, resourceId);
    // A later call may have written another ISO meanwhile.
    if (row === undefined || row.iso_id !== wanted.iso_id) return undefined;
    await updateVm(tx, row.id, { iso_id: before.iso_id, iso_boot_once: before.boot_once });
    return undefined;
  },
});
