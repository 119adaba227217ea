import type { Fixture } from '../../../laws/fixture.ts';
import { setAttachment } from '../../../resources/addresses/holding/store.ts';
import { attachedAddresses } from '../../../resources/addresses/store.ts';
import { reserveFor } from '../../../testing/reserved-address.ts';
import { runKind } from '../../../testing/run-kind.ts';
import { attachPublicIpKind } from './kinds.ts';

export const fixture: Fixture = {
  collection: '/flexible-vps/v1/vms/{id}/public-ips',
  async make(world, { id = '' }) {
    const ip_id = (await reserveFor(world)).id;
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
    attachVmPublicIp: async (world) => ({ ip_id: (await reserveFor(world)).id }),
  },
};
