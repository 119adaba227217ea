import { during } from '../../../kernel/operations/example.ts';
import { pendingOn } from '../../../kernel/operations/store.ts';
import { accepted, endpoint } from '../../../kernel/record.ts';
import { showVm } from '../vm-reading/present.ts';
import { vms } from '../vms/resource.ts';
import { exampleVm, Vm, VmId } from '../vms/schema.ts';
import { lockVm } from '../vms/store.ts';
import { acceptResize, inputOf, requireResizable } from './acceptance.ts';
import { askCapacity } from './capacity.ts';
import { resizeVmKind } from './kind.ts';
import { ResizeVm } from './schema.ts';
import { isSame, missingTarget, requireSense, targetOf } from './target.ts';

export const resizeVm = endpoint({
  id: 'resizeVm',
  method: 'POST',
  path: '/flexible-vps/v1/vms/{id}/resize',
  summary: 'Resize a machine',
  description:
    'Stops the machine, changes vCPUs and memory, grows the disk and starts the machine, in this order. If a step fails, the changes are rolled back; only a grown disk stays. The disk grows only if you set `disk_gb`, so that you can go back to a smaller plan later.',
  permission: 'flexible-vps:vms:write',
  access: 'write',
  raisesCost: true,
  resource: { name: 'vm', role: 'action' },
  params: VmId,
  body: ResizeVm,
  missing: missingTarget,
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
      body: during(resizeVmKind, exampleVm, { status: 'resizing' }),
    },
  },
  prepare: (call) => askCapacity(call, () => call.body),
  async handle(call, asked) {
    const { db, caller, params, body, services, now, effect, start } = call;
    requireSense(body);
    const row = await lockVm(db, caller.account.id, params.id);
    requireResizable(row, (await pendingOn(db, [row.id])).get(row.id));
    const target = targetOf(services, row, body, now);
    if (!isSame(row, target)) return accepted(await acceptResize(call, row, { body, target, asked }));
    const resource = vms.ref(row);
    const input = inputOf(body, row, target);
    const operation = await start({ kind: resizeVmKind, input, resource, unchanged: true });
    effect({ action: 'none', ...resource });
    return accepted(await showVm(call, row, operation));
  },
});
