import { afterAll, beforeAll } from 'vitest';
import { type Db, openDatabase, openPool } from '../../../store/database.ts';
import { createTestDatabase, type TestDatabase } from '../../../testing/database.ts';
import { openSandbox } from '../../../testing/sandbox.ts';
import { describeCompute } from '../contract.ts';
import { sandboxCapabilities } from './capabilities.ts';

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

describeCompute('the sandbox, without delay', sandboxCapabilities, async () => openSandbox(db));
describeCompute('the sandbox, at a quick pace', sandboxCapabilities, async () =>
  openSandbox(db, { pace: 0.005 }),
);
