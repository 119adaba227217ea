/**
 * How an operation of each kind starts. Where an endpoint names the kind, that endpoint is called with its example;
 * the other kinds have a scenario in the fixture of their resource.
 */
import type { LightMyRequestResponse } from 'fastify';
import { interfaceDrift } from '../families/flexible-vps/interfaces/drift.ts';
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
  paramsFor,
  call: (endpoint, world, request) => callTo(endpoint, world, request),
  work: async ({ app }) => void (await work(app)),
  operationOf,
};

/** Starts an operation of this kind, in an account of its own. */
export const begin = (kind: Kind, world: World): Promise<StoredOperation> =>
  scenarioOf(kind).begin(world, walk);

export function scenarioOf(kind: Kind): Scenario {
  const own = scenarios[kind.type];
  if (own !== undefined) return own;
  const endpoint = endpoints.find(({ operation }) => operation === kind);
  if (endpoint === undefined) {
    throw new Error(
      `Nothing says how ${kind.type} is started: name it in its endpoint (operation), or give it a scenario in the fixture of its resource.`,
    );
  }
  return {
    async begin(world) {
      const params = await paramsFor(endpoint, world);
      await work(world.app);
      const operation = await operationOf(world, await callTo(endpoint, world, { params }));
      if (operation.type === kind.type) return operation;
      throw new Error(
        `The example of ${endpoint.id} starts ${operation.type}: give ${kind.type} a scenario in the fixture of its resource.`,
      );
    },
  };
}

/** What it is a part of, as the inventory has it; interfaces are not in it. */
async function parentOf({ app }: World, id: string): Promise<string> {
  const { db } = app.services;
  const row = await db.selectFrom('resources').select('parent_id').where('id', '=', id).executeTakeFirst();
  const nic = await db.selectFrom('vm_interfaces').select('vm_id').where('id', '=', id).executeTakeFirst();
  return row?.parent_id ?? nic?.vm_id ?? id;
}

/** By the endpoint that deletes such a resource, as its owner would. */
export async function destroy(world: World, { resource_type, resource_id }: StoredOperation): Promise<void> {
  const endpoint = endpoints.find(
    ({ resource }) => resource.name === resource_type && resource.role === 'delete',
  );
  if (endpoint === undefined) {
    throw new Error(`Nothing deletes a ${resource_type}: say why in its scenario (indestructible).`);
  }
  const id = resource_id ?? '';
  const [name = '', outer] = paramNames(endpoint).toReversed();
  const params = { [name]: id, ...(outer === undefined ? {} : { [outer]: await parentOf(world, id) }) };
  const answer = await callTo(endpoint, world, { params });
  if (![202, 204, 404].includes(answer.statusCode)) throw new Error(`${answer.statusCode}: ${answer.body}`);
  await work(world.app);
  // One that came to nothing may have left its plug behind, which nobody can ask to have taken away.
  if (resource_type === 'interface') await interfaceDrift.run(world.app.services);
}

/** Kinds that have a scenario though no kind is named like that. */
export const strayScenarios = (kinds: ReadonlyMap<string, Kind>): string[] =>
  Object.keys(scenarios).filter((type) => !kinds.has(type));
