import { exampleOperation } from '../../../kernel/operations/example.ts';
import { OperationView, presentOperation } from '../../../kernel/operations/schema.ts';
import { accepted, endpoint } from '../../../kernel/record.ts';
import { Shape } from '../../../kernel/schema.ts';
import { vms } from '../vms/resource.ts';
import { exampleVm, VmId } from '../vms/schema.ts';
import { lockVm } from '../vms/store.ts';
import { askPlace, beginAction, changeNothing, judge, requirePlace } from './acceptance.ts';
import { actionMembers, actionOf, effectOf, wantedOf } from './actions.ts';
import { powerKinds } from './kinds.ts';

export const performVmAction = endpoint({
  id: 'performVmAction',
  method: 'POST',
  path: '/flexible-vps/v1/vms/{id}/actions',
  summary: 'Start, stop or restart a machine',
  description:
    '`shutdown` and `restart` force the machine off only if `on_timeout` is `force`. If the machine already is in the wanted state, the operation ends at once with `result.changed` false. A stopped machine costs less than a running one: `price_stopped` and `price_running` of the machine, and the dry run, say how much.',
  permission: 'flexible-vps:vm-power:write',
  access: 'write',
  resource: { name: 'vm', role: 'action' },
  raisesCost: 'sometimes',
  changes: { status: '/type' },
  params: VmId,
  body: Shape(actionMembers),
  answers: { 202: OperationView },
  problems: [
    'operation_in_progress',
    'invalid_state',
    'vm_not_running',
    'resource_suspended',
    'placement_unsatisfiable',
    'capacity_unavailable',
  ],
  operation: powerKinds.shutdown,
  example: {
    params: { id: exampleVm.id },
    body: { type: 'shutdown', timeout_seconds: 120, on_timeout: 'force' },
    answer: { status: 202, body: exampleOperation(powerKinds.shutdown, exampleVm) },
  },
  prepare: askPlace,
  async handle(call, place) {
    const { db, caller, params, body, services, effect, start } = call;
    const row = await lockVm(db, caller.account.id, params.id);
    const action = actionOf(body);
    const verdict = await judge(db, row, action);
    if (verdict === 'unchanged') {
      const operation = await start(changeNothing(row, action));
      effect({ action: 'none', ...vms.ref(row) });
      return accepted(presentOperation(operation, services.baseUrl));
    }
    if (place !== null) requirePlace(row, place);
    await vms.reportCost(call, [row], { status: wantedOf[action.type], is_billed: true });
    const operation = await beginAction(db, row, action, start);
    effect(effectOf(action, vms.ref(row)));
    return accepted(presentOperation(operation, services.baseUrl));
  },
});
