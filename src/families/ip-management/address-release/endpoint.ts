import { Confirm } from '../../../kernel/confirmation.ts';
import { forGood } from '../../../kernel/effect.ts';
import { pendingOn } from '../../../kernel/operations/store.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { Shape, Type, when } from '../../../kernel/schema.ts';
import { setStatus } from '../../../resources/addresses/holding/store.ts';
import { addressLife } from '../../../resources/addresses/lifecycle.ts';
import { addresses, textOf } from '../../../resources/addresses/resource.ts';
import { QUARANTINE_DAYS } from '../../../resources/addresses/store.ts';
import type { PublicAddressRow } from '../../../resources/addresses/table.ts';
import { refuseUsed } from '../../../resources/owned/refuse-used.ts';
import { writeOf } from '../../../resources/records/records.ts';
import { lockHolderOf, requireStaysConnected, type VmRow, vmLife, vms } from '../../flexible-vps/offers.ts';
import { addressView } from '../addresses/present.ts';
import { readWhole } from '../addresses/store.ts';
import { releaseAddressKind } from './kind.ts';

const ReleaseQuery = Shape({
  detach: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Whether the address is taken from the machine that has it. Otherwise it is not released.',
    }),
  ),
  confirm: Confirm(
    'The current name of the machine that has the address: required if `detach` would leave it without an interface and an address.',
    when('detach', true),
  ),
});

function refuseKept({ kind, protected: isProtected }: PublicAddressRow): void {
  if (kind === 'ephemeral') throw new Problem('not_releasable');
  if (isProtected) throw new Problem('resource_protected');
}

function refuseAssigned(vm: VmRow | undefined, detach: boolean): void {
  if (vm === undefined || detach) return;
  refuseUsed([{ type: vms.type, id: vm.id, name: vm.name }], {
    detail: `The machine ${vm.name} has the address.`,
    nextStep: 'Unassign the address first, or repeat the call with detach=true.',
  });
}

export const releaseAddress = writeOf(addressView, 'delete', {
  id: 'releaseAddress',
  summary: 'Release a public address',
  description: `Nobody else gets the address for ${QUARANTINE_DAYS} days; within this time \`reserveAddress\` takes it back with \`address\`.`,
  query: ReleaseQuery,
  lowersCost: true,
  problems: [
    'resource_protected',
    'not_releasable',
    'resource_in_use',
    'invalid_state',
    'resource_suspended',
    'operation_in_progress',
    'operation_queue_full',
  ],
  kind: releaseAddressKind,
  example: { query: { detach: true }, answer: { status: 'releasing', assignment: null } },
  async handle(call) {
    const { db, params, query } = call;
    const { detach = false, confirm } = query as { detach?: boolean; confirm?: string };
    const vm = await lockHolderOf(call, params.id);
    const before = await addresses.take(call, params.id);
    const pending = await pendingOn(db, [before.id, ...(vm === undefined ? [] : [vm.id])]);
    const operation = pending.get(before.id);
    if (operation?.type === releaseAddressKind.type) {
      call.follow(operation);
      call.effect({ action: 'none', ...addresses.ref(before) });
      return { row: await whole(call.db, before), operation };
    }
    refuseKept(before);
    addressLife.require('releaseAddress', before.status, { operation });
    const holder = before.vm_id === null ? undefined : vm;
    refuseAssigned(holder, detach);
    if (holder !== undefined) {
      vmLife.require('detachVmPublicIp', holder.status, { operation: pending.get(holder.id) });
      const confirming = { given: confirm, pointer: 'query/confirm' } as const;
      await requireStaysConnected(call, { vm: holder, address: before }, confirming);
    }
    await addresses.reportCost(call, [before], null);
    const what = `The address ${textOf(before)}. It can be taken back for ${QUARANTINE_DAYS} days.`;
    call.effect({ action: 'delete', ...addresses.ref(before), loss: forGood(what) });
    const changed = await setStatus(db, before.id, 'releasing');
    const started = await call.start({
      kind: releaseAddressKind,
      input: { vm_id: before.vm_id, failed: before.status === 'error' },
      resource: addresses.ref(before),
      subjects: [before.id, ...(before.vm_id === null ? [] : [before.vm_id])],
    });
    return { row: await whole(db, changed ?? before), operation: started };
  },
});

async function whole(db: Parameters<typeof readWhole>[0], { id }: PublicAddressRow) {
  const row = await readWhole(db, id);
  if (row === undefined) throw new Problem('not_found');
  return row;
}
