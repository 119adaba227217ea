import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { families } from '../families/index.ts';
import { isCancellableAt } from '../kernel/operations/at-step.ts';
import type { Kind } from '../kernel/operations/kind.ts';
import { dropOrStop } from '../kernel/operations/operations.ts';
import { readOperation, type StoredOperation } from '../kernel/operations/store.ts';
import { buildRegistry } from '../kernel/registry.ts';
import { transact } from '../store/transaction.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { moveDeadline } from '../testing/operations.ts';
import { workshop } from '../testing/widgets.ts';
import { begin, destroy, scenarioOf, strayScenarios } from './crash-scenarios.ts';
import { type Mishap, moments, work } from './crashes.ts';
import { sampleKinds } from './sample.ts';
import { comparable, tablesWithoutHistory, tracesOf } from './table-traces.ts';
import { createWorld, endpoints, type World } from './walk.ts';

const { kinds } = buildRegistry([...families, workshop]);

/** Each kind has its own database, because the tests search all tables for leftovers. */
let app: TestApp;

interface Run {
  readonly world: World;
  readonly operation: StoredOperation;
  readonly deaths: number;
}

type Early = (operation: StoredOperation) => Promise<unknown>;

/** `early` happens before a worker claims the operation. */
async function run(kind: Kind, mishaps: readonly Mishap[], early?: Early): Promise<Run> {
  const world = await createWorld(app);
  const begun = await begin(kind, world);
  const { id } = begun;
  await early?.(begun);
  const deaths = await work(app, mishaps);
  const operation = await readOperation(app.services.db, id);
  return { world, operation: operation!, deaths };
}

/** All rows that refer to the account or its operations and resources, including the rows of the sandbox engine. */
async function endStateOf({ world }: Run): Promise<string[]> {
  const operations = await app.services.db
    .selectFrom('operations')
    .select(['id', 'resource_id'])
    .where('account_id', '=', world.account.id)
    .execute();
  const ids = operations.flatMap(({ id, resource_id }) => (resource_id === null ? [id] : [id, resource_id]));
  const traces = await tracesOf(app, [world.account.id, ...ids]);
  return comparable(traces.filter(({ table }) => !BEFORE.has(table)));
}

/** Tables of the account and the caller: their rows are written before a worker claims the operation. */
const BEFORE = new Set([
  'account_limits',
  'account_products',
  'accounts',
  'api_keys',
  'audit_entries',
  'audit_heads',
  'members',
]);

const drop: Early = (operation) =>
  transact(app.services.db, (tx) => dropOrStop(tx, app.services.registry, operation));

const runOutOfTime: Early = ({ id }) => moveDeadline(app.services.db, id, -1000);

const deleteOnFailure: Early = ({ id }) =>
  sql`update operations set on_failure = 'delete' where id = ${id}`.execute(app.services.db);

/** The tables that still mention the resource of the operation, except those that keep history. */
async function leftBy({ operation }: Run): Promise<string[]> {
  return tablesWithoutHistory(await tracesOf(app, [operation.resource_id ?? '']));
}

const names = (steps: Kind['steps'] = []): string[] => steps.map(({ name }) => name);

/** The runner keeps an engine that hangs from holding the slots of other locations. */
const usesEngines = ({ family }: Kind): boolean =>
  families.some(({ name, ports = [] }) => name === family && ports.length > 0);

it('every scenario belongs to a kind', () => {
  expect(strayScenarios(kinds)).toEqual([]);
});

describe.each(sampleKinds([...kinds.values()], endpoints))('$type', (kind) => {
  let undisturbed: string[];
  let operation: StoredOperation;

  beforeAll(async () => {
    app = await createTestApp({ works: false });
    const alone = await run(kind, []);
    operation = alone.operation;
    undisturbed = await endStateOf(alone);
  });

  afterAll(() => app.close());

  it.skipIf(!usesEngines(kind))('counts for its location, unless it works in several or none', () => {
    expect([operation.location !== '', kind.everywhere ?? false]).toEqual(
      kind.everywhere ? [false, true] : [true, false],
    );
  });

  it('can be started', () => {
    expect(() => scenarioOf(kind)).not.toThrow();
  });

  it.each(names(kind.steps))(
    'a worker that is killed at %s leaves the same rows as an undisturbed run',
    async (step) => {
      for (const what of moments) {
        const disturbed = await run(kind, [{ type: kind.type, step, what }]);
        expect(disturbed.deaths, what).toBe(1);
        expect(await endStateOf(disturbed), what).toEqual(undisturbed);
      }
    },
  );

  it('running every step twice leaves the same rows as running it once', async () => {
    const mishaps = names(kind.steps).map(
      (step): Mishap => ({ type: kind.type, step, what: 'after the effect' }),
    );
    const disturbed = await run(kind, mishaps);
    expect(disturbed.deaths).toBe(mishaps.length);
    expect(await endStateOf(disturbed)).toEqual(undisturbed);
  });

  const undone = kind.cancellable ? names(kind.undo) : [];
  const whileUndoing = async (): Promise<void> => {
    const cancelled: Mishap = { type: kind.type, step: names(kind.steps)[0]!, what: 'is cancelled' };
    const first = await run(kind, [cancelled]);
    expect(first.operation).toMatchObject({ status: 'cancelled', phase: 'undo' });
    const takenDown = await endStateOf(first);
    for (const step of undone) {
      for (const what of moments) {
        const disturbed = await run(kind, [cancelled, { type: kind.type, step, what }]);
        expect(disturbed.deaths, what).toBe(1);
        expect(await endStateOf(disturbed), `${step}: ${what}`).toEqual(takenDown);
      }
    }
  };
  if (undone.length > 0)
    it('a worker that is killed during the undo leaves the same rows as an undisturbed undo', whileUndoing);

  // That the inventory then agrees with the tables is checked in `work`, here and at all other ends.
  it('ends if it is cancelled, fails or times out, and leaves the inventory in agreement', async () => {
    const [first = ''] = names(kind.steps);
    const failed = await run(kind, [{ type: kind.type, step: first, what: 'fails' }]);
    expect(failed.operation.status).toBe('failed');
    const late = await run(kind, [], runOutOfTime);
    expect(late.operation).toMatchObject({ status: 'failed', error: { code: 'timeout' } });
    const dropped = await run(kind, [], drop);
    expect(['cancelled', 'succeeded']).toContain(dropped.operation.status);
    if (!isCancellableAt(kind, 0)) return;
    const cancelled = await run(kind, [{ type: kind.type, step: first, what: 'is cancelled' }]);
    expect(cancelled.operation.status).toBe('cancelled');
  });

  const mortal = scenarioOf(kind).indestructible === undefined ? names(kind.steps) : [];
  it.each(mortal)('after a failure at %s, its resource can be deleted and leaves nothing', async (step) => {
    for (const what of ['fails', 'fails after the effect'] as const) {
      const failed = await run(kind, [{ type: kind.type, step, what }]);
      expect(failed.operation.status, what).toBe('failed');
      await destroy(failed.world, failed.operation);
      expect(await leftBy(failed), what).toEqual([]);
    }
  });

  // Kinds that create their resource.
  const made = kind.erase === undefined ? [] : names(kind.steps);
  it.each(made)(
    'after a failure at %s with on_failure=delete, nothing is left, even if a worker is killed',
    async (step) => {
      for (const what of ['fails', 'fails after the effect'] as const) {
        const mishap: Mishap = { type: kind.type, step, what };
        const failed = await run(kind, [mishap], deleteOnFailure);
        const error = { code: 'engine_failed', detail: `${step} failed.` };
        expect(failed.operation, what).toMatchObject({ status: 'failed', error });
        expect(await leftBy(failed), what).toEqual([]);
        if (what === 'fails' || step !== made.at(-1)) continue;
        const gone = await endStateOf(failed);
        for (const undo of names(kind.undo)) {
          for (const when of moments) {
            const dying: Mishap = { type: kind.type, step: undo, what: when };
            const disturbed = await run(kind, [mishap, dying], deleteOnFailure);
            expect(disturbed.deaths, when).toBe(1);
            expect(await endStateOf(disturbed), `${undo}: ${when}`).toEqual(gone);
          }
        }
      }
    },
  );

  const late = async (): Promise<void> => {
    const outOfTime = await run(kind, [], async (operation) => {
      await deleteOnFailure(operation);
      await runOutOfTime(operation);
    });
    expect(outOfTime.operation).toMatchObject({ status: 'failed', error: { code: 'timeout' } });
    expect(await leftBy(outOfTime)).toEqual([]);
  };
  if (made.length > 0) it('after a timeout with on_failure=delete, nothing is left', late);
});
