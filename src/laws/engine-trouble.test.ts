/**
 * Injects engine faults (refuse, no answer, hang, false success, lost machine) at each engine call of each operation
 * kind. The operation must end with a true status, one run of the reconcilers must make rows and engine agree, and
 * deleting everything must leave nothing.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { enginePorts } from '../engine-ports.ts';
import type { Effect } from '../engines/sandbox/faults.ts';
import { addFault, clearFaults, listFaults } from '../engines/sandbox/store.ts';
import { families } from '../families/index.ts';
import type { Kind } from '../kernel/operations/kind.ts';
import { hasEnded } from '../kernel/operations/schema.ts';
import { readOperation, type StoredOperation } from '../kernel/operations/store.ts';
import { buildRegistry, type Family } from '../kernel/registry.ts';
import type { ProviderConfig } from '../provider/schema.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { moveDeadline } from '../testing/operations.ts';
import { begin, scenarioOf } from './crash-scenarios.ts';
import { work } from './crashes.ts';
import { deleteAll, disagreements, leftovers } from './engine-agreement.ts';
import { engineFamilies } from './engine-families.ts';
import { inventoryDifferences } from './inventory-agreement.ts';
import { sampleKinds } from './sample.ts';
import { createWorld, type World } from './walk.ts';

const registry = buildRegistry(families);
const familyOf = ({ family: name }: Kind): Family | undefined =>
  engineFamilies.find(({ family }) => family.name === name)?.family;
const ofEngines = [...registry.kinds.values()].filter((kind) => familyOf(kind) !== undefined);
/** Bulk kinds only start one operation per machine, and the kinds of those operations are tested. */
const isBulk = (kind: Kind): boolean => scenarioOf(kind).indestructible !== undefined;
const kinds = ofEngines.filter((kind) => !isBulk(kind));

/** All calls of all ports that the family of the kind uses. */
function possibleCalls(kind: Kind): readonly string[] {
  return (familyOf(kind)?.ports ?? []).flatMap(({ name }) => {
    const port = enginePorts.find((each) => each.name === name);
    if (port?.sandbox === undefined)
      throw new Error(`The port ${name} has no sandbox in which its calls can fail.`);
    return port.sandbox.faults.calls;
  });
}

interface Trouble {
  readonly name: string;
  readonly effect: Effect;
  /** How many calls the fault affects. Default: all. */
  readonly times?: number;
  /** Tested only at the first call of a kind: at later calls it has the effect of another fault, but takes long. */
  readonly firstOnly?: true;
}

const refuse: Effect = { kind: 'fail', code: 'engine_failed', detail: 'Not today.' };
const troubles: readonly Trouble[] = [
  { name: 'refuses', effect: refuse, times: 1 },
  { name: 'is silent once', effect: { kind: 'unreachable' }, times: 1, firstOnly: true },
  { name: 'is silent for good', effect: { kind: 'unreachable' } },
  { name: 'does it and is silent', effect: { kind: 'fail_after' }, times: 1 },
  { name: 'does it later than anybody waits', effect: { kind: 'late', seconds: 0.02 }, times: 1 },
  { name: 'hangs', effect: { kind: 'hang' }, times: 1, firstOnly: true },
  { name: 'lies once', effect: { kind: 'lie' }, times: 1 },
  { name: 'lies for good', effect: { kind: 'lie' } },
  { name: 'loses the machine', effect: { kind: 'lose' }, times: 1 },
];

/** The deadline of operations with a hanging call; all other calls have ended by then. */
const PATIENCE_MS = 400;
/** The deadline under a permanent fault: long enough for several retries, shorter than the usual half hour. */
const LASTING_MS = 120_000;

/** Engines only where the examples place their resources: the reconcilers visit the engine of every location. */
const inOneLocation = (config: ProviderConfig): ProviderConfig => {
  const locations = config.catalogue.locations.map((location, place) =>
    place === 0 ? location : { ...location, compute: null },
  );
  return { ...config, catalogue: { ...config.catalogue, locations } };
};

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp({ works: false, provider: inOneLocation });
});
afterAll(() => app.close());

async function start(kind: Kind): Promise<{ world: World; operation: StoredOperation }> {
  const world = await createWorld(app);
  return { world, operation: await begin(kind, world) };
}

/** Finds out which calls a kind makes: adds a delay of 0 seconds to each possible call and returns the calls it hit. */
async function callsOf(kind: Kind): Promise<string[]> {
  const { db } = app.services;
  await start(kind);
  for (const call of possibleCalls(kind)) await addFault(db, { call, effect: { kind: 'slow', seconds: 0 } });
  await work(app);
  const struck = (await listFaults(db)).filter(({ struck }) => struck > 0).flatMap(({ call }) => call ?? []);
  await clearFaults(db);
  return struck;
}

async function reconcile({ family }: Kind): Promise<void> {
  for (const schedule of app.registry.schedules)
    if (schedule.name.startsWith(`${family}.`)) await schedule.run(app.services);
  await work(app);
}

const endWithin = (operation: StoredOperation, milliseconds: number) =>
  moveDeadline(app.services.db, operation.id, milliseconds);

/** An account in which a kind has run with a fault. */
interface Sufferer {
  readonly world: World;
  readonly fault: string;
  /** A message for each expectation that was violated. */
  readonly wrong: string[];
}

/** Runs the kind with this fault. */
async function suffer(kind: Kind, call: string, { name, effect, times }: Trouble): Promise<Sufferer> {
  const { db } = app.services;
  const { world, operation } = await start(kind);
  if (effect.kind === 'hang') await endWithin(operation, PATIENCE_MS);
  if (times === undefined) await endWithin(operation, LASTING_MS);
  await addFault(db, { call, times, effect });
  await work(app);
  await clearFaults(db);

  const wrong: string[] = [];
  const ended = await readOperation(db, operation.id);
  if (ended === undefined || !hasEnded(ended.status)) wrong.push('the operation has not ended');
  if (ended?.status === 'failed' && ended.error?.code === undefined) wrong.push('it failed without a code');
  // Removing a part of a lost machine succeeds, because the part is gone. The reconcilers report the lost machine.
  const isLostAside = effect.kind === 'lose' && !kind.type.startsWith('vm.');
  if (ended?.status === 'succeeded' && !isLostAside)
    wrong.push(...(await disagreements(world)).map((each) => `succeeded, but ${each}`));
  return { world, fault: `${call} ${name}`, wrong };
}

/** Reconciles and deletes everything after all faults of a kind: once for each fault would take twice as long. */
async function cleanUp(kind: Kind, sufferers: readonly Sufferer[]): Promise<string[]> {
  await reconcile(kind);
  const unlike = await inventoryDifferences(app);
  for (const { world, wrong } of sufferers)
    wrong.push(...(await disagreements(world)).map((each) => `reconciled, but ${each}`));
  const worlds = sufferers.map(({ world }) => world);
  const refused = await deleteAll(app, worlds);
  for (const { world, wrong } of sufferers) wrong.push(...(await leftovers(world)));
  return [
    ...unlike,
    ...refused,
    ...sufferers.flatMap(({ fault, wrong }) => wrong.map((each) => `${fault}: ${each}`)),
  ];
}

describe.each(sampleKinds(kinds, registry.endpoints))('$type', (kind) => {
  it('ends with the right status, is reconciled and leaves nothing, whatever fault the engine has', async () => {
    const sufferers: Sufferer[] = [];
    const calls = await callsOf(kind);
    for (const [place, call] of calls.entries())
      for (const trouble of troubles.filter(({ firstOnly }) => place === 0 || !firstOnly))
        sufferers.push(await suffer(kind, call, trouble));
    expect(calls.length).toBeGreaterThan(0);
    expect(await cleanUp(kind, sufferers)).toEqual([]);
  }, 600_000);
});

describe.each(ofEngines.filter(isBulk))('$type', (kind) => {
  it('is not tested itself, because operations of tested kinds do its work', async () => {
    const { operation } = await start(kind);
    await work(app);
    const children = await app.services.db
      .selectFrom('operations')
      .select('type')
      .where('parent_id', '=', operation.id)
      .execute();
    expect(children.length).toBeGreaterThan(0);
    const tested = kinds.map(({ type }) => type);
    expect(children.map(({ type }) => type).filter((type) => !tested.includes(type))).toEqual([]);
  });
});
