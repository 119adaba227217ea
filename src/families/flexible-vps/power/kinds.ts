/** The operation kinds of the power actions, one for each action type. */
import type { ComputeEngine, Instance } from '../../../engines/compute/port.ts';
import { engineAt, step } from '../../../engines/engine-step.ts';
import type { NewEvent } from '../../../kernel/events/event.ts';
import { done, failed, type Kind, kind, type Outcome, type Work } from '../../../kernel/operations/kind.ts';
import type { OperationError } from '../../../kernel/operations/schema.ts';
import { OneOf, Shape, type Static, Type } from '../../../kernel/schema.ts';
import { guestOf, refOf } from '../vms/guest.ts';
import { vmLife } from '../vms/lifecycle.ts';
import { vms } from '../vms/resource.ts';
import type { VmRow } from '../vms/table.ts';
import { type ActionType, longestDeadlineOf, throughOf, wantedOf } from './actions.ts';
import { bringUp } from './bring-up.ts';
import { ensureDown, isBeforeShutdown, restart } from './shutdown.ts';
import { leaveStatus, tryEngine, withVm, writeStatus } from './status.ts';

const Input = Shape({
  timeout_seconds: Type.Integer(),
  on_timeout: OneOf(['fail', 'force']),
  /** The status when the action was accepted. Absent if the action was refused or nothing had to change. */
  former: Type.Optional(vmLife.Status),
});
export type PowerInput = Static<typeof Input>;

/** Attempts after which the operation fails if the engine reports success but the state is wrong. */
const MOST_LIES = 3;

/** An action that waits for the guest returns the sleep of its step. */
const act: Readonly<
  Record<ActionType, (engine: ComputeEngine, work: Work<PowerInput>, row: VmRow) => Promise<Outcome | null>>
> = {
  async power_on(engine, { db, signal }, row) {
    await bringUp(engine, db, row, signal);
    return null;
  },
  async power_off(engine, { signal }, row) {
    await engine.ensureStopped(refOf(row), signal);
    return null;
  },
  shutdown: (engine, work, row) => ensureDown(engine, refOf(row), graceOf(work.input), work),
  async restart(engine, work, row) {
    if (isBeforeShutdown(work)) await engine.ensureGuest(refOf(row), guestOf(row), work.signal);
    return restart(engine, refOf(row), graceOf(work.input), work);
  },
  async reset(engine, { signal, operationId }, row) {
    await engine.ensureGuest(refOf(row), guestOf(row), signal);
    await engine.restart(refOf(row), { once: operationId }, signal);
    return null;
  },
};

const graceOf = ({ timeout_seconds, on_timeout }: PowerInput) => ({
  timeoutSeconds: timeout_seconds,
  force: on_timeout === 'force',
});

const eventOf: Readonly<Record<ActionType, (row: VmRow) => NewEvent>> = {
  power_on: (row) => vms.event('started', row),
  power_off: (row) => vms.event('stopped', row, { says: 'was switched off' }),
  shutdown: (row) => vms.event('stopped', row, { says: 'was shut down' }),
  restart: (row) => vms.event('restarted', row),
  reset: (row) => vms.event('restarted', row, { says: 'was reset' }),
};

const unlike = (wanted: string, seen: Instance | null): OperationError => ({
  code: 'engine_failed',
  detail:
    seen === null
      ? 'The engine can no longer find the machine.'
      : `The engine reported success, but the machine is ${seen.state}, not ${wanted}.`,
  retryable: false,
});

/** Writes the real state of the machine to the row, also after a failure. Only then may `report` end the operation. */
const actStep = (type: ActionType) =>
  step<PowerInput>(
    'power',
    withVm(async (work, row): Promise<Outcome> => {
      const engine = engineAt(work.services.compute, row.location);
      const { refused, value: sleep } = await tryEngine(() => act[type](engine, work, row));
      if (sleep !== null) return sleep;
      const seen = await engine.observeInstance(refOf(row), work.signal);
      const wanted = wantedOf[type];
      const fault = refused ?? (seen?.state === wanted ? null : unlike(wanted, seen));
      if (refused === null && fault !== null && seen !== null && work.tries < MOST_LIES)
        return failed(fault.code, fault.detail, true);
      return done({ fault }, async (tx) => {
        const told = await writeStatus(work.services, tx, row, throughOf[type], seen, work.now);
        return fault === null ? [...(told ?? []), eventOf[type](row)] : told;
      });
    }),
  );

const reportStep = step<PowerInput>('report', async ({ results }) => {
  const { fault = null } = (results['power'] ?? {}) as { fault?: OperationError | null };
  return fault === null ? done({ changed: true }) : { kind: 'failed', error: fault };
});

const powerKind = (type: ActionType): Kind<PowerInput> =>
  kind<typeof Input>({
    type: `vm.${type}`,
    family: 'flexible-vps',
    resourceType: 'vm',
    queue: 'exclusive',
    input: Input,
    typicalSeconds: 5,
    deadlineSeconds: longestDeadlineOf(type),
    cancellable: false,
    steps: [actStep(type), reportStep],
    settle: (tx, { status, resourceId }, { former }) =>
      leaveStatus(tx, resourceId, throughOf[type], status === 'succeeded' ? undefined : former),
  });

export const powerKinds: Readonly<Record<ActionType, Kind<PowerInput>>> = {
  power_on: powerKind('power_on'),
  power_off: powerKind('power_off'),
  shutdown: powerKind('shutdown'),
  restart: powerKind('restart'),
  reset: powerKind('reset'),
};
