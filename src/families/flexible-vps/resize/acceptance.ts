/** The acceptance of a resize, which `resizeVm` and `updateVm` share: the state, the checks, the operation, the cost. */
import { changesBetween } from '../../../kernel/audit/changes.ts';
import type { AuditChange } from '../../../kernel/audit/entry.ts';
import type { Call } from '../../../kernel/call.ts';
import type { StoredOperation } from '../../../kernel/operations/store.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { requireRoom } from '../../../resources/limits/require-room.ts';
import { planBackupsOf } from '../backup-policies/future/future.ts';
import { effectOf } from '../power/actions.ts';
import { enterStatus } from '../power/status.ts';
import { showVm } from '../vm-reading/present.ts';
import { vmLife } from '../vms/lifecycle.ts';
import { vms } from '../vms/resource.ts';
import { isSameSize, sizeOf } from '../vms/size.ts';
import type { VmRow } from '../vms/table.ts';
import { type Asked, growthOf, requireCapacity, requireLive } from './capacity.ts';
import { resizeVmKind } from './kind.ts';
import type { ResizeInput, ResizeVm } from './schema.ts';
import type { Target } from './target.ts';

const SHUTDOWN_SECONDS = 90;
const MB_PER_GB = 1024;

/** `operation` is the one that works on the machine now, if any. */
export function requireResizable(row: VmRow, operation: StoredOperation | undefined): void {
  const state = row.status;
  vmLife.require('resizeVm', state, { operation });
  if (row.rescue_expires_at !== null) throw new Problem('vm_in_rescue', { extra: { current_state: state } });
}

/** Whether the operation that works on the machine already gives it this size. */
export function isUnderWay(operation: StoredOperation | undefined, { plan, size }: Target): boolean {
  if (operation?.type !== resizeVmKind.type) return false;
  const { plan: pending, to } = operation.input as ResizeInput;
  return pending === plan && isSameSize(sizeOf(to), size);
}

async function requireQuota(call: Call, row: VmRow, { size }: Target): Promise<void> {
  const { vcpus, memoryMb } = growthOf(sizeOf(row), size);
  await requireRoom(call, [
    { limit: 'flexible-vps.vcpus', amount: vcpus },
    { limit: 'flexible-vps.memory-gb', amount: memoryMb / MB_PER_GB },
  ]);
}

export function inputOf(body: ResizeVm, row: VmRow, { plan, size, configuration }: Target): ResizeInput {
  const former = row.status === 'running' ? 'running' : 'stopped';
  const { start_after = 'as_before', mode = 'cold' } = body;
  return {
    former,
    from: { vcpus: row.vcpus, memory_mb: row.memory_mb, disk_gb: row.disk_gb },
    to: { vcpus: size.vcpus, memory_mb: size.memoryMb, disk_gb: size.diskGb },
    plan,
    configuration,
    mode,
    shutdown_timeout_seconds: body.shutdown_timeout_seconds ?? SHUTDOWN_SECONDS,
    force_after_timeout: body.force_after_timeout ?? false,
    runs_after: start_after === 'as_before' ? former === 'running' : start_after === 'yes',
  };
}

const changesOf = (row: VmRow, { plan, size }: Target) =>
  changesBetween<VmRow>(row, {
    plan,
    vcpus: size.vcpus,
    memory_mb: size.memoryMb,
    disk_gb: size.diskGb,
  });

interface Resize {
  readonly body: ResizeVm;
  readonly target: Target;
  readonly asked: Asked | null;
  /** What the call has changed about the machine already. */
  readonly changes?: readonly AuditChange[];
}

/** Called for a locked row that may be resized, with another size than it has. Returns the answer. */
export async function acceptResize(call: Call, row: VmRow, { body, target, asked, changes = [] }: Resize) {
  const { db, services, effect, start } = call;
  const resource = vms.ref(row);
  const input = inputOf(body, row, target);
  if (input.mode === 'live') requireLive(services, row, target, asked);
  await requireQuota(call, row, target);
  requireCapacity(services, row, target, asked);
  const operation = await start({ kind: resizeVmKind, input, resource });
  const resizing = await enterStatus(db, row, 'resizing');
  effect({ action: 'update', ...resource, changes: [...changes, ...changesOf(row, target)] });
  const { configuration, runs_after } = input;
  const on_timeout = input.force_after_timeout ? 'force' : 'fail';
  if (input.mode !== 'live' && row.status === 'running')
    effect(effectOf({ type: runs_after ? 'restart' : 'shutdown', on_timeout }, resource));
  if (row.status !== 'running' && runs_after) effect(effectOf({ type: 'power_on', on_timeout }, resource));
  const status = runs_after ? 'running' : 'stopped';
  await vms.reportCost(call, [row], { configuration, status, is_billed: true });
  if (row.backup_policy_id !== null && target.size.diskGb > row.disk_gb)
    await planBackupsOf(call, row, target.size.diskGb);
  return showVm(call, resizing, operation);
}
