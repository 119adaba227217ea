import { ResourceQuery } from '../../../kernel/listing/query.ts';
import { List } from '../../../kernel/pages/list.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { endpoint, ok } from '../../../kernel/record.ts';
import { Type } from '../../../kernel/schema.ts';
import { locationFor } from '../catalog/fitting.ts';
import { ForVm, ForVpnGateway, LocationRef } from '../references.ts';
import { createVpsNetwork } from './create.ts';
import { networkExample } from './example.ts';
import { networkLife } from './lifecycle.ts';
import { presentInUse, presentNetwork } from './present.ts';
import { Network, NetworkId } from './schema.ts';
import { findNetwork, listNetworks } from './store.ts';
import { updateVpsNetwork } from './update.ts';

const listVpsNetworks = endpoint({
  id: 'listVpsNetworks',
  method: 'GET',
  path: '/flexible-vps/v1/networks',
  summary: 'List private networks',
  permission: 'flexible-vps:networks:read',
  access: 'read',
  resource: { name: 'network', role: 'list' },
  query: ResourceQuery({
    location: Type.Optional({ ...LocationRef, description: 'Only networks of this location.' }),
    status: Type.Optional({ ...networkLife.Status, description: 'Only networks in this state.' }),
    for_vm: ForVm,
    for_vpn_gateway: ForVpnGateway,
  }),
  answers: { 200: List(Network) },
  problems: [],
  example: { answer: { status: 200, body: { data: [networkExample], next_cursor: null } } },
  async handle(call) {
    const location = await locationFor(call, call.query);
    const { rows, nextCursor } = await listNetworks(call, 'listVpsNetworks', { ...call.query, location });
    return ok({
      data: rows.map((row) => presentNetwork(call, row)),
      next_cursor: nextCursor,
    });
  },
});

const getVpsNetwork = endpoint({
  id: 'getVpsNetwork',
  method: 'GET',
  path: '/flexible-vps/v1/networks/{id}',
  summary: 'Get a private network',
  description: 'The answer also contains the routes and the addresses in use.',
  permission: 'flexible-vps:networks:read',
  access: 'read',
  resource: { name: 'network', role: 'read' },
  params: NetworkId,
  answers: { 200: Network },
  problems: [],
  example: {
    params: { id: networkExample.id },
    answer: {
      status: 200,
      body: {
        ...networkExample,
        in_use: [
          { address: '10.10.0.1', type: 'gateway', id: networkExample.id, interface_id: null },
          {
            address: '10.10.0.20',
            type: 'vm',
            id: 'vm_01jqzv2m7xe9rs5d3k8w4t6y0b',
            interface_id: 'nic_01jqzv2m7xe9rs5d3k8w4t6y0b',
          },
        ],
      },
    },
  },
  async handle(call) {
    const row = await findNetwork(call.db, call.caller.account.id, call.params.id);
    if (row === undefined) throw new Problem('not_found');
    return ok({
      ...presentNetwork(call, row),
      in_use: presentInUse(row, row.in_use),
    });
  },
});

export const networkEndpoints = [listVpsNetworks, createVpsNetwork, getVpsNetwork, updateVpsNetwork];
