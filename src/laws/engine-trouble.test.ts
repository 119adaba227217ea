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
import { readTogether } from './account-rows.ts';
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

interface Fault {
  readonly name: string;
  readonly effect: Effect;
  /** How many calls the fault affects. Default: all. */
  readonly times?: number;
  /** Tested only at the first call of a kind: at later calls it has the effect of another fault, but takes long. */
  readonly firstOnly?: true;
}

const refuse: Effect = { kind: 'fail', code: 'engine_failed', detail: 'Not today.' };
const faults: readonly Fault[] = [
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

/** The first deadline of an operation with a hanging call. A busy machine may need more to reach the call. */
const PATIENCE_MS = 400;
const MOST_PATIENCE_MS = 120_000;
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

interface Call {
  readonly name: string;
  /** The call names no object of the account, so a fault cannot be limited to the account. */
  readonly isShared: boolean;
}

/** Finds out which calls a kind makes: adds delays of 0 seconds to each possible call and returns the calls they hit. */
async function callsOf(kind: Kind): Promise<Call[]> {
  const { db } = app.services;
  const { world } = await start(kind);
  const effect: Effect = { kind: 'slow', seconds: 0 };
  // The first rule that matches applies, so the second one of a call is hit only if the call names no object.
  for (const call of possibleCalls(kind)) {
    await addFault(db, { call, target: world.account.id, effect });
    await addFault(db, { call, effect });
  }
  await work(app);
  const struck = (await listFaults(db)).filter(({ struck }) => struck > 0);
  await clearFaults(db);
  const shared = new Set(struck.filter(({ target }) => target === null).map(({ call }) => call));
  return [...new Set(struck.flatMap(({ call }) => call ?? []))].map((name) => ({
    name,
    isShared: shared.has(name),
  }));
}

/** Runs the schedules of the families that use the same engines. */
async function reconcile(kind: Kind): Promise<void> {
  const ports = familyOf(kind)?.ports ?? [];
  const concerned = engineFamilies.filter(({ family }) => family.ports?.some((port) => ports.includes(port)));
  for (const schedule of app.registry.schedules)
    if (concerned.some(({ family }) => schedule.name.startsWith(`${family.name}.`)))
      await schedule.run(app.services);
  await work(app);
}

const endWithin = (operation: StoredOperation, milliseconds: number) =>
  moveDeadline(app.services.db, operation.id, milliseconds);

/** An account in which a kind runs with a fault. */
interface FaultedRun {
  readonly world: World;
  readonly operation: StoredOperation;
  readonly call: Call;
  readonly fault: Fault;
  /** A message for each expectation that was violated. */
  readonly wrong: string[];
}

/** Workers leave operations alone that are not ready. */
const setReady = (ids: readonly string[], isReady: boolean) =>
  app.services.db.updateTable('operations').set({ is_ready: isReady }).where('id', 'in', ids).execute();

/** Starts the operation, which waits for the others of its kind. */
async function prepare(kind: Kind, call: Call, fault: Fault): Promise<FaultedRun> {
  const { world, operation } = await start(kind);
  await setReady([operation.id], false);
  return { world, operation, call, fault, wrong: [] };
}

/** Runs the operations of these accounts beside each other, each with its fault. False if one did not meet its fault. */
async function runTogether(runs: readonly FaultedRun[], patienceMs = PATIENCE_MS): Promise<boolean> {
  const { db } = app.services;
  await setReady(
    runs.map(({ operation }) => operation.id),
    true,
  );
  for (const { world, operation, call, fault } of runs) {
    const { effect, times } = fault;
    if (effect.kind === 'hang') await endWithin(operation, patienceMs);
    if (times === undefined) await endWithin(operation, LASTING_MS);
    const target = call.isShared ? undefined : world.account.id;
    await addFault(db, { call: call.name, target, times, effect });
  }
  await work(app);
  const faults = await listFaults(db);
  await clearFaults(db);
  return faults.every(({ struck }) => struck > 0);
}

async function judge(kind: Kind, { world, operation, fault, wrong }: FaultedRun): Promise<void> {
  const ended = await readOperation(app.services.db, operation.id);
  if (ended === undefined || !hasEnded(ended.status)) wrong.push('the operation has not ended');
  if (ended?.status === 'failed' && ended.error?.code === undefined) wrong.push('it failed without a code');
  // Removing a part of a lost machine succeeds, because the part is gone. The reconcilers report the lost machine.
  const isLostAside = fault.effect.kind === 'lose' && !kind.type.startsWith('vm.');
  if (ended?.status === 'succeeded' && !isLostAside)
    wrong.push(...(await disagreements(world)).map((each) => `succeeded, but ${each}`));
}

/** Lets the kind run once with each fault at each of its calls. */
async function runWithEachFault(kind: Kind, calls: readonly Call[]): Promise<FaultedRun[]> {
  const runs: FaultedRun[] = [];
  for (const [place, call] of calls.entries())
    for (const fault of faults.filter(({ firstOnly }) => place === 0 || !firstOnly))
      runs.push(
        fault.effect.kind === 'hang'
          ? await runWithHang(kind, call, fault)
          : await prepare(kind, call, fault),
      );
  const others = runs.filter(({ fault }) => fault.effect.kind !== 'hang');
  const beside = others.filter(({ call }) => !call.isShared);
  for (const group of [beside, ...others.filter(({ call }) => call.isShared).map((each) => [each])])
    expect(
      await runTogether(group),
      `an operation met no fault at ${group.map(({ call }) => call.name)}`,
    ).toBe(true);
  await forEach(runs, (each) => judge(kind, each));
  return runs;
}

/** Runs alone, because the time of the others would count. If the deadline passes before the call, it runs once more. */
async function runWithHang(kind: Kind, call: Call, fault: Fault): Promise<FaultedRun> {
  for (let patienceMs = PATIENCE_MS; patienceMs < MOST_PATIENCE_MS; patienceMs *= 4) {
    const run = await prepare(kind, call, fault);
    if (await runTogether([run], patienceMs)) return run;
  }
  throw new Error(`${kind.type} never called ${call.name}.`);
}

const forEach = (runs: readonly FaultedRun[], look: (each: FaultedRun) => Promise<void>): Promise<void> =>
  readTogether(
    runs.map(({ world }) => world),
    async () => {
      for (const each of runs) await look(each);
    },
  );

/** Reconciles and deletes everything after all faults of a kind: once for each fault would take twice as long. */
async function cleanUp(kind: Kind, runs: readonly FaultedRun[]): Promise<string[]> {
  await reconcile(kind);
  const unlike = await inventoryDifferences(app);
  await forEach(runs, async ({ world, wrong }) => {
    wrong.push(...(await disagreements(world)).map((each) => `reconciled, but ${each}`));
  });
  const worlds = runs.map(({ world }) => world);
  const refused = await deleteAll(app, worlds);
  await forEach(runs, async ({ world, wrong }) => void wrong.push(...(await leftovers(world))));
  return [
    ...unlike,
    ...refused,
    ...runs.flatMap(({ call, fault, wrong }) => wrong.map((each) => `${call.name} ${fault.name}: ${each}`)),
  ];
}

describe.each(sampleKinds(kinds, registry.endpoints))('$type', (kind) => {
  it('ends with the right status, is reconciled and leaves nothing, whatever fault the engine has', async () => {
    const calls = await callsOf(kind);
    expect(calls.length).toBeGreaterThan(0);
    expect(await cleanUp(kind, await runWithEachFault(kind, calls))).toEqual([]);
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
