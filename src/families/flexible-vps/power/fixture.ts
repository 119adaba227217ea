import type { Fixture, Scenario } from '../../../laws/fixture.ts';
import type { World } from '../../../laws/world.ts';
import { makeVm, stopVm } from '../vms/fixture.ts';
import { actionTypes } from './actions.ts';

/** Each action type has its own operation kind. For `power_on` the machine is stopped first. */
const powering = (type: string): Scenario => ({
  async begin(world, walk) {
    const act = walk.endpoint('performVmAction');
    const params = { id: await makeVm(world) };
    if (type === 'power_on') {
      await walk.call(act, world, { params, payload: { type: 'power_off' } });
      await walk.work(world);
    }
    return walk.operationOf(world, await walk.call(act, world, { params, payload: { type } }));
  },
});

/** One machine that runs, and two that are stopped. */
async function makeMixed(world: World): Promise<string[]> {
  const vm_ids = [await makeVm(world), await makeVm(world), await makeVm(world)];
  for (const id of vm_ids.slice(1)) await stopVm(world, id);
  return vm_ids;
}

const fromAnyPower = ['running', 'stopped'];

export const fixture: Fixture = {
  bodies: {
    performBulkVmAction: async (world) => ({ vm_ids: [await makeVm(world)] }),
  },
  variations: {
    performBulkVmAction: Object.fromEntries(
      (['power_on', 'power_off', 'restart'] as const).map((type) => [
        `${type} of machines in different states`,
        async (world: World) => ({ body: { type, vm_ids: await makeMixed(world) } }),
      ]),
    ),
  },
  scenarios: {
    ...Object.fromEntries(
      actionTypes.filter((type) => type !== 'shutdown').map((type) => [`vm.${type}`, powering(type)]),
    ),
    'vm.bulk_power': {
      indestructible: 'It is about many machines and creates none.',
      async begin(world, walk) {
        const bulk = walk.endpoint('performBulkVmAction');
        const vm_ids = [await makeVm(world), await makeVm(world)];
        const payload = { type: 'restart', vm_ids, max_parallel: 1 };
        const params = bulk.example.params ?? {};
        return walk.operationOf(world, await walk.call(bulk, world, { params, payload }));
      },
    },
  },
  ways: {
    performVmAction: [
      { body: { type: 'power_on' }, states: fromAnyPower },
      { body: { type: 'power_off' }, states: fromAnyPower },
      { body: { type: 'shutdown' }, states: fromAnyPower },
      { body: { type: 'restart' }, states: ['running'] },
      { body: { type: 'reset' }, states: ['running'] },
    ],
  },
};
