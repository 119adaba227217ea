import { ResourceQuery } from '../../../kernel/listing/query.ts';
import { pendingOn } from '../../../kernel/operations/store.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { endpoint, noContent } from '../../../kernel/record.ts';
import { Type } from '../../../kernel/schema.ts';
import { listOf, readOf } from '../../../resources/records/records.ts';
import { vpnGatewayLife } from '../vpn-gateways/lifecycle.ts';
import { lockGateway } from '../vpn-gateways/store.ts';
import { createVpnPeer } from './create.ts';
import { peerView } from './present.ts';
import { vpnPeers } from './resource.ts';
import { VpnPeer, VpnPeerId } from './schema.ts';
import { findPeer } from './store.ts';
import { isLive, notPushed, pushAct } from './sync.ts';
import { updateVpnPeer } from './update.ts';

const listVpnPeers = listOf(peerView, {
  id: 'listVpnPeers',
  summary: 'List the peers of a VPN gateway',
  description: 'With the last handshake and the traffic of each peer.',
  query: ResourceQuery({
    kind: Type.Optional({ ...VpnPeer.properties.kind, description: 'Only peers of this kind.' }),
    enabled: Type.Optional(Type.Boolean({ description: 'Only peers that are enabled, or disabled.' })),
  }),
});

const getVpnPeer = readOf(peerView, {
  id: 'getVpnPeer',
  summary: 'Get a peer of a VPN gateway',
  params: VpnPeerId,
});

const deleteVpnPeer = endpoint({
  id: 'deleteVpnPeer',
  method: 'DELETE',
  path: peerView.one.path,
  summary: 'Remove a peer from a VPN gateway',
  description:
    'Its tunnel is cut when the call is answered; if the gateway cannot be reached, it is refused.',
  permission: 'flexible-vps:vpn-peers:delete',
  access: 'destructive',
  resource: { name: 'vpn_peer', role: 'delete' },
  params: VpnPeerId,
  answers: { 204: null },
  problems: ['invalid_state', 'operation_in_progress'],
  example: { params: peerView.one.example, answer: { status: 204, body: null } },
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
