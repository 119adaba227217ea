import { forNow } from '../../../kernel/effect.ts';
import { pendingOn } from '../../../kernel/operations/store.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { accepted, endpoint } from '../../../kernel/record.ts';
import { exampleWork } from '../interfaces/example.ts';
import { interfaceLife } from '../interfaces/lifecycle.ts';
import {
  exampleInterface,
  Interface,
  InterfaceId,
  interfaceEtag,
  interfaceRef,
  presentInterface,
} from '../interfaces/schema.ts';
import { lockInterface, updateInterface } from '../interfaces/store.ts';
import { vmLife } from '../vms/lifecycle.ts';
import { lockVm, updateVm } from '../vms/store.ts';
import { detachInterfaceKind } from './kinds.ts';
import { ConfirmCutOff, requireConnected } from './last-connection.ts';

export const detachVmInterface = endpoint({
  id: 'detachVmInterface',
  method: 'DELETE',
  path: '/flexible-vps/v1/vms/{id}/interfaces/{interface_id}',
  summary: 'Detach a machine from a private network',
  description:
    'The addresses of the interface in the network become free. The public interface cannot be detached; detach its public IPs instead. If the machine would have no interface and no address left, the call needs `confirm`.',
  permission: 'flexible-vps:vm-networking:write',
  access: 'write',
  resource: { name: 'interface', role: 'delete' },
  params: InterfaceId,
  query: ConfirmCutOff,
  answers: { 202: Interface },
  problems: ['operation_in_progress', 'operation_queue_full', 'invalid_state', 'resource_suspended'],
  operation: detachInterfaceKind,
  example: {
    params: { id: exampleInterface.vm_id, interface_id: exampleInterface.id },
    answer: {
      status: 202,
      body: {
        ...exampleInterface,
        status: 'detaching',
        operation: exampleWork('detach'),
      },
    },
  },
  async handle(call) {
    const { db, caller, params, query, services } = call;
    const vm = await lockVm(db, caller.account.id, params.id);
    const row = await lockInterface(db, caller.account.id, vm.id, params.interface_id);
    call.checkVersion(interfaceEtag(row));
    const pending = await pendingOn(db, [vm.id, row.id]);
    vmLife.require('detachVmInterface', vm.status, { operation: pending.get(vm.id) });
    const leaving = pending.get(row.id);
    // A second detachment follows the pending one.
    if (leaving?.type === detachInterfaceKind.type) {
      call.effect({ action: 'none', ...interfaceRef(row) });
      call.follow(leaving);
      return accepted(presentInterface(row, row.addresses, leaving, services.baseUrl));
    }
    if (row.kind === 'public')
      throw new Problem('invalid_state', {
        detail: 'The public interface cannot be detached, only its addresses.',
        nextStep: 'Detach its addresses with DELETE /flexible-vps/v1/vms/{id}/public-ips/{ip_id} instead.',
        extra: { current_state: row.status, allowed_states: [] },
      });
    interfaceLife.require('detachVmInterface', row.status, {
      operation: leaving ?? pending.get(vm.id),
    });
    await requireConnected(
      call,
      { machines: [vm], taken: [row.id] },
      { given: query.confirm, pointer: 'query/confirm', subject: { type: 'machine', name: vm.name } },
    );
    await updateVm(db, vm.id, {});
    await updateInterface(db, row.id, { status: 'detaching' });
    const resource = interfaceRef(row);
    const operation = await call.start({
      kind: detachInterfaceKind,
      input: { interface_id: row.id },
      resource,
      subjects: [vm.id, row.id],
    });
    const { ipv4, ipv6, aliases } = row.addresses;
    const held = [ipv4, ipv6, ...aliases].filter((address) => address !== null).join(', ');
    call.effect({
      action: 'detach',
      ...resource,
      loss: forNow(`The interface of "${vm.name}" with the addresses ${held}.`),
    });
    const changed = await lockInterface(db, vm.account_id, vm.id, row.id);
    return accepted(presentInterface(changed, changed.addresses, operation, services.baseUrl));
  },
});
