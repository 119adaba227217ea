import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '../kernel/ids.ts';
import { createAccount } from '../testing/accounts.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { createMachineKind } from '../testing/machines.ts';
import { cancelled, ended, startOn } from '../testing/operations.ts';
import { REAL } from './environment.ts';
import { Runner } from './runner.ts';
import { DatabaseRunnerStore } from './store.ts';

let t: TestApp;

beforeAll(async () => {
  t = await createTestApp();
});
afterAll(() => t.close());

it('an operation is cancelled though the request arrives before the answer of the claim', async () => {
  const { db, registry, log } = t.services;
  const store = new DatabaseRunnerStore(db, registry, REAL);
  const runner = new Runner({
    store: new Proxy(store, {
      get: (target, name: keyof DatabaseRunnerStore) =>
        name === 'claim' ? claimLate : target[name].bind(target),
    }),
    environment: REAL,
    db,
    log,
    services: t.services,
    kindOf: (type) => registry.kinds.get(type),
  });
  const claimLate: DatabaseRunnerStore['claim'] = async (...args) => {
    const claimed = await store.claim(...args);
    for (const { id } of claimed) {
      await cancelled(t, id);
      runner.heard(id);
    }
    return claimed;
  };
  const { id } = await startOn(
    t,
    await createAccount(db),
    createMachineKind,
    newId('request').replace('req', 'mac'),
    {
      behaviours: [{ step: 'reserve', does: 'hang' }],
    },
  );
  runner.start();
  expect(await ended(t, id)).toMatchObject({ status: 'cancelled' });
  await runner.close();
});
