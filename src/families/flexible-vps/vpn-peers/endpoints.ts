import { ResourceQuery } from '../../../kernel/listing/query.ts';
import { pendingOn } from '../../../kernel/operations/store.ts';
import { List } from '../../../kernel/pages/list.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { endpoint, noContent, ok } from '../../../kernel/record.ts';
import { Type } from '../../../kernel/schema.ts';
import { vpnGatewayLife } from '../vpn-gateways/lifecycle.ts';
import { VpnGatewayId } from '../vpn-gateways/schema.ts';
import { lockGateway, readOwnGateway } from '../vpn-gateways/store.ts';
import { createVpnPeer } from './create.ts';
import { presentPeer } from './present.ts';
import { vpnPeers } from './resource.ts';
import { examplePeer, VpnPeer, VpnPeerId } from './schema.ts';
import { findPeer, listPeers } from './store.ts';
import { isLive, notPushed, pushAct } from './sync.ts';
import { updateVpnPeer } from './update.ts';

const collection = '/flexible-vps/v1/vpn-gateways/{id}/peers';

const listVpnPeers = endpoint({
  id: 'listVpnPeers',
  method: 'GET',
  path: collection,
  summary: 'List the peers of a VPN gateway',
  description: 'With the last handshake and the traffic of each peer.',
  permission: 'flexible-vps:vpn-peers:read',
  access: 'read',
  resource: { name: 'vpn_peer', role: 'list' },
  params: VpnGatewayId,
  query: ResourceQuery({
    kind: Type.Optional({ ...VpnPeer.properties.kind, description: 'Only peers of this kind.' }),
    enabled: Type.Optional(Type.Boolean({ description: 'Only peers that are enabled, or disabled.' })),
  }),
  answers: { 200: List(VpnPeer) },
  problems: [],
  example: {
    params: { id: examplePeer.gateway_id },
    answer: { status: 200, body: { data: [examplePeer], next_cursor: null } },
  },
  async handle(call) {
    const { db, caller, params, query, now } = call;
    const { rows, nextCursor } = await listPeers(call, params.id, query);
    if (rows.length === 0 && (await readOwnGateway(db, caller.account.id, params.id)) === undefined)
      throw new Problem('not_found');
    return ok({ data: rows.map((row) => presentPeer(row, now)), next_cursor: nextCursor });
  },
});

const getVpnPeer = endpoint({
  id: 'getVpnPeer',
  method: 'GET',
  path: `${collection}/{peer_id}`,
  summary: 'Get a peer of a VPN gateway',
  permission: 'flexible-vps:vpn-peers:read',
  access: 'read',
  resource: { name: 'vpn_peer', role: 'read' },
  params: VpnPeerId,
  answers: { 200: VpnPeer },
  problems: [],
  example: {
    params: { id: examplePeer.gateway_id, peer_id: examplePeer.id },
    answer: { status: 200, body: examplePeer },
  },
  async handle({ db, caller, params, now }) {
    const row = await findPeer(db, caller.account.id, params.id, params.peer_id);
    if (row === undefined) throw new Problem('not_found');
    return ok(presentPeer(row, now));
  },
});

const deleteVpnPeer = endpoint({
  id: 'deleteVpnPeer',
  method: 'DELETE',
  path: `${collection}/{peer_id}`,
  summary: 'Remove a peer from a VPN gateway',
  description:
    'Its tunnel is cut when the call is answered; if the gateway cannot be reached, it is refused.',
  permission: 'flexible-vps:vpn-peers:delete',
  access: 'destructive',
  resource: { name: 'vpn_peer', role: 'delete' },
  params: VpnPeerId,
  answers: { 204: null },
  problems: ['invalid_state', 'operation_in_progress'],
  example: {
    params: { id: examplePeer.gateway_id, peer_id: examplePeer.id },
    answer: { status: 204, body: null },
  },
  prepare: notPushed,
  async handle(call, pushed) {
    const { db, caller, params, services, now } = call;
    const gateway = await lockGateway(db, caller.account.id, params.id);
    const row = gateway && (await findPeer(db, caller.account.id, gateway.id, params.peer_id));
    if (gateway === undefined || row === undefined) throw new Problem('not_found');
    call.checkVersion(vpnPeers.etag(row));
    const operation = (await pendingOn(db, [gateway.id])).get(gateway.id);
    vpnGatewayLife.require('deleteVpnPeer', gateway.status, { operation });
    if (isLive(row, now) || row.applied_at === null)
      call.act(
        pushAct(services, gateway, now, pushed, {
          isStrict: true,
          change: (rows) => rows.filter(({ id }) => id !== row.id),
        }),
      );
    await vpnPeers.remove(call, row);
    return noContent;
  },
});

export const vpnPeerEndpoints = [listVpnPeers, createVpnPeer, getVpnPeer, updateVpnPeer, deleteVpnPeer];
