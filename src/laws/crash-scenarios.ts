/**
 * How an operation of each kind comes about. Where an endpoint says that it starts a kind, the endpoint is called;
 * kinds that no endpoint names have an entry here. So a new kind of a family needs nothing, or one entry.
 */
import type { LightMyRequestResponse } from 'fastify';
import { interfaceDrift } from '../families/flexible-vps/interfaces/drift.ts';
import { insertApproval } from '../kernel/approvals/store.ts';
import type { Kind } from '../kernel/operations/kind.ts';
import { startOperation } from '../kernel/operations/operations.ts';
import { readOperation, type StoredOperation } from '../kernel/operations/store.ts';
import type { Endpoint } from '../kernel/record.ts';
import { transact } from '../store/transaction.ts';
import { work } from './crashes.ts';
import { callTo, endpoints, paramNames, paramsFor, type World } from './walk.ts';

export interface Scenario {
  /** Starts one, in an account of its own; whatever it needs is there and has ended. */
  begin(world: World): Promise<StoredOperation>;
  /** Why there is nothing that could take down what it puts up. */
  readonly indestructible?: string;
}

/** One endpoint, several kinds: it names one of them and its example starts another. */
const acting = (action: string): Scenario => ({
  async begin(world) {
    const act = endpointNamed('actOnMachine');
    const params = await paramsFor(act, world);
    await work(world.app);
    return started(world, await callTo(act, world, { params, payload: { action } }));
  },
});

/** The same of the power of a machine, which is stopped first where that is what it takes. */
const powering = (type: string): Scenario => ({
  async begin(world) {
    const act = endpointNamed('performVmAction');
    const params = await paramsFor(act, world);
    await work(world.app);
    if (type === 'power_on') {
      await callTo(act, world, { params, payload: { type: 'power_off' } });
      await work(world.app);
    }
    return started(world, await callTo(act, world, { params, payload: { type } }));
  },
});

const scenarios: Readonly<Record<string, Scenario>> = {
  'approval.request': {
    indestructible: 'A request puts nothing up; it is kept as long as operations are.',
    async begin({ app, account, key }) {
      const { db, registry } = app.services;
      return transact(db, async (tx) => {
        const kind = kindOf(registry.kinds, 'approval.request');
        const resource = { type: 'approval', id: null, name: 'deleteWidget' };
        const operation = await startOperation(
          tx,
          registry,
          { kind, input: {}, resource },
          { accountId: account.id },
        );
        const asked = { endpoint_id: 'deleteWidget', method: 'DELETE', path: '/', query: {}, body: null };
        const cost = { hourly: '0.000000', monthly: '0.00', currency: 'EUR' };
        const whose = { operation_id: operation.id, account_id: account.id, key_id: key.id };
        const approval = { ...asked, ...whose, cost, request_hash: Buffer.alloc(32), effects: [] };
        await insertApproval(tx, approval, 0);
        return operation;
      });
    },
  },
  'vm.power_on': powering('power_on'),
  'vm.power_off': powering('power_off'),
  'vm.restart': powering('restart'),
  'vm.reset': powering('reset'),
  'vm.bulk_power': {
    indestructible: 'It is about many machines, and puts nothing up that was not there before.',
    async begin(world) {
      const { id: first = '' } = await paramsFor(endpointNamed('getVm'), world);
      const { id: second = '' } = await paramsFor(endpointNamed('getVm'), world);
      await work(world.app);
      const bulk = endpointNamed('performBulkVmAction');
      const payload = { type: 'restart', vm_ids: [first, second], max_parallel: 1 };
      const params = bulk.example.params ?? {};
      return started(world, await callTo(bulk, world, { params, payload }));
    },
  },
  'machine.extend': acting('extend'),
  'machine.restart': acting('restart'),
  'machine.fleet': {
    async begin(world) {
      const { app, account } = world;
      const { db, registry } = app.services;
      const ids = [];
      for (let i = 0; i < 2; i++) ids.push((await paramsFor(endpointNamed('getMachine'), world))['id']!);
      await work(app);
      const [id = null] = ids;
      const input = { children: ids.map((child) => ({ id: child, name: 'one of them' })) };
      const kind = kindOf(registry.kinds, 'machine.fleet');
      const resource = { type: 'machine', id, name: 'all of them' };
      return transact(db, (tx) =>
        startOperation(tx, registry, { kind, input, resource }, { accountId: account.id }),
      );
    },
  },
};

const endpointNamed = (id: string): Endpoint => endpoints.find((record) => record.id === id)!;

function kindOf(kinds: ReadonlyMap<string, Kind>, type: string): Kind {
  const kind = kinds.get(type);
  if (kind === undefined) throw new Error(`There is no kind ${type} any more: remove its scenario.`);
  return kind;
}

async function started({ app }: World, answer: LightMyRequestResponse): Promise<StoredOperation> {
  const location = String(answer.headers['operation-location']);
  const operation = await readOperation(app.services.db, location.slice(location.lastIndexOf('/') + 1));
  if (operation === undefined) throw new Error(`${answer.statusCode}: ${answer.body}`);
  return operation;
}

export function scenarioOf(kind: Kind): Scenario {
  const own = scenarios[kind.type];
  if (own !== undefined) return own;
  const endpoint = endpoints.find(({ operation }) => operation === kind);
  if (endpoint === undefined) {
    throw new Error(
      `Nothing says how ${kind.type} is started: name it in its endpoint (operation), or give it a scenario in src/laws/crash-scenarios.ts.`,
    );
  }
  return {
    async begin(world) {
      const params = await paramsFor(endpoint, world);
      await work(world.app);
      const operation = await started(world, await callTo(endpoint, world, { params }));
      if (operation.type === kind.type) return operation;
      throw new Error(
        `The example of ${endpoint.id} starts ${operation.type}: give ${kind.type} a scenario in src/laws/crash-scenarios.ts.`,
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
    throw new Error(
      `Nothing deletes a ${resource_type}: say why in its scenario (indestructible), in src/laws/crash-scenarios.ts.`,
    );
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
