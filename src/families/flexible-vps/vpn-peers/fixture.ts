import { newKeyPair } from '../../../kernel/secrets/wireguard-keys.ts';
import type { Fixture } from '../../../laws/fixture.ts';
import { freshName, type World } from '../../../laws/world.ts';
import { addressAt } from '../networks/addresses.ts';
import { reconcileGateway } from '../reconciliation/gateways.ts';
import { readGateway } from '../vpn-gateways/store.ts';
import { freeTunnelAddress, ipv6For } from './ranges.ts';
import { vpnPeers } from './resource.ts';
import { peersOf } from './store.ts';

async function insertPeer(
  { app, account }: World,
  gateway_id: string,
  name: string,
  ipv4: string,
  ipv6: string | null = null,
) {
  const { db, secrets } = app.services;
  const { privateKey, publicKey } = newKeyPair();
  const id = vpnPeers.newId();
  await db
    .insertInto('vpn_peers')
    .values({
      id,
      account_id: account.id,
      gateway_id,
      name,
      kind: 'client',
      public_key: publicKey,
      key_source: 'generated',
      private_key: secrets.close(Buffer.from(privateKey, 'base64'), id),
      private_key_available_until: new Date(Date.now() + 86_400_000),
      preshared_key: null,
      tunnel_ipv4: ipv4,
      tunnel_ipv6: ipv6,
      routed_cidrs: [],
      endpoint: null,
      keepalive_seconds: 25,
      enabled: true,
      expires_at: null,
      applied_at: null,
      config_changed_at: new Date(),
      last_handshake_at: null,
    })
    .execute();
  return id;
}

/** Creates a peer that its gateway has. */
async function makePeer(world: World, gatewayId: string): Promise<string> {
  const { services } = world.app;
  const gateway = await readGateway(services.db, gatewayId);
  // A law may pass the id of a deleted gateway. Its call with this new id then answers 404 for the gateway.
  if (gateway === undefined) return vpnPeers.newId();
  const ipv4 = freeTunnelAddress(gateway.tunnel_ipv4_cidr, await peersOf(services.db, gatewayId));
  const id = await insertPeer(world, gatewayId, freshName(), ipv4, ipv6For(gateway, ipv4));
  await reconcileGateway(services, gatewayId);
  return id;
}

export const fixture: Fixture = {
  collection: '/flexible-vps/v1/vpn-gateways/{id}/peers',
  make: (world, { id = '' }) => makePeer(world, id),
  async addRow(world, name, i, gatewayId) {
    await insertPeer(world, gatewayId, name, addressAt('100.100.0.0/16', i + 2));
  },
};
