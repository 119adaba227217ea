/** Whether a machine takes an action, for one call and for each of many. */
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
import { powerKinds } from './kinds.ts';
import { enterStatus } from './status.ts';
import { hostGroupsOf } from './store.ts';

const RETRY_SECONDS = 60;

/** Throws as a call is refused. `unchanged`: it is as wanted already. */
export async function judge(db: Db, row: VmRow, { type }: Action): Promise<'start' | 'unchanged'> {
  const state = row.status;
  const operation = (await pendingOn(db, [row.id])).get(row.id);
  vmLife.require('performVmAction', state, { operation });
  const isRestart = throughOf[type] === 'restarting';
  if (state === wantedOf[type] && !isRestart) return 'unchanged';
  if (state === 'stopped' && isRestart)
    throw new Problem('vm_not_running', {
      detail: 'The machine is stopped: there is nothing to restart.',
      extra: { current_state: state, allowed_states: ['running'] },
    });
  return 'start';
}

/** Of a row that is held and was judged: refused as its queue says, before anything is written. */
export async function beginAction(
  db: Db,
  row: VmRow,
  { type, timeout_seconds, on_timeout }: Action,
  start: (start: Start) => Promise<StoredOperation>,
): Promise<StoredOperation> {
  const operation = await start({
    kind: { ...powerKinds[type], deadlineSeconds: deadlineOf({ type, timeout_seconds }) },
    input: { timeout_seconds, on_timeout, former: row.status },
    resource: vmRef(row),
  });
  await enterStatus(db, row, throughOf[type]);
  return operation;
}

/** Ends as it begins. */
export const changeNothing = (
  row: VmRow,
  { type, timeout_seconds, on_timeout }: Action,
): Start & { readonly unchanged: true } => ({
  kind: powerKinds[type],
  input: { timeout_seconds, on_timeout },
  resource: vmRef(row),
  unchanged: true,
});

/**
 * A strict group that the machine would have to be moved for, and nowhere to move it to. Where it stands well its own
 * room is kept for it, and an engine that does not answer now is asked again when it is started.
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
