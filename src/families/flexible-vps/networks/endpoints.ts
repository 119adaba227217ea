import { ResourceQuery } from '../../../kernel/listing/query.ts';
import { Type } from '../../../kernel/schema.ts';
import { listOf, readOf } from '../../../resources/records/records.ts';
import { locationFor } from '../catalog/fitting.ts';
import { ForVm, ForVpnGateway, LocationRef } from '../references.ts';
import { createVpsNetwork } from './create.ts';
import { networkExample } from './example.ts';
import { networkLife } from './lifecycle.ts';
import { networkView, presentInUse } from './present.ts';
import { addressesInUse, reachableFrom, withoutVm } from './store.ts';
import { updateVpsNetwork } from './update.ts';

const listVpsNetworks = listOf(networkView, {
  id: 'listVpsNetworks',
  summary: 'List private networks',
  query: ResourceQuery({
    location: Type.Optional({ ...LocationRef, description: 'Only networks of this location.' }),
    status: Type.Optional({ ...networkLife.Status, description: 'Only networks in this state.' }),
    for_vm: ForVm,
    for_vpn_gateway: ForVpnGateway,
  }),
  where: async (call) => ({ location: await locationFor(call, call.query), status: call.query.status }),
  also: ({ for_vm, for_vpn_gateway }) => [...withoutVm(for_vm), ...reachableFrom(for_vpn_gateway)],
});

const getVpsNetwork = readOf(networkView, {
  id: 'getVpsNetwork',
  summary: 'Get a private network',
  description: 'The answer also contains the routes and the addresses in use.',
  example: {
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
  reads: { held: addressesInUse },
  more: (row) => ({ in_use: presentInUse(row, row.held) }),
});

export const networkEndpoints = [listVpsNetworks, createVpsNetwork, getVpsNetwork, updateVpsNetwork];
