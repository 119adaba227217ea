/** Decides whether a machine accepts a power action, and starts the action. Used for single and bulk actions. */
import type { Fit } from '../../../engines/compute/port.ts';
import { type Answer, answerOf, ask } from '../../../engines/engine-call.ts';
import type { Preparation } from '../../../kernel/call.ts';
import type { Start } from '../../../kernel/operations/kind.ts';
import { pendingOn, type StoredOperation } from '../../../kernel/operations/store.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import type { Db } from '../../../store/database.ts';
import { placementOf } from '../placement-groups/store.ts';
import { vmLife } from '../vms/lifecycle.ts';
import { vms } from '../vms/resource.ts';
import { sizeOf } from '../vms/size.ts';
import { findVmIfThere } from '../vms/store.ts';
import type { VmRow } from '../vms/table.ts';
import { type Action, deadlineOf, throughOf, wantedOf } from './actions.ts';
import { type PowerInput, powerKinds } from './kinds.ts';
import { enterStatus } from './status.ts';
import { hostGroupsOf } from './store.ts';

const RETRY_SECONDS = 60;

export async function judge(db: Db, row: VmRow, action: Action): Promise<'start' | 'unchanged'> {
  return judgeBeside(row, action, (await pendingOn(db, [row.id])).get(row.id));
}

/**
 * Throws the problem if the action is refused. Returns `unchanged` if the machine already is in the wanted state.
 * `operation` is the one that works on the machine now.
 */
function judgeBeside(
  row: VmRow,
  { type }: Action,
  operation: StoredOperation | undefined,
): 'start' | 'unchanged' {
  const state = row.status;
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

/** The machines that are going to change their state. The others are refused, or already are as wanted. */
export async function changing(db: Db, rows: readonly VmRow[], action: Action): Promise<VmRow[]> {
  const pending = await pendingOn(
    db,
    rows.map(({ id }) => id),
  );
  return rows.filter((row) => {
    try {
      return judgeBeside(row, action, pending.get(row.id)) === 'start';
    } catch (error) {
      if (error instanceof Problem) return false;
      throw error;
    }
  });
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
    resource: vms.ref(row),
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
  resource: vms.ref(row),
  unchanged: true,
});

/**
 * Asks whether another host has room, for a start that a strict placement group forbids on the present host. Returns
 * null if the machine can stay: its host keeps capacity for it.
 */
export async function askPlace({
  db,
  caller,
  params,
  body,
  services,
}: Preparation<{ readonly id: string }, unknown, { readonly type: string }>): Promise<Answer<Fit> | null> {
  if (body.type !== 'power_on') return null;
  const row = await findVmIfThere(db, caller.account.id, params.id);
  const placement = row && (await placementOf(db, row.placement_group_id, row.id));
  if (row === undefined || !placement || !placement.strict || placement.others.length === 0) return null;
  const hosts = await hostGroupsOf(db, placement.others);
  const isKept =
    placement.policy === 'spread'
      ? hosts.every((host) => host !== row.host_group)
      : hosts.every((host) => host === row.host_group);
  if (isKept) return null;
  return answerOf(
    ask(services.compute, row.location, {}, (engine, signal) =>
      engine.fits(row.account_id, sizeOf(row), placement, signal),
    ),
  );
}

/** Refuses a start that no host has room for. If the engine did not answer, the operation finds out. */
export function requirePlace(row: VmRow, answer: Answer<Fit>): void {
  const fit = fitOr(answer, { fits: true });
  if (fit.fits) return;
  if (fit.code === 'placement_unsatisfiable')
    throw new Problem(fit.code, {
      detail: fit.detail,
      extra: { placement_group_id: row.placement_group_id },
    });
  throw new Problem(fit.code, {
    detail: fit.detail,
    extra: { alternatives: [] },
    retryAfterSeconds: RETRY_SECONDS,
  });
}

function fitOr(answer: Answer<Fit>, otherwise: Fit): Fit {
  try {
    return answer();
  } catch (error) {
    if (error instanceof Problem) return otherwise;
    throw error;
  }
}
