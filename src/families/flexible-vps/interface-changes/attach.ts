import type { Call } from '../../../kernel/call.ts';
import { forNow } from '../../../kernel/effect.ts';
import { pendingOn } from '../../../kernel/operations/store.ts';
import { invalid } from '../../../kernel/problems/problem.ts';
import { accepted, endpoint } from '../../../kernel/record.ts';
import { checkMachine } from '../firewalls/machine-firewalls.ts';
import { exampleWork } from '../interfaces/example.ts';
import {
  AttachInterface,
  exampleInterface,
  Interface,
  interfaceRef,
  presentInterface,
} from '../interfaces/schema.ts';
import { readHolders, readInterfaces, updateInterface } from '../interfaces/store.ts';
import { lockNetwork } from '../networks/store.ts';
import type { NetworkRow } from '../networks/table.ts';
import { vmLife } from '../vms/lifecycle.ts';
import { VmId } from '../vms/schema.ts';
import { lockVm, lockVmIfThere, updateVm } from '../vms/store.ts';
import type { VmRow } from '../vms/table.ts';
import { attachInterfaceKind } from './kinds.ts';
import { addInterface, requireJoinable } from './network-membership.ts';
import { checkAddresses, holdAliases, holdOwn, readableAliases } from './private-addresses.ts';

type Asking = Pick<Call, 'db' | 'caller'>;

/**
 * Locks the machine and the machines that may lose an alias to it, in the order of their ids. The fixed order
 * prevents a deadlock between two calls that take aliases from each other.
 */
export async function lockWithHolders(
  { db, caller }: Asking,
  vmId: string,
  network: NetworkRow | undefined,
  aliases: readonly string[],
): Promise<VmRow> {
  const holders = network === undefined ? [] : await readHolders(db, network.id, aliases);
  for (const id of [...new Set([vmId, ...holders.flatMap(({ vm_id }) => vm_id ?? [])])].sort())
    await lockVmIfThere(db, caller.account.id, id);
  return lockVm(db, caller.account.id, vmId);
}

/** Increases the versions of the interfaces that lost an alias, and of their machines. Returns the machine ids. */
export async function noteTaken(
  { db }: Pick<Asking, 'db'>,
  taken: readonly { readonly interface_id: string }[],
): Promise<string[]> {
  const vms: string[] = [];
  for (const { interface_id } of taken) {
    const row = await updateInterface(db, interface_id, {});
    if (row === undefined) continue;
    await updateVm(db, row.vm_id, {});
    vms.push(row.vm_id);
  }
  return vms;
}

export const attachVmInterface = endpoint({
  id: 'attachVmInterface',
  method: 'POST',
  path: '/flexible-vps/v1/vms/{id}/interfaces',
  summary: 'Attach a machine to a private network',
  description:
    'The machine may be running; images with cloud-init configure the new interface by themselves. The operation waits until earlier operations on the machine have ended.',
  permission: 'flexible-vps:vm-networking:write',
  access: 'write',
  resource: { name: 'interface', role: 'create' },
  changes: { interfaces: '/network_id' },
  params: VmId,
  body: AttachInterface,
  answers: { 202: Interface },
  problems: [
    'operation_in_progress',
    'operation_queue_full',
    'invalid_state',
    'resource_suspended',
    'already_attached',
    'address_taken',
    'cidr_overlap',
    'quota_exceeded',
    'capability_missing',
  ],
  operation: attachInterfaceKind,
  example: {
    params: { id: exampleInterface.vm_id },
    body: { network_id: 'net_01jqzv2m7xe9rs5d3k8w4t6y0b' },
    answer: {
      status: 202,
      body: {
        ...exampleInterface,
        status: 'attaching',
        provisioned_at: null,
        operation: exampleWork('attach'),
      },
    },
  },
  async handle(call) {
    const { db, caller, params, body, services } = call;
    const network = await lockNetwork(db, caller.account.id, body.network_id);
    const movable = body.move_aliases ? readableAliases(body.alias_ips) : [];
    const vm = await lockWithHolders(call, params.id, network, movable);
    const operation = (await pendingOn(db, [vm.id])).get(vm.id);
    vmLife.require('attachVmInterface', vm.status, { operation });
    if (network === undefined) {
      const detail = 'There is no such network in this account.';
      throw invalid([{ pointer: '/network_id', code: 'unknown_reference', detail }]);
    }
    const present = await readInterfaces(db, [vm.id]);
    await requireJoinable(call, vm, network, present);
    const wanted = checkAddresses(network, body);
    const { id, mac } = await addInterface(db, vm, present, network, body);
    await holdOwn(db, network, { id, mac }, wanted);
    const taken = await holdAliases(db, { network, id }, wanted.aliases, body.move_aliases === true);
    const losers = await noteTaken(call, taken);
    await updateVm(db, vm.id, {});
    await checkMachine(call, vm.id, '/network_id');
    const resource = interfaceRef({ id });
    const started = await call.start({
      kind: attachInterfaceKind,
      input: { interface_id: id, taken },
      resource,
      subjects: [...new Set([vm.id, ...losers, id])],
    });
    call.effect({ action: 'create', ...resource });
    for (const { interface_id } of taken)
      call.effect({
        action: 'update',
        ...interfaceRef({ id: interface_id }),
        loss: forNow('The aliases that move to the other interface.'),
      });
    const row = (await readInterfaces(db, [vm.id])).find((each) => each.id === id);
    if (row === undefined) throw new Error(`The interface ${id} was just created.`);
    return accepted(presentInterface(row, row.addresses, started, services.baseUrl));
  },
});
