import { ResourceQuery } from '../../../kernel/listing/query.ts';
import { Type } from '../../../kernel/schema.ts';
import { deletionOf } from '../../../resources/records/deletion.ts';
import { listOf, readOf } from '../../../resources/records/records.ts';
import { LocationRef, NetworkRef } from '../references.ts';
import { createVpnGateway } from './create.ts';
import { deleteGatewayKind } from './kinds.ts';
import { vpnGatewayLife } from './lifecycle.ts';
import { gatewayView } from './present.ts';
import { vpnGateways } from './resource.ts';
import { leadsInto, readParts } from './store.ts';

const listVpnGateways = listOf(gatewayView, {
  id: 'listVpnGateways',
  query: ResourceQuery({
    location: Type.Optional({ ...LocationRef, description: 'Only gateways of this location.' }),
    status: Type.Optional({ ...vpnGatewayLife.Status, description: 'Only gateways in this state.' }),
    network_id: Type.Optional({ ...NetworkRef, description: 'Only gateways that lead into this network.' }),
  }),
  where: ({ query: { location, status } }) => ({ location, status }),
  also: ({ network_id }) => (network_id === undefined ? [] : [leadsInto(network_id)]),
});

const getVpnGateway = readOf(gatewayView, {
  id: 'getVpnGateway',
  description: 'The answer has the address that peers connect to, and the public key of the gateway.',
});

const deleteVpnGateway = deletionOf(gatewayView, {
  id: 'deleteVpnGateway',
  description: 'Deletes the gateway with all its peers, and releases its public addresses.',
  problems: [],
  life: vpnGatewayLife,
  kind: deleteGatewayKind,
  input: () => ({}),
  loss: ({ peer_count }) => `The gateway, its ${peer_count} peers and its public addresses.`,
  async take(call) {
    const row = await vpnGateways.take(call, call.params['id'] ?? '');
    return { ...row, ...(await readParts(call.db, row.id)) };
  },
});

export const vpnGatewayEndpoints = [listVpnGateways, createVpnGateway, getVpnGateway, deleteVpnGateway];
