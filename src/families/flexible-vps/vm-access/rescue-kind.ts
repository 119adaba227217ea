/** The operation that enters or leaves rescue mode. */
import type { ComputeEngine, Instance, Rescue } from '../../../engines/compute/port.ts';
import { engineAt, step } from '../../../engines/engine-step.ts';
import type { NewEvent } from '../../../kernel/events/event.ts';
import { done, failed, kind, type Outcome, type Work } from '../../../kernel/operations/kind.ts';
import type { OperationError } from '../../../kernel/operations/schema.ts';
import { Nullable, OneOf, Shape, type Static, Type } from '../../../kernel/schema.ts';
import type { Services } from '../../../kernel/services.ts';
import type { Tx } from '../../../store/database.ts';
import { placementOf } from '../placement-groups/store.ts';
import { isBeforeShutdown, restart } from '../power/shutdown.ts';
import { leaveStatus, tryEngine, withVm, writeStatus } from '../power/status.ts';
import { guestOf, refOf } from '../vms/guest.ts';
import { vms } from '../vms/resource.ts';
import { lockVmIfThere, updateVm } from '../vms/store.ts';
import type { VmRow } from '../vms/table.ts';
import { prolongRescue } from './store.ts';

const Input = Shape({
  enabled: Type.Boolean(),
  restart: Type.Boolean(),
  /** The status when the request was accepted. Absent if nothing has to change. */
  former: Type.Optional(OneOf(['running', 'stopped'])),
  duration_hours: Type.Integer(),
  ssh_keys: Type.Array(Type.String()),
  /** In crypt(3) format, encrypted with the machine id as context. */
  sealed_password_hash: Nullable(Type.String()),
  /** Set if the rescue mode expired; no caller requested the change. */
  expired: Type.Optional(Type.Literal(true)),
});
export type RescueInput = Static<typeof Input>;

/** Short and forced, because a guest that needs the rescue system often ignores shutdown requests. */
const GRACE = { timeoutSeconds: 30, force: true };
/** The default duration of the rescue mode. */
export const RESCUE_HOURS = 24;
const HOUR_MS = 3_600_000;
/** Attempts after which the operation fails if the engine reports success but nothing has changed. */
const MOST_LIES = 3;

export const sealHash = ({ secrets }: Services, vmId: string, hash: string): string =>
  secrets.close(Buffer.from(hash), vmId).toString('base64');

function rescueOf({ secrets }: Services, vmId: string, input: RescueInput): Rescue | null {
  if (!input.enabled) return null;
  const sealed = input.sealed_password_hash;
  return {
    sshKeys: input.ssh_keys,
    passwordHash: sealed === null ? null : secrets.open(Buffer.from(sealed, 'base64'), vmId).toString(),
  };
}

/** Returns whether the machine can be restarted. It is restarted only once, so the rescue setting has to be right before. */
async function prepare(engine: ComputeEngine, work: Work<RescueInput>, row: VmRow): Promise<boolean> {
  const { services, db, input, signal } = work;
  const ref = refOf(row);
  await engine.ensureRescue(ref, rescueOf(services, row.id, input), signal);
  const seen = await engine.observeInstance(ref, signal);
  if (!input.restart || seen?.rescue.wanted !== input.enabled) return false;
  if (seen.state === 'stopped')
    await engine.ensurePlacement(ref, await placementOf(db, row.placement_group_id, row.id), signal);
  await engine.ensureGuest(ref, guestOf(row), signal);
  return true;
}

function isAsWanted({ enabled, restart: isBooted }: RescueInput, seen: Instance | null): boolean {
  if (seen?.rescue.wanted !== enabled) return false;
  return !isBooted || (seen.state === 'running' && seen.rescue.active === enabled);
}

const unlike = (seen: Instance | null): OperationError => ({
  code: 'engine_failed',
  detail: `The engine reported success, but the machine ${seen === null ? 'no longer exists' : 'did not change'}.`,
  retryable: true,
});

export function rescueEvent(
  { enabled, restart: isBooted, expired }: Pick<RescueInput, 'enabled' | 'restart' | 'expired'>,
  row: VmRow,
): NewEvent {
  const system = enabled ? 'its rescue system' : 'its own disk';
  const when = isBooted
    ? `runs ${enabled ? '' : 'from '}${system}`
    : `boots from ${system} at its next start`;
  const why = expired ? ': the rescue mode has expired' : '';
  return vms.event(enabled ? 'rescue_entered' : 'rescue_left', row, { says: `${when}${why}` });
}

/** Stores whether the next start is into the rescue system, as the engine reports it. */
async function writeRescue(tx: Tx, row: VmRow, seen: Instance | null, input: RescueInput, now: Date) {
  const held = await lockVmIfThere(tx, row.account_id, row.id);
  const isSet = held?.rescue_expires_at != null;
  if (held === undefined || seen === null || seen.rescue.wanted === isSet) return;
  await updateVm(tx, row.id, {
    rescue_expires_at: seen.rescue.wanted ? new Date(now.getTime() + input.duration_hours * HOUR_MS) : null,
  });
}

/** Writes the real state of the machine to the row, also after a failure. Only then may `report` end the operation. */
const bootStep = step<RescueInput>(
  'boot',
  withVm(async (work, row): Promise<Outcome> => {
    const { services, input, signal, now, tries } = work;
    const engine = engineAt(services.compute, row.location);
    const { refused, value: sleep } = await tryEngine(async () => {
      const isReady = !isBeforeShutdown(work) || (await prepare(engine, work, row));
      return isReady ? restart(engine, refOf(row), GRACE, work) : null;
    });
    if (sleep !== null) return sleep;
    const seen = await engine.observeInstance(refOf(row), signal);
    const fault = refused ?? (isAsWanted(input, seen) ? null : unlike(seen));
    if (refused === null && fault !== null && seen !== null && tries < MOST_LIES)
      return failed(fault.code, fault.detail, true);
    return done({ fault }, async (tx) => {
      await writeRescue(tx, row, seen, input, now);
      const told = input.restart ? await writeStatus(services, tx, row, 'restarting', seen, now) : [];
      return fault === null ? [...(told ?? []), rescueEvent(input, row)] : told;
    });
  }),
);

const reportStep = step<RescueInput>('report', async ({ results }) => {
  const { fault = null } = (results['boot'] ?? {}) as { fault?: OperationError | null };
  return fault === null ? done({ changed: true }) : { kind: 'failed', error: { ...fault, retryable: false } };
});

export const rescueKind = kind<typeof Input>({
  type: 'vm.rescue',
  family: 'flexible-vps',
  resourceType: 'vm',
  queue: 'exclusive',
  input: Input,
  typicalSeconds: 30,
  deadlineSeconds: 600,
  cancellable: false,
  steps: [bootStep, reportStep],
  async settle(tx, { status, resourceId }, { former, expired }) {
    if (status === 'succeeded') return undefined;
    if (expired) await prolongRescue(tx, resourceId);
    return leaveStatus(tx, resourceId, 'restarting', former);
  },
});
