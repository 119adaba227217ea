/** Decides whether a machine accepts a power action, and starts the action. Used for single and bulk actions. */
import { EngineUnreachable } from '../../../engines/compute/port.ts';
import type { Start } from '../../../kernel/operations/kind.ts';
import { pendingOn, type StoredOperation } from '../../../kernel/operations/store.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import type { Services } from '../../../kernel/services.ts';
import type { Db } from '../../../store/database.ts';
import { placementOf } from '../placement-groups/store.ts';
import { vmRef } from '../vms/delete-parts.ts';
import { vmLife } from '../vms/lifecycle.ts';
import type { VmRow } from '../vms/table.ts';
import { type Action, deadlineOf, throughOf, wantedOf } from './actions.ts';
import { type PowerInput, powerKinds } from './kinds.ts';
import { enterStatus } from './status.ts';
import { hostGroupsOf } from './store.ts';

const RETRY_SECONDS = 60;

/** Throws the problem if the action is refused. Returns `unchanged` if the machine already is in the wanted state. */
export async function judge(db: Db, row: VmRow, { type }: Action): Promise<'start' | 'unchanged'> {
  const state = row.status;
  const operation = (await pendingOn(db, [row.id])).get(row.id);
  vmLife.require('performVmAction', state, { operation });
  const isRestart = throughOf[type] === 'restarting';
  if (state === wantedOf[type] && !isRestart) return 'unchanged';
  if (state === 'stopped' && isRestart)
    throw new Problem('vm_not_running', {
      detail: 'The machine is stopped, so it cannot be restarted. Use power_on.',
      extra: { current_state: state, allowed_states: ['running'] },
    });
  return 'start';
}

/**
 * Starts the action. The caller has locked the row and called `judge`. If another operation works on the machine,
 * `start` throws before anything is written.
 */
export async function beginAction(
  db: Db,
  row: VmRow,
  { type, timeout_seconds, on_timeout }: Action,
  start: (start: Start<PowerInput>) => Promise<StoredOperation>,
): Promise<StoredOperation> {
  const operation = await start({
    kind: { ...powerKinds[type], deadlineSeconds: deadlineOf({ type, timeout_seconds }) },
    input: { timeout_seconds, on_timeout, former: row.status },
    resource: vmRef(row),
  });
  await enterStatus(db, row, throughOf[type]);
  return operation;
}

/** An operation that ends when it is created, because the machine already is in the wanted state. */
export const changeNothing = (
  row: VmRow,
  { type, timeout_seconds, on_timeout }: Action,
): Start<PowerInput> & { readonly unchanged: true } => ({
  kind: powerKinds[type],
  input: { timeout_seconds, on_timeout },
  resource: vmRef(row),
  unchanged: true,
});

/**
 * Refuses a start if a strict placement group forbids the present host of the machine and no other host has capacity.
 * The present host keeps capacity for the machine, so it is not checked. If the engine does not answer, the start is
 * accepted: the operation calls the engine again.
 */
export async function requirePlace(db: Db, { compute }: Services, row: VmRow): Promise<void> {
  const placement = await placementOf(db, row.placement_group_id, row.id);
  if (placement === null || !placement.strict || placement.others.length === 0) return;
  const hosts = await hostGroupsOf(db, placement.others);
  const isKept =
    placement.policy === 'spread'
      ? hosts.every((host) => host !== row.host_group)
      : hosts.every((host) => host === row.host_group);
  const engine = compute.at(row.location);
  if (isKept || engine === undefined) return;
  const size = { vcpus: row.vcpus, memoryMb: row.memory_mb, diskGb: row.disk_gb };
  const fit = await engine.fits(row.account_id, size, placement).catch((error: unknown) => {
    if (error instanceof EngineUnreachable) return { fits: true } as const;
    throw error;
  });
  if (fit.fits) return;
  if (fit.code === 'placement_unsatisfiable')
    throw new Problem(fit.code, {
      detail: fit.detail,
      extra: { placement_group_id: placement.groupId },
    });
  throw new Problem(fit.code, {
    detail: fit.detail,
    extra: { alternatives: [] },
    retryAfterSeconds: RETRY_SECONDS,
  });
}
