import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Db, openDatabase, openPool } from '../../../store/database.ts';
import { createTestDatabase, type TestDatabase } from '../../../testing/database.ts';
import { addFault, clearFaults } from '../../sandbox/store.ts';
import { describeDns } from '../contract.ts';
import { SandboxDns } from './sandbox.ts';

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase(openPool(database.connection));
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
});

describeDns('the sandbox', async () => {
  const engine = new SandboxDns(db, 'lab');
  return { engine, reopen: async () => new SandboxDns(db, 'lab'), close: () => engine.close() };
});

it('the nameserver of a sandbox suffers fault rules, and has none of the names of other locations', async () => {
  const [here, elsewhere] = [new SandboxDns(db, 'fra1'), new SandboxDns(db, 'ams1')];
  const record = { hostname: 'web.example.com', ttlSeconds: 300 };
  await addFault(db, { target: '192.0.2.1', call: 'ensurePtr', times: 1, effect: { kind: 'lie' } });
  await here.ensurePtr('192.0.2.1', record);
  expect(await here.observePtr('192.0.2.1')).toBeNull();
  await here.ensurePtr('192.0.2.1', record);
  expect(await here.observePtr('192.0.2.1')).not.toBeNull();
  expect(await elsewhere.observePtr('192.0.2.1')).toBeNull();
  await addFault(db, { call: 'ensurePtr', effect: { kind: 'unreachable' } });
  await expect(here.ensurePtr('192.0.2.1', record)).rejects.toThrow('fault rule');
  await clearFaults(db);
});
