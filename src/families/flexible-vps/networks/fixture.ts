import { sql } from 'kysely';
import type { Fixture } from '../../../laws/fixture.ts';
import { freshName, type World } from '../../../laws/world.ts';
import { provision } from '../../../testing/provision.ts';
import { newNetworkExample } from './example.ts';
import { createNetworkKind } from './kinds.ts';
import { networks } from './resource.ts';
import { changedSettings, initialSettings } from './rules.ts';
import { insertNetwork } from './store.ts';

const common = { location: 'fra1', mtu: 1442, status_reason: null } as const;

/** Creates an active network with IPv6: inserts the row as createVpsNetwork does and runs the operation. */
export async function makeNetwork(world: World, ipv4_cidr = '10.77.0.0/24'): Promise<string> {
  const { app, account } = world;
  const row = await insertNetwork(
    app.services.db,
    {
      ...common,
      id: networks.newId(),
      account_id: account.id,
      name: freshName(),
      ipv4_cidr,
      status: 'creating',
    },
    changedSettings(initialSettings, {}),
    { ipv6: true },
  );
  return provision(world, networks, row, createNetworkKind, {});
}

export const fixture: Fixture = {
  collection: '/flexible-vps/v1/networks',
  make: (world) => makeNetwork(world, newNetworkExample.ipv4_cidr),
  async addRow({ app, account }, name, i) {
    await app.services.db
      .insertInto('vps_networks')
      .values({
        ...common,
        id: networks.newId(),
        account_id: account.id,
        name,
        ipv4_cidr: `10.${i % 256}.0.0/16`,
        ipv6_cidr: null,
        nat: { ipv4: true, ipv6: false },
        dns: { servers: [], domain: null },
        routes: sql`'[]'::jsonb`,
        status: 'active',
      })
      .execute();
  },
  largest: {
    updateVpsNetwork: () => ({
      routes: Array.from({ length: 50 }, (_, i) => ({
        destination: `192.168.${i}.0/24`,
        next_hop: '10.10.0.10',
        description: `Route ${i} `.padEnd(255, 'zum Büro über den Router im Keller '),
      })),
    }),
  },
  creations: {
    createVpsNetwork: [async () => ({ ipv6: true }), async () => ({ ipv6: false })],
  },
  ways: {
    updateVpsNetwork: [
      { body: { nat: { ipv4: false } }, states: ['active'] },
      { body: { description: 'Of the office' }, states: ['active', 'error'] },
    ],
  },
};
