import type { Fixture } from '../../../laws/fixture.ts';
import type { World } from '../../../laws/world.ts';
import { allocateAddress, attachedAddresses, setAttachment } from '../../../resources/addresses/store.ts';
import { runKind } from '../../../testing/run-kind.ts';
import { attachPublicIpKind } from './kinds.ts';

/** Reserves an address in the table, because no endpoint does that yet. */
export async function reserveAddress({ app, account }: World, version: 4 | 6 = 6): Promise<string> {
  const { db, provider } = app.services;
  const row = await allocateAddress(db, {
    pools: provider.catalogue.address_pools,
    location: 'fra1',
    version,
    accountId: account.id,
    kind: 'reserved',
    vmId: null,
    now: new Date(),
  });
  if (row === null) throw new Error('There is no public address left.');
  return row.id;
}

export const fixture: Fixture = {
  collection: '/flexible-vps/v1/vms/{id}/public-ips',
  async make(world, { id = '' }) {
    const ip_id = await reserveAddress(world);
    const resource = { type: 'vm', id, name: null };
    const input = { ip_id, from: null };
    await runKind(world.app, attachPublicIpKind, { accountId: world.account.id, resource, input });
    return ip_id;
  },
  remove: ({ app }, id) => setAttachment(app.services.db, id, null),
  variations: {
    detachVmPublicIp: {
      'that is billed with the machine': async ({ app }, { id = '' }) => {
        const held = await attachedAddresses(app.services.db, [id]);
        const own = held.find(({ kind, block }) => kind === 'ephemeral' && !block.includes(':'));
        return { params: { id, ip_id: own?.id ?? '' } };
      },
    },
  },
  bodies: {
    attachVmPublicIp: async (world) => ({ ip_id: await reserveAddress(world) }),
  },
};
