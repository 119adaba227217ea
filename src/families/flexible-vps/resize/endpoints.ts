import { changesBetween } from '../../../kernel/audit/changes.ts';
import type { Call } from '../../../kernel/call.ts';
import { pendingOn } from '../../../kernel/operations/store.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { accepted, endpoint } from '../../../kernel/record.ts';
import { requireRoom } from '../../../resources/limits/require-room.ts';
import { effectOf } from '../power/actions.ts';
import { enterStatus } from '../power/status.ts';
import { exampleOperation } from '../vms/example.ts';
import { vmLife } from '../vms/lifecycle.ts';
import { showVm } from '../vms/present.ts';
import { vms } from '../vms/resource.ts';
import { exampleVm, Vm, VmId } from '../vms/schema.ts';
import { lockVm } from '../vms/store.ts';
import type { VmRow } from '../vms/table.ts';
import { askCapacity, growthOf, requireCapacity, requireLive } from './capacity.ts';
import { resizeVmKind } from './kind.ts';
import { type ResizeInput, ResizeVm } from './schema.ts';
import { isSame, missingTarget, requireSense, sizeOf, type Target, targetOf } from './target.ts';

const SHUTDOWN_SECONDS = 90;
const MB_PER_GB = 1024;

type ResizeCall = Call<{ readonly id: string }, unknown, ResizeVm>;

async function requireState({ db }: ResizeCall, row: VmRow): Promise<void> {
  const state = row.status;
  vmLife.require('resizeVm', state, { operation: (await pendingOn(db, [row.id])).get(row.id) });
  if (row.rescue_expires_at !== null) throw new Problem('vm_in_rescue', { extra: { current_state: state } });
}

async function requireQuota(call: ResizeCall, row: VmRow, { size }: Target): Promise<void> {
  const { vcpus, memoryMb } = growthOf(sizeOf(row), size);
  await requireRoom(call, [
    { limit: 'flexible-vps.vcpus', amount: vcpus },
    { limit: 'flexible-vps.memory-gb', amount: memoryMb / MB_PER_GB },
  ]);
}

function inputOf(body: ResizeVm, row: VmRow, { plan, size, configuration }: Target): ResizeInput {
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

export const resizeVm = endpoint({
  id: 'resizeVm',
  method: 'POST',
  path: '/flexible-vps/v1/vms/{id}/resize',
  summary: 'Resize a VM',
  description:
    'Stops the VM, changes vCPUs and memory, grows the disk and starts the VM, in this order. If a step fails, the changes are rolled back; only a grown disk stays. The disk grows only if you set `disk_gb`, so that you can go back to a smaller plan later.',
  permission: 'flexible-vps:vms:write',
  access: 'write',
  raisesCost: true,
  resource: { name: 'vm', role: 'action' },
  params: VmId,
  body: ResizeVm,
  missing: missingTarget,
  changes: {
    plan: '/plan',
    custom_size: '/custom_size',
    vcpus: '/custom_size/vcpus',
    memory_mb: '/custom_size/memory_mb',
    disk_gb: '/disk_gb',
  },
  answers: { 202: Vm },
  problems: [
    'operation_in_progress',
    'invalid_state',
    'resource_suspended',
    'vm_in_rescue',
    'live_resize_unavailable',
    'quota_exceeded',
    'capacity_unavailable',
    'placement_unsatisfiable',
  ],
  operation: resizeVmKind,
  example: {
    params: { id: exampleVm.id },
    body: { plan: 'flex-4-8', disk_gb: 160 },
    answer: {
      status: 202,
      body: { ...exampleVm, status: 'resizing', operation: exampleOperation('vm.resize', exampleVm) },
    },
  },
  prepare: askCapacity,
  async handle(call, asked) {
    const { db, caller, params, body, services, now, effect, start } = call;
    requireSense(body);
    const row = await lockVm(db, caller.account.id, params.id);
    await requireState(call, row);
    const target = targetOf(services, row, body, now);
    const resource = vms.ref(row);
    const input = inputOf(body, row, target);
    if (isSame(row, target)) {
      const operation = await start({ kind: resizeVmKind, input, resource, unchanged: true });
      effect({ action: 'none', ...resource });
      return accepted(await showVm(call, row, operation));
    }
    if (input.mode === 'live') requireLive(services, row, target, asked);
    await vms.lockNames(call);
    await requireQuota(call, row, target);
    requireCapacity(services, row, target, asked);
    const operation = await start({ kind: resizeVmKind, input, resource });
    const resizing = await enterStatus(db, row, 'resizing');
    effect({ action: 'update', ...resource, changes: changesOf(row, target) });
    const { configuration, runs_after } = input;
    const on_timeout = input.force_after_timeout ? 'force' : 'fail';
    if (input.mode !== 'live' && row.status === 'running')
      effect(effectOf({ type: runs_after ? 'restart' : 'shutdown', on_timeout }, resource));
    if (row.status !== 'running' && runs_after) effect(effectOf({ type: 'power_on', on_timeout }, resource));
    const status = runs_after ? 'running' : 'stopped';
    await vms.reportCost(call, [row], { configuration, status, is_billed: true });
    return accepted(await showVm(call, resizing, operation));
  },
});
