import { forGood, forNow } from '../../../kernel/effect.ts';
import { during } from '../../../kernel/operations/example.ts';
import { child } from '../../../kernel/operations/kind.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { accepted, endpoint } from '../../../kernel/record.ts';
import { textOf } from '../../../resources/addresses/resource.ts';
import { lockAddressIfThere, type PublicAddressRow } from '../../../resources/addresses/store.ts';
import { ConfirmCutOff } from '../interface-changes/last-connection.ts';
import { showVm } from '../vm-reading/present.ts';
import { vms } from '../vms/resource.ts';
import { exampleVm, Vm, VmId } from '../vms/schema.ts';
import { lockVm } from '../vms/store.ts';
import { attach, detach, refuse } from './acceptance.ts';
import { attachPublicIpKind, detachPublicIpKind } from './kinds.ts';
import { AttachPublicIp, PublicIpId } from './schema.ts';

const changeOf = (before: readonly PublicAddressRow[], after: readonly PublicAddressRow[]) => ({
  pointer: '/public_ips',
  before: before.map(textOf),
  after: after.map(textOf),
});

const lossOf = (address: PublicAddressRow) =>
  address.kind === 'ephemeral'
    ? forGood(`The address ${textOf(address)}, which is released.`)
    : forNow(`The address ${textOf(address)}, which stays in your account.`);

const attachment = { name: 'vm_public_ip', member: 'public_ips', key: 'ip_id' } as const;

const attachVmPublicIp = endpoint({
  id: 'attachVmPublicIp',
  method: 'POST',
  path: '/flexible-vps/v1/vms/{id}/public-ips',
  summary: 'Attach a reserved public IP to a machine',
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
    if (address === undefined)
      throw refuse('/ip_id', 'unknown_reference', 'There is no such address in this account.');
    const operation = await attach(
      call,
      { vm, address, move: body.move === true, confirm: body.confirm },
      {
        endpointId: 'attachVmPublicIp',
        pointer: '/ip_id',
        start: (from) =>
          child({ kind: attachPublicIpKind, input: { ip_id: address.id, from }, resource: vms.ref(vm) }),
        report(held) {
          const changes = held === null ? undefined : [changeOf(held, [...held, address])];
          const action = held === null ? 'none' : 'attach';
          call.effect({ action, ...vms.ref(vm), ...(changes && { changes }) });
        },
      },
    );
    return accepted(await showVm(call, vm, operation));
  },
});

const detachVmPublicIp = endpoint({
  id: 'detachVmPublicIp',
  method: 'DELETE',
  path: '/flexible-vps/v1/vms/{id}/public-ips/{ip_id}',
  summary: 'Detach a public IP from a machine',
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
    const operation = await detach(
      call,
      { vm, address },
      {
        endpointId: 'detachVmPublicIp',
        confirm: { given: query.confirm, pointer: 'query/confirm' },
        start: () => child({ kind: detachPublicIpKind, input: { ip_id: address.id }, resource: vms.ref(vm) }),
        report(held) {
          if (held === null) return call.effect({ action: 'none', ...vms.ref(vm) });
          const left = held.filter(({ id }) => id !== address.id);
          const changes = [changeOf(held, left)];
          call.effect({ action: 'detach', ...vms.ref(vm), loss: lossOf(address), changes });
        },
      },
    );
    return accepted(await showVm(call, vm, operation));
  },
});

export const publicIpEndpoints = [attachVmPublicIp, detachVmPublicIp];
