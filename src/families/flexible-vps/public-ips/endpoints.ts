import type { Call } from '../../../kernel/call.ts';
import { forGood, forNow } from '../../../kernel/effect.ts';
import { during } from '../../../kernel/operations/example.ts';
import type { Kind } from '../../../kernel/operations/kind.ts';
import { pendingOn, queueOf, type StoredOperation } from '../../../kernel/operations/store.ts';
import { type FieldError, invalid, Problem } from '../../../kernel/problems/problem.ts';
import { accepted, endpoint } from '../../../kernel/record.ts';
import {
  attachedAddresses,
  lockAddressIfThere,
  type PublicAddressRow,
} from '../../../resources/addresses/store.ts';
import { requireRoomIn } from '../../../resources/limits/require-room.ts';
import { requireFilter } from '../firewalls/checks.ts';
import { membershipsOf } from '../firewalls/members/store.ts';
import { ConfirmCutOff, requireConnected } from '../interface-changes/last-connection.ts';
import { readInterfaces } from '../interfaces/store.ts';
import { showVm } from '../vm-reading/present.ts';
import { vmLife } from '../vms/lifecycle.ts';
import { vms } from '../vms/resource.ts';
import { exampleVm, Vm, VmId } from '../vms/schema.ts';
import { lockVm, readVm } from '../vms/store.ts';
import type { VmRow } from '../vms/table.ts';
import { withoutEphemeral } from './address-price.ts';
import { attachPublicIpKind, detachPublicIpKind } from './kinds.ts';
import { AttachPublicIp, PublicIpId, textOf } from './schema.ts';

type Asking = Pick<Call, 'db' | 'caller' | 'services' | 'event'>;

const refuse = (code: FieldError['code'], detail: string) => invalid([{ pointer: '/ip_id', code, detail }]);

function refuseMisfit(vm: VmRow, address: PublicAddressRow, move: boolean): void {
  if (address.location !== vm.location)
    throw refuse(
      'location_mismatch',
      `The address is in ${address.location}, the machine in ${vm.location}.`,
    );
  if (address.vm_id === null || address.vm_id === vm.id) return;
  if (address.kind === 'ephemeral')
    throw refuse(
      'incompatible',
      'An ephemeral address cannot be moved to another machine; use a reserved address.',
    );
  if (!move)
    throw new Problem('already_attached', {
      detail: `The machine ${address.vm_id} has ${textOf(address)}.`,
      extra: { attached_to: address.vm_id },
    });
}

/** Checks the limits of the machine. Addresses whose attachment is still queued count as well. */
async function requirePlace(call: Asking, vm: VmRow, held: readonly PublicAddressRow[]): Promise<void> {
  const queued = await queueOf(call.db, [vm.id]);
  const coming = queued.filter(({ type }) => type === attachPublicIpKind.type).length;
  await requireRoomIn(call, 'flexible-vps.public-ips-per-vm', vm.id, { before: held.length + coming });
  const interfaces = await readInterfaces(call.db, [vm.id]);
  if (interfaces.some(({ kind }) => kind === 'public')) return;
  await requireRoomIn(call, 'flexible-vps.interfaces-per-vm', vm.id, { before: interfaces.length });
  // Firewalls of the whole machine apply to the new interface, too.
  const had = await membershipsOf(call.db, vm.id);
  if (had.some(({ interface_id }) => interface_id === null))
    requireFilter(call.services, vm.location, 'public');
}

const changeOf = (before: readonly PublicAddressRow[], after: readonly PublicAddressRow[]) => ({
  pointer: '/public_ips',
  before: before.map(textOf),
  after: after.map(textOf),
});

/** The pending operation that a repeated call follows instead of starting another one. */
const sameWork = (
  operation: StoredOperation | undefined,
  { type }: Kind,
  vm: VmRow,
): StoredOperation | undefined =>
  operation?.type === type && operation.resource_id === vm.id ? operation : undefined;

async function followed(call: Call, vm: VmRow, operation: StoredOperation) {
  call.effect({ action: 'none', ...vms.ref(vm) });
  call.follow(operation);
  return accepted(await showVm(call, vm, operation));
}

/** Checks that the machine that loses the address stays connected, and reports its loss. */
async function takeFrom(
  call: Pick<Call<unknown, unknown, AttachPublicIp>, 'db' | 'warn' | 'effect' | 'body'>,
  loser: VmRow,
  address: PublicAddressRow,
): Promise<void> {
  await requireConnected(
    call,
    { machines: [loser], taken: [address.id] },
    {
      given: call.body.confirm,
      pointer: '/confirm',
      subject: { type: 'machine that has the address', name: loser.name },
    },
  );
  call.effect({ action: 'detach', ...vms.ref(loser), loss: forNow(`The address ${textOf(address)}.`) });
}

const attachment = { name: 'vm_public_ip', member: 'public_ips', key: 'ip_id' } as const;

const attachVmPublicIp = endpoint({
  id: 'attachVmPublicIp',
  method: 'POST',
  path: '/flexible-vps/v1/vms/{id}/public-ips',
  summary: 'Attach a reserved public IP to a VM',
  description:
    'With `move`, the same operation detaches the address from the machine that has it; it waits for earlier operations on both machines. A machine without a public interface gets one. If the attachment fails, the address stays where it was. If the machine that loses the address would have no interface and no address left, `move` also needs `confirm`.',
  permission: 'flexible-vps:vm-networking:write',
  access: 'write',
  resource: { name: 'vm', role: 'action' },
  part: { ...attachment, role: 'create' },
  changes: { public_ips: '/ip_id', primary_ipv4: '/ip_id', primary_ipv6: '/ip_id' },
  params: VmId,
  body: AttachPublicIp,
  answers: { 202: Vm },
  problems: [
    'operation_in_progress',
    'operation_queue_full',
    'invalid_state',
    'resource_suspended',
    'already_attached',
    'quota_exceeded',
    'capability_missing',
  ],
  operation: attachPublicIpKind,
  example: {
    params: { id: exampleVm.id },
    body: { ip_id: 'ip_01jqzv2m7xe9rs5d3k8w4t6y0b', move: true },
    answer: {
      status: 202,
      body: during(attachPublicIpKind, exampleVm, {}),
    },
  },
  async handle(call) {
    const { db, caller, params, body } = call;
    const vm = await lockVm(db, caller.account.id, params.id);
    const address = await lockAddressIfThere(db, caller.account.id, body.ip_id);
    const pending = await pendingOn(db, [vm.id, body.ip_id]);
    vmLife.require('attachVmPublicIp', vm.status, { operation: pending.get(vm.id) });
    if (address === undefined) throw refuse('unknown_reference', 'There is no such address in this account.');
    refuseMisfit(vm, address, body.move === true);
    const resource = vms.ref(vm);
    const from = address.vm_id === vm.id ? null : address.vm_id;
    const start = { kind: attachPublicIpKind, input: { ip_id: address.id, from }, resource };
    if (address.vm_id === vm.id && !pending.has(address.id)) {
      call.effect({ action: 'none', ...resource });
      return accepted(await showVm(call, vm, await call.start({ ...start, unchanged: true })));
    }
    const working = sameWork(pending.get(address.id), attachPublicIpKind, vm);
    if (working !== undefined) return followed(call, vm, working);
    const held = await attachedAddresses(db, [vm.id]);
    await requirePlace(call, vm, held);
    call.effect({ action: 'attach', ...resource, changes: [changeOf(held, [...held, address])] });
    const loser = from === null ? undefined : await readVm(db, from);
    if (loser !== undefined) await takeFrom(call, loser, address);
    const subjects = [vm.id, ...(from === null ? [] : [from]), address.id];
    return accepted(await showVm(call, vm, await call.start({ ...start, subjects })));
  },
});

const detachVmPublicIp = endpoint({
  id: 'detachVmPublicIp',
  method: 'DELETE',
  path: '/flexible-vps/v1/vms/{id}/public-ips/{ip_id}',
  summary: 'Detach a public IP from a VM',
  description:
    'A reserved address stays in your account. An ephemeral address is released: the machine costs less without it, and no other account gets the address for 7 days. If the machine would have no interface and no address left, the call needs `confirm`.',
  permission: 'flexible-vps:vm-networking:write',
  access: 'write',
  resource: { name: 'vm', role: 'action' },
  part: { ...attachment, role: 'delete' },
  lowersCost: true,
  params: PublicIpId,
  query: ConfirmCutOff,
  answers: { 202: Vm },
  problems: ['operation_in_progress', 'operation_queue_full', 'invalid_state', 'resource_suspended'],
  operation: detachPublicIpKind,
  example: {
    params: { id: exampleVm.id, ip_id: 'ip_01jqzv2m7xe9rs5d3k8w4t6y0b' },
    answer: {
      status: 202,
      body: during(detachPublicIpKind, exampleVm, {}),
    },
  },
  async handle(call) {
    const { db, caller, params, query } = call;
    const vm = await lockVm(db, caller.account.id, params.id);
    const address = await lockAddressIfThere(db, caller.account.id, params.ip_id);
    if (address?.vm_id !== vm.id) throw new Problem('not_found');
    call.checkVersion(vms.etag(vm));
    const pending = await pendingOn(db, [vm.id, address.id]);
    const working = sameWork(pending.get(address.id), detachPublicIpKind, vm);
    if (working !== undefined) return followed(call, vm, working);
    vmLife.require('detachVmPublicIp', vm.status, { operation: pending.get(vm.id) });
    const resource = vms.ref(vm);
    const held = await attachedAddresses(db, [vm.id]);
    const left = held.filter(({ id }) => id !== address.id);
    await requireConnected(
      call,
      { machines: [vm], taken: [address.id] },
      { given: query.confirm, pointer: 'query/confirm', subject: { type: 'machine', name: vm.name } },
    );
    const isKept = address.kind === 'reserved';
    const loss = isKept
      ? forNow(`The address ${textOf(address)}, which stays in your account.`)
      : forGood(`The address ${textOf(address)}, which is released.`);
    call.effect({ action: 'detach', ...resource, loss, changes: [changeOf(held, left)] });
    await vms.reportCost(call, [vm], withoutEphemeral(vm, address));
    const started = await call.start({
      kind: detachPublicIpKind,
      input: { ip_id: address.id },
      resource,
      subjects: [vm.id, address.id],
    });
    return accepted(await showVm(call, vm, started));
  },
});

export const publicIpEndpoints = [attachVmPublicIp, detachVmPublicIp];
