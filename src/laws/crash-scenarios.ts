/**
 * Starts an operation of each kind. If an endpoint names the kind, that endpoint is called with its example; other
 * kinds have a scenario in the fixture of their resource.
 */
import type { LightMyRequestResponse } from 'fastify';
import { interfaceDrift } from '../families/flexible-vps/interface-changes/drift.ts';
import type { Kind } from '../kernel/operations/kind.ts';
import { readOperation, type StoredOperation } from '../kernel/operations/store.ts';
import { work } from './crashes.ts';
import type { Scenario, Walk } from './fixture.ts';
import { collect } from './fixtures.ts';
import { callTo, endpoints, paramNames, paramsFor, type World } from './walk.ts';

const scenarios = collect('scenarios');

async function operationOf({ app }: World, answer: LightMyRequestResponse): Promise<StoredOperation> {
  const location = String(answer.headers['operation-location']);
  const operation = await readOperation(app.services.db, location.slice(location.lastIndexOf('/') + 1));
  if (operation === undefined) throw new Error(`${answer.statusCode}: ${answer.body}`);
  return operation;
}

const walk: Walk = {
  endpoint: (id) => endpoints.find((record) => record.id === id)!,
  call: (endpoint, world, request) => callTo(endpoint, world, request),
  work: async ({ app }) => void (await work(app)),
  operationOf,
};

/** Starts an operation of this kind in the account of `world`. */
export const begin = (kind: Kind, world: World): Promise<StoredOperation> =>
  scenarioOf(kind).begin(world, walk);

export function scenarioOf(kind: Kind): Scenario {
  const own = scenarios[kind.type];
  if (own !== undefined) return own;
  const starting = endpoints.filter(({ operation }) => operation === kind);
  const endpoint = starting.find(({ startsSometimes }) => !startsSometimes) ?? starting[0];
  if (endpoint === undefined) {
    throw new Error(
      `No endpoint or scenario starts ${kind.type}: set \`operation\` in its endpoint, or add a scenario to the fixture of its resource.`,
    );
  }
  return {
    async begin(world) {
      const params = await paramsFor(endpoint, world);
      await work(world.app);
      const operation = await operationOf(world, await callTo(endpoint, world, { params }));
      if (operation.type === kind.type) return operation;
      throw new Error(
        `The example of ${endpoint.id} starts ${operation.type}: add a scenario for ${kind.type} to the fixture of its resource.`,
      );
    },
  };
}

/** The parent id from the inventory, or from `vm_interfaces`, because interfaces are not in the inventory. */
async function parentOf({ app }: World, id: string): Promise<string> {
  const { db } = app.services;
  const row = await db.selectFrom('resources').select('parent_id').where('id', '=', id).executeTakeFirst();
  const nic = await db.selectFrom('vm_interfaces').select('vm_id').where('id', '=', id).executeTakeFirst();
  return row?.parent_id ?? nic?.vm_id ?? id;
}

/** Deletes the resource of the operation through the API. */
export async function destroy(world: World, { resource_type, resource_id }: StoredOperation): Promise<void> {
  const endpoint = endpoints.find(
    ({ resource }) => resource.name === resource_type && resource.role === 'delete',
  );
  if (endpoint === undefined) {
    throw new Error(
      `No endpoint deletes a ${resource_type}: set \`indestructible\` with the reason in its scenario.`,
    );
  }
  const id = resource_id ?? '';
  const [name = '', outer] = paramNames(endpoint).toReversed();
  const params = { [name]: id, ...(outer === undefined ? {} : { [outer]: await parentOf(world, id) }) };
  // What a machine still has can only be deleted with its detachment.
  const query = 'detach' in endpoint.query.properties ? { detach: true } : {};
  const answer = await callTo(endpoint, world, { params, query });
  if (![202, 204, 404].includes(answer.statusCode)) throw new Error(`${answer.statusCode}: ${answer.body}`);
  await work(world.app);
  // A failed attach may leave a NIC at the engine. No endpoint removes it, but this reconciler does.
  if (resource_type === 'interface') await interfaceDrift.run(world.app.services);
}

/** The scenarios whose kind does not exist. */
export const strayScenarios = (kinds: ReadonlyMap<string, Kind>): string[] =>
  Object.keys(scenarios).filter((type) => !kinds.has(type));
