/**
 * No schedule calls an engine while it has a transaction open, so that an engine which does not answer holds no lock.
 * Each drift of a fixture makes a schedule call an engine to correct it; the engine does not answer these calls.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { enginePorts } from '../engine-ports.ts';
import { addFault, clearFaults, listFaults } from '../engines/sandbox/store.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { fixtures } from './fixtures.ts';
import { createWorld } from './walk.ts';

const drifts = fixtures.flatMap(({ drifts: each = {} }) => Object.entries(each));
const correcting = enginePorts
  .flatMap(({ sandbox }) => sandbox?.faults.calls ?? [])
  .filter((call) => !call.startsWith('observe'));

let app: TestApp;

beforeAll(async () => {
  app = await createTestApp();
});
afterEach(() => clearFaults(app.services.db));
afterAll(() => app.close());

const strikes = async () => (await listFaults(app.services.db)).reduce((sum, { struck }) => sum + struck, 0);

async function runSchedules(): Promise<void> {
  for (const schedule of app.registry.schedules) await schedule.run(app.services);
}

describe('schedules', () => {
  it.each(drifts)('call no engine in a transaction to correct %s', async (_, makeDrift) => {
    await makeDrift(await createWorld(app));
    for (const call of correcting) await addFault(app.services.db, { call, effect: { kind: 'unreachable' } });
    await runSchedules();
    expect(await strikes()).toBeGreaterThan(0);
    expect([...app.engineCallsInTransactions]).toEqual([]);
    await clearFaults(app.services.db);
    await runSchedules();
    expect([...app.engineCallsInTransactions]).toEqual([]);
  });
});
