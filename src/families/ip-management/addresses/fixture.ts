import { startOperation } from '../../../kernel/operations/operations.ts';
import type { Fixture, Variant, Walk } from '../../../laws/fixture.ts';
import { freshName, type World } from '../../../laws/world.ts';
import { addresses } from '../../../resources/addresses/resource.ts';
import { attachedAddresses } from '../../../resources/addresses/store.ts';
import { makeVm } from '../../../testing/machine.ts';
import { reserveFor } from '../../../testing/reserved-address.ts';
import { routeAddressKind } from '../null-routes/kind.ts';

const JUSTIFICATION = 'Addresses for the mail servers of our customers.';

/** A reserved address that a machine has. */
async function assign(world: World, walk: Walk): Promise<string> {
  const { id } = await reserveFor(world);
  const payload = { target: { type: 'vm', id: await makeVm(world) } };
  await walk.call(walk.endpoint('setAddressAssignment'), world, { params: { id }, payload });
  await walk.work(world);
  return id;
}

const keepEphemeral: Variant = async (world) => {
  const held = await attachedAddresses(world.app.services.db, [await makeVm(world)]);
  return { params: { id: held[0]?.id ?? '' }, body: { kind: 'reserved' } };
};

export const fixture: Fixture = {
  collection: '/ip-management/v1/addresses',
  make: async (world) => (await reserveFor(world)).id,
  addRow: async (world, name) => void (await reserveFor(world, { version: 6, name })),
  bodies: {
    setAddressAssignment: async (world) => ({ target: { type: 'vm', id: await makeVm(world) } }),
  },
  counted: {
    reserveAddress: {
      'of a subnet': async () => ({ body: { prefix_length: 29, justification: JUSTIFICATION } }),
      'of an IPv6 prefix': async () => ({ body: { family: 'ipv6' } }),
    },
    updateAddress: { 'that keeps the address of a machine': keepEphemeral },
  },
  // Engines know only of the addresses that machines have.
  scenarios: {
    'address.reserve': {
      async begin(world, walk) {
        const endpoint = walk.endpoint('reserveAddress');
        const payload = {
          location: 'fra1',
          family: 'ipv4',
          name: freshName(),
          assign_to: { type: 'vm', id: await makeVm(world) },
        };
        return walk.operationOf(world, await walk.call(endpoint, world, { params: {}, payload }));
      },
    },
    'address.release': {
      async begin(world, walk) {
        const id = await assign(world, walk);
        const endpoint = walk.endpoint('releaseAddress');
        const answer = await walk.call(endpoint, world, { params: { id }, query: { detach: true } });
        return walk.operationOf(world, answer);
      },
    },
    'address.unassign': {
      async begin(world, walk) {
        const id = await assign(world, walk);
        const endpoint = walk.endpoint('setAddressAssignment');
        const answer = await walk.call(endpoint, world, { params: { id }, payload: { target: null } });
        return walk.operationOf(world, answer);
      },
    },
    'address.route': {
      async begin(world, walk) {
        const id = await assign(world, walk);
        const { services } = world.app;
        const row = await addresses.change(services.db, id, { routing: 'null_routed' }, { services });
        const resource = addresses.ref(row!);
        const start = { kind: routeAddressKind, input: {}, resource };
        return startOperation(services.db, services.registry, start, { accountId: world.account.id });
      },
    },
  },
  creations: {
    reserveAddress: [
      async (world) => ({ assign_to: { type: 'vm', id: await makeVm(world) } }),
      async () => ({
        prefix_length: 29,
        justification: JUSTIFICATION,
      }),
    ],
  },
};
