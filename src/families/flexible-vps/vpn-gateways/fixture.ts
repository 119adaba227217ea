import { newKeyPair } from '../../../kernel/secrets/wireguard-keys.ts';
import type { Fixture } from '../../../laws/fixture.ts';
import { freshName, type World } from '../../../laws/world.ts';
import { allocateAddresses } from '../../../resources/addresses/store.ts';
import { provision } from '../../../testing/provision.ts';
import { newInterfaceId } from '../interfaces/resource.ts';
import { addressAt } from '../networks/addresses.ts';
import { makeNetwork } from '../networks/fixture.ts';
import { readNetwork } from '../networks/store.ts';
import { createGatewayKind } from './kinds.ts';
import { joinNetworks } from './membership.ts';
import { vpnGateways } from './resource.ts';
import { TUNNEL_MTU } from './schema.ts';

import { freePrefix } from './store.ts';
import type { VpnGatewayRow } from './table.ts';

async function insert(
  { app, account }: World,
  columns: Pick<VpnGatewayRow, 'name' | 'status' | 'endpoint_ipv4'> & Partial<VpnGatewayRow>,
): Promise<VpnGatewayRow> {
  const { db, secrets } = app.services;
  const { privateKey, publicKey } = newKeyPair();
  const id = vpnGateways.newId();
  return db
    .insertInto('vpn_gateways')
    .values({
      id,
      account_id: account.id,
      location: 'fra1',
      port: 51820,
      public_key: publicKey,
      private_key: secrets.close(Buffer.from(privateKey, 'base64'), id),
      tunnel_ipv4_cidr: '100.100.0.0/24',
      dns_servers: [],
      mtu: TUNNEL_MTU,
      nic_id: newInterfaceId(),
      ...columns,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Creates an active gateway into a new network: writes the rows like createVpnGateway does, and runs the operation. */
export async function makeGateway(world: World): Promise<string> {
  const { app, account } = world;
  const { db, provider } = app.services;
  const network = await readNetwork(db, account.id, await makeNetwork(world, '10.88.0.0/24'));
  const { rows: addresses = [] } = await allocateAddresses(
    db,
    {
      pools: provider.catalogue.address_pools,
      location: 'fra1',
      accountId: account.id,
      kind: 'ephemeral',
      vmId: null,
      now: new Date(),
    },
    [4, 6],
  );
  const [v4, v6] = addresses;
  const row = await insert(world, {
    name: freshName(),
    status: 'creating',
    endpoint_ipv4: v4!.block.split('/')[0]!,
    endpoint_ipv6: addressAt(v6!.block, 1),
    ipv4_address_id: v4!.id,
    ipv6_address_id: v6!.id,
    tunnel_ipv6_cidr: await freePrefix(db, account.id),
  });
  await joinNetworks(db, row.id, [], [{ network: network!, rank: 0 }]);
  return provision(world, vpnGateways, row, createGatewayKind, {});
}

const inNewNetwork = async (world: World) => ({
  network_ids: [await makeNetwork(world, '10.89.0.0/24')],
});

export const fixture: Fixture = {
  collection: '/flexible-vps/v1/vpn-gateways',
  make: makeGateway,
  fillOnce: (world) => makeGateway(world),
  async addRow(world, name) {
    await insert(world, { name, status: 'active', endpoint_ipv4: '203.0.113.9' });
  },
  bodies: { createVpnGateway: inNewNetwork },
  creations: {
    createVpnGateway: [
      async (world) => ({ ...(await inNewNetwork(world)), ipv6: true, port: 51999 }),
      async (world) => ({ ...(await inNewNetwork(world)), ipv6: false, dns_servers: ['10.89.0.1'] }),
    ],
  },
  ways: {
    updateVpnGateway: [
      { body: { port: 51821 }, states: ['active'] },
      { body: { description: 'Of the office' }, states: ['active', 'error'] },
    ],
  },
};
