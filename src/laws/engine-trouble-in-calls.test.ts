/**
 * Injects engine faults into calls that change an engine themselves, without an operation, such as those of VPN peers.
 * The call must be answered as it declares, and one run of the reconcilers must make rows and engine agree.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { enginePorts } from '../engine-ports.ts';
import type { Effect } from '../engines/sandbox/faults.ts';
import { addFault, clearFaults, listFaults } from '../engines/sandbox/store.ts';
import { possibleProblems } from '../kernel/problems/possible.ts';
import type { Endpoint } from '../kernel/record.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { work } from './crashes.ts';
import { disagreements } from './engine-agreement.ts';
import { engineFamilies } from './engine-families.ts';
import { inventoryDifferences } from './inventory-agreement.ts';
import { aboutAll, sample } from './sample.ts';
import { createWorld, endpoints, requestTo, type World } from './walk.ts';

const familyNames = engineFamilies.map(({ family }) => family.name);
const familyOf = ({ path }: Endpoint): string => path.split('/')[1] ?? '';
const direct = endpoints.filter(
  (endpoint) =>
    familyNames.includes(familyOf(endpoint)) &&
    endpoint.access !== 'read' &&
    endpoint.operation === undefined,
);
const changing = enginePorts
  .flatMap(({ sandbox }) => sandbox?.faults.calls ?? [])
  .filter((call) => /^(ensure|remove)/.test(call));
const troubles: readonly Effect[] = [
  { kind: 'unreachable' },
  { kind: 'fail_after' },
  { kind: 'late', seconds: 0.02 },
  { kind: 'lie' },
  { kind: 'lose' },
];

/** The calls of engines that were made to fail. */
const tried = new Set<string>();
let app: TestApp;
beforeAll(async () => {
  app = await createTestApp({ works: false });
});
afterAll(() => app.close());
afterEach(() => clearFaults(app.services.db));

/** Calls the endpoint with its example in a new account, while these calls of an engine have this effect. */
async function callWith(endpoint: Endpoint, calls: readonly string[], effect: Effect, times?: number) {
  const { db } = app.services;
  const world: World = await createWorld(app);
  const request = await requestTo(endpoint, world);
  await work(app);
  for (const call of calls) await addFault(db, { call, effect, times });
  const answer = await app.call({ ...request, key: world.key.key });
  const struck = (await listFaults(db)).filter((fault) => fault.struck > 0).flatMap(({ call }) => call ?? []);
  await clearFaults(db);
  return { world, answer, struck };
}

async function reconcile(endpoint: Endpoint): Promise<void> {
  for (const schedule of app.registry.schedules)
    if (schedule.name.startsWith(`${familyOf(endpoint)}.`)) await schedule.run(app.services);
  await work(app);
}

describe.each(sample(direct).map((endpoint) => [endpoint.id, endpoint] as const))('%s', (_, endpoint) => {
  it('answers only with declared problems and is reconciled, whatever fault the engine has', async () => {
    const { struck } = await callWith(endpoint, changing, { kind: 'slow', seconds: 0 });
    const wrong: string[] = [];
    const worlds: [string, World][] = [];
    for (const call of struck) {
      tried.add(call);
      for (const effect of troubles) {
        const { world, answer } = await callWith(endpoint, [call], effect, 1);
        const name = `${call} ${effect.kind}`;
        const code = answer.statusCode < 300 ? null : answer.json<{ code: never }>().code;
        if (code !== null && !possibleProblems(endpoint).includes(code))
          wrong.push(`${name}: answered ${code}`);
        worlds.push([name, world]);
      }
    }
    if (worlds.length > 0) await reconcile(endpoint);
    wrong.push(...(await inventoryDifferences(app)));
    for (const [name, world] of worlds)
      wrong.push(...(await disagreements(world)).map((each) => `${name}: reconciled, but ${each}`));
    expect(wrong).toEqual([]);
  }, 600_000);
});

it('at least one of these calls changes an engine', ({ skip }) => {
  aboutAll(skip);
  expect(tried.size).toBeGreaterThan(0);
});
