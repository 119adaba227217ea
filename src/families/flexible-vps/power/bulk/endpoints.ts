import type { Call } from '../../../../kernel/call.ts';
import { exampleOperation } from '../../../../kernel/operations/example.ts';
import { OperationView, presentOperation } from '../../../../kernel/operations/schema.ts';
import { parseLabelSelector } from '../../../../kernel/pages/label-selector.ts';
import { type FieldError, invalid } from '../../../../kernel/problems/problem.ts';
import { type AnyObject, accepted, endpoint } from '../../../../kernel/record.ts';
import { advanced, label, Shape, type Static, Type, unlessSent } from '../../../../kernel/schema.ts';
import { VmRef } from '../../references.ts';
import { vms } from '../../vms/resource.ts';
import { exampleVm } from '../../vms/schema.ts';
import type { VmRow } from '../../vms/table.ts';
import { changing } from '../acceptance.ts';
import { actionMembers, actionOf, deadlineOf, effectOf, wantedOf } from '../actions.ts';
import { findTargets, selectTargets } from '../store.ts';
import { bulkPowerKind } from './kind.ts';

const MOST_VMS = 100;
const MAX_PARALLEL = 5;

const BulkAction = Shape({
  ...actionMembers,
  vm_ids: Type.Optional(
    Type.Array(VmRef, {
      minItems: 1,
      maxItems: MOST_VMS,
      uniqueItems: true,
      ...label('Machines'),
      ...unlessSent('label_selector'),
      description: 'The machines to act on. Required without `label_selector`.',
    }),
  ),
  label_selector: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1000,
      ...unlessSent('vm_ids'),
      description:
        'Acts on the 1 to 100 machines that match when the call is accepted. Send it without `vm_ids`.',
    }),
  ),
  max_parallel: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 20,
      default: MAX_PARALLEL,
      ...label('At the same time'),
      ...advanced,
      description: 'How many machines are worked on at the same time.',
    }),
  ),
  stop_on_failure: Type.Optional(
    Type.Boolean({
      default: false,
      ...advanced,
      description: 'Whether to start no further machines after one has failed.',
    }),
  ),
});
type BulkAction = Static<typeof BulkAction>;

const refuse = (pointer: string, code: FieldError['code'], detail: string) =>
  invalid([{ pointer, code, detail }]);

async function namedTargets(
  { db, caller }: Pick<Call, 'db' | 'caller'>,
  ids: readonly string[],
): Promise<VmRow[]> {
  const found = await findTargets(db, caller.account.id, ids);
  const known = new Map(found.map((target) => [target.id, target]));
  const missing = ids.flatMap((id, i): FieldError[] =>
    known.has(id)
      ? []
      : [
          {
            pointer: `/vm_ids/${i}`,
            code: 'unknown_reference',
            detail: 'There is no such machine in this account.',
          },
        ],
  );
  if (missing.length > 0) throw invalid(missing);
  return ids.flatMap((id) => known.get(id) ?? []);
}

async function selectedTargets({ db, caller }: Pick<Call, 'db' | 'caller'>, text: string): Promise<VmRow[]> {
  const pointer = '/label_selector';
  const selector = parseLabelSelector(text, pointer);
  const found = await selectTargets(db, caller.account.id, selector, MOST_VMS + 1);
  if (found.length === 0) throw refuse(pointer, 'out_of_range', 'No machine matches this selector.');
  if (found.length > MOST_VMS)
    throw refuse(pointer, 'out_of_range', `More than ${MOST_VMS} machines match this selector.`);
  return found;
}

const missingTargets = ({ vm_ids, label_selector }: AnyObject): FieldError[] =>
  vm_ids === undefined && label_selector === undefined
    ? [{ pointer: '/vm_ids', code: 'required', detail: 'Give vm_ids or label_selector.' }]
    : [];

function targetsOf(
  call: Pick<Call, 'db' | 'caller'>,
  { vm_ids, label_selector }: BulkAction,
): Promise<VmRow[]> {
  if (vm_ids !== undefined && label_selector !== undefined)
    throw refuse('/label_selector', 'mutually_exclusive', 'Give either vm_ids or label_selector, not both.');
  if (vm_ids !== undefined) return namedTargets(call, vm_ids);
  if (label_selector !== undefined) return selectedTargets(call, label_selector);
  throw invalid(missingTargets({}));
}

export const performBulkVmAction = endpoint({
  id: 'performBulkVmAction',
  method: 'POST',
  path: '/flexible-vps/v1/bulk-actions',
  summary: 'Start, stop or restart many machines',
  description:
    'Starts one child operation for each machine; the answer is the parent operation. If a machine cannot take the action, its child fails with the same code that a separate call would return. The parent fails if any child fails.',
  permission: 'flexible-vps:vm-power:write',
  access: 'write',
  resource: { name: 'vm', role: 'action' },
  raisesCost: 'sometimes',
  body: BulkAction,
  missing: missingTargets,
  answers: { 202: OperationView },
  problems: [],
  operation: bulkPowerKind,
  example: {
    params: {},
    body: { type: 'restart', vm_ids: [exampleVm.id], max_parallel: 2 },
    answer: {
      status: 202,
      body: {
        ...exampleOperation(bulkPowerKind, exampleVm),
        resource: { type: 'vm', id: null, name: null },
      },
    },
  },
  async handle(call) {
    const { body, services, effect, start } = call;
    const targets = await targetsOf(call, body);
    const action = actionOf(body);
    const max_parallel = body.max_parallel ?? MAX_PARALLEL;
    const rounds = Math.ceil(targets.length / max_parallel);
    const operation = await start({
      kind: bulkPowerKind,
      deadlineSeconds: rounds * deadlineOf(action),
      input: {
        action,
        vms: targets.map(({ id, name }) => ({ id, name })),
        max_parallel,
        stop_on_failure: body.stop_on_failure ?? false,
      },
      resource: { type: 'vm', id: null, name: null },
    });
    for (const vm of targets) effect(effectOf(action, vms.ref(vm)));
    const wanted = { status: wantedOf[action.type], is_billed: true };
    await vms.reportCost(call, await changing(call.db, targets, action), wanted);
    return accepted(presentOperation(operation, services.baseUrl));
  },
});
