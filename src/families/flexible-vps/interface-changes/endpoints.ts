import { dateFilters, List, ListQuery } from '../../../kernel/pages/list.ts';
import { endpoint, ok } from '../../../kernel/record.ts';
import { Type } from '../../../kernel/schema.ts';
import { interfaceLife } from '../interfaces/lifecycle.ts';
import { exampleInterface, Interface, InterfaceKind, presentInterface } from '../interfaces/schema.ts';
import { listInterfaces } from '../interfaces/store.ts';
import { NetworkRef } from '../references.ts';
import { VmId } from '../vms/schema.ts';
import { findVm } from '../vms/store.ts';
import { attachVmInterface } from './attach.ts';
import { detachVmInterface } from './detach.ts';
import { updateVmInterface } from './update.ts';

const listVmInterfaces = endpoint({
  id: 'listVmInterfaces',
  method: 'GET',
  path: '/flexible-vps/v1/vms/{id}/interfaces',
  summary: 'List the interfaces of a machine',
  description: 'The public interface and the interfaces in private networks, with their addresses.',
  permission: 'flexible-vps:vm-networking:read',
  access: 'read',
  resource: { name: 'interface', role: 'list' },
  params: VmId,
  query: ListQuery(
    {
      kind: Type.Optional({ ...InterfaceKind, description: 'Only interfaces of this kind.' }),
      network_id: Type.Optional({ ...NetworkRef, description: 'Only the interface in this network.' }),
      status: Type.Optional({ ...interfaceLife.Status, description: 'Only interfaces in this state.' }),
      ...dateFilters,
    },
    { sort: ['-created_at', 'created_at', '-updated_at', 'updated_at', 'index', '-index'] },
  ),
  answers: { 200: List(Interface) },
  problems: [],
  example: {
    params: { id: exampleInterface.vm_id },
    answer: { status: 200, body: { data: [exampleInterface], next_cursor: null } },
  },
  async handle(call) {
    const { db, caller, params, services } = call;
    const { rows, nextCursor } = await listInterfaces(call, params.id, call.query);
    if (rows.length === 0) await findVm(db, caller.account.id, params.id);
    return ok({
      data: rows.map(({ row, operation }) =>
        presentInterface(row, row.addresses, operation, services.baseUrl),
      ),
      next_cursor: nextCursor,
    });
  },
});

export const interfaceEndpoints = [listVmInterfaces, attachVmInterface, updateVmInterface, detachVmInterface];
