import { forGood } from '../../../kernel/effect.ts';
import { ResourceQuery } from '../../../kernel/listing/query.ts';
import { pendingOn } from '../../../kernel/operations/store.ts';
import { List } from '../../../kernel/pages/list.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { accepted, endpoint, ok } from '../../../kernel/record.ts';
import { Type } from '../../../kernel/schema.ts';
import { exampleOperation } from '../operation-example.ts';
import { LocationRef, NetworkRef } from '../references.ts';
import { createVpnGateway } from './create.ts';
import { deleteGatewayKind } from './kinds.ts';
import { vpnGatewayLife } from './lifecycle.ts';
import { presentGateway } from './present.ts';
import { vpnGateways } from './resource.ts';
import { exampleGateway, VpnGateway, VpnGatewayId } from './schema.ts';
import { findGateway, listGateways, readParts } from './store.ts';

const listVpnGateways = endpoint({
  id: 'listVpnGateways',
  method: 'GET',
  path: '/flexible-vps/v1/vpn-gateways',
  summary: 'List VPN gateways',
  permission: 'flexible-vps:vpn-gateways:read',
  access: 'read',
  resource: { name: 'vpn_gateway', role: 'list' },
  query: ResourceQuery({
    location: Type.Optional({ ...LocationRef, description: 'Only gateways of this location.' }),
    status: Type.Optional({ ...vpnGatewayLife.Status, description: 'Only gateways in this state.' }),
    network_id: Type.Optional({ ...NetworkRef, description: 'Only gateways that lead into this network.' }),
  }),
  answers: { 200: List(VpnGateway) },
  problems: [],
  example: { answer: { status: 200, body: { data: [exampleGateway], next_cursor: null } } },
  async handle(call) {
    const { rows, nextCursor } = await listGateways(call, call.query);
    return ok({
      data: rows.map(({ row, operation }) => presentGateway(row, operation, call.services.baseUrl)),
      next_cursor: nextCursor,
    });
  },
});

const getVpnGateway = endpoint({
  id: 'getVpnGateway',
  method: 'GET',
  path: '/flexible-vps/v1/vpn-gateways/{id}',
  summary: 'Get a VPN gateway',
  description: 'The answer has the address that peers connect to, and the public key of the gateway.',
  permission: 'flexible-vps:vpn-gateways:read',
  access: 'read',
  resource: { name: 'vpn_gateway', role: 'read' },
  params: VpnGatewayId,
  answers: { 200: VpnGateway },
  problems: [],
  example: { params: { id: exampleGateway.id }, answer: { status: 200, body: exampleGateway } },
  async handle({ db, caller, params, services }) {
    const found = await findGateway(db, caller.account.id, params.id);
    if (found === undefined) throw new Problem('not_found');
    return ok(presentGateway(found.row, found.operation, services.baseUrl));
  },
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
    answer: {
      status: 202,
      body: {
        ...exampleGateway,
        status: 'deleting',
        operation: exampleOperation('vpn_gateway.delete', exampleGateway),
      },
    },
  },
  async handle(call) {
    const { db, params, services } = call;
    const before = await vpnGateways.take(call, params.id);
    const parts = await readParts(db, before.id);
    const pending = (await pendingOn(db, [before.id])).get(before.id);
    // A second deletion follows the pending one.
    if (pending?.type === deleteGatewayKind.type) {
      call.effect({ action: 'none', ...vpnGateways.ref(before) });
      call.follow(pending);
      return accepted(presentGateway({ ...before, ...parts }, pending, services.baseUrl));
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
    return accepted(presentGateway({ ...row, ...parts }, operation, services.baseUrl));
  },
});

export const vpnGatewayEndpoints = [listVpnGateways, createVpnGateway, getVpnGateway, deleteVpnGateway];
