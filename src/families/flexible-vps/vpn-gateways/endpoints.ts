import { forGood } from '../../../kernel/effect.ts';
import { ResourceQuery } from '../../../kernel/listing/query.ts';
import { during } from '../../../kernel/operations/example.ts';
import { pendingOn } from '../../../kernel/operations/store.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { accepted, endpoint } from '../../../kernel/record.ts';
import { Type } from '../../../kernel/schema.ts';
import { listOf, readOf } from '../../../resources/records/records.ts';
import { LocationRef, NetworkRef } from '../references.ts';
import { createVpnGateway } from './create.ts';
import { deleteGatewayKind } from './kinds.ts';
import { vpnGatewayLife } from './lifecycle.ts';
import { gatewayView } from './present.ts';
import { vpnGateways } from './resource.ts';
import { exampleGateway, VpnGateway, VpnGatewayId } from './schema.ts';
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

const deleteVpnGateway = endpoint({
  id: 'deleteVpnGateway',
  method: 'DELETE',
  path: '/flexible-vps/v1/vpn-gateways/{id}',
  summary: 'Delete a VPN gateway',
  description: 'Deletes the gateway with all its peers, and releases its public addresses.',
  permission: 'flexible-vps:vpn-gateways:delete',
  access: 'destructive',
  resource: { name: 'vpn_gateway', role: 'delete' },
  params: VpnGatewayId,
  answers: { 202: VpnGateway },
  problems: ['resource_protected', 'invalid_state', 'operation_in_progress'],
  operation: deleteGatewayKind,
  example: {
    params: { id: exampleGateway.id },
    answer: { status: 202, body: during(deleteGatewayKind, exampleGateway, { status: 'deleting' }) },
  },
  async handle(call) {
    const { db, params } = call;
    const before = await vpnGateways.take(call, params.id);
    const parts = await readParts(db, before.id);
    const pending = (await pendingOn(db, [before.id])).get(before.id);
    // A second deletion follows the pending one.
    if (pending?.type === deleteGatewayKind.type) {
      call.effect({ action: 'none', ...vpnGateways.ref(before) });
      call.follow(pending);
      return accepted(gatewayView.present(call, { ...before, ...parts }, pending));
    }
    if (before.protected) throw new Problem('resource_protected');
    vpnGatewayLife.require('deleteVpnGateway', before.status, { operation: pending });
    await vpnGateways.reportCost(call, [before], null);
    const deleting = { status: 'deleting' } as const;
    const row = (await vpnGateways.change(db, before.id, deleting, { keepsPrice: true })) ?? before;
    const loss = forGood(`The gateway, its ${parts.peer_count} peers and its public addresses.`);
    call.effect({ action: 'delete', ...vpnGateways.ref(row), loss });
    const operation = await call.start({
      kind: deleteGatewayKind,
      input: {},
      resource: vpnGateways.ref(row),
    });
    return accepted(gatewayView.present(call, { ...row, ...parts }, operation));
  },
});

export const vpnGatewayEndpoints = [listVpnGateways, createVpnGateway, getVpnGateway, deleteVpnGateway];
