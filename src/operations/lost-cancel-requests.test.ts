import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '../kernel/ids.ts';
import { createAccount } from '../testing/accounts.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { createMachineKind } from '../testing/machines.ts';
import { cancelled, ended, startOn } from '../testing/operations.ts';
import { REAL } from './environment.ts';
import { Runner } from './runner.ts';
import { DatabaseRunnerStore } from './store.ts';

const LEASE_SECONDS = 1;

let t: TestApp;

beforeAll(async () => {
  t = await createTestApp();
});
afterAll(() => t.close());

/** A runner that no notification reaches. `afterClaim` runs before it has the answer of its claim. */
function runnerWith(afterClaim: (runner: Runner, ids: readonly string[]) => Promise<void>): Runner {
  const { db, registry, log } = t.services;
  const store = new DatabaseRunnerStore(db, registry, REAL, LEASE_SECONDS);
  const claim: DatabaseRunnerStore['claim'] = async (...args) => {
    const claimed = await store.claim(...args);
    await afterClaim(
      runner,
      claimed.map(({ id }) => id),
    );
    return claimed;
  };
  const stage = {
    store: new Proxy(store, {
      get: (target, name: keyof DatabaseRunnerStore) =>
        name === 'claim' ? claim : target[name].bind(target),
    }),
    environment: REAL,
    db,
    log,
    services: t.services,
    kindOf: (type: string) => registry.kinds.get(type),
  };
  const runner = new Runner(stage, { leaseSeconds: LEASE_SECONDS });
  return runner;
}

async function startHanging(): Promise<string> {
  const account = await createAccount(t.services.db);
  const machine = newId('request').replace('req', 'mac');
  const behaviours = [{ step: 'reserve', does: 'hang' }] as const;
  return (await startOn(t, account, createMachineKind, machine, { behaviours })).id;
}

it('an operation is cancelled though the request arrives before the answer of the claim', async () => {
  const id = await startHanging();
  const runner = runnerWith(async (runner, ids) => {
    for (const id of ids) {
      await cancelled(t, id);
      runner.heard(id);
    }
  });
  runner.start();
  expect(await ended(t, id)).toMatchObject({ status: 'cancelled' });
  await runner.close();
});

it('an operation is cancelled even if the notification of the request is lost', async () => {
  const id = await startHanging();
  const runner = runnerWith(async () => undefined);
  runner.start();
  await expect.poll(() => runner.running).toBe(1);
  await cancelled(t, id);
  expect(await ended(t, id)).toMatchObject({ status: 'cancelled' });
  await runner.close();
});
