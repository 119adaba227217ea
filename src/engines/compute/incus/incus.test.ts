import { afterAll, beforeAll, describe } from 'vitest';
import { type Db, openDatabase, openPool } from '../../../store/database.ts';
import { createTestDatabase, type TestDatabase } from '../../../testing/database.ts';
import { openIncus } from '../../../testing/incus/harness.ts';
import { engineKinds, whyNoIncus } from '../../../testing/incus/programs.ts';
import { describeCompute } from '../contract.ts';
import { capabilitiesOf } from './capabilities.ts';

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

for (const kind of engineKinds) {
  const reason = whyNoIncus(kind);
  describe.skipIf(reason !== null)(reason === null ? kind : `${kind}: ${reason}`, () => {
    describeCompute(`${kind}, containers`, capabilitiesOf({ instanceType: 'container' }), () =>
      openIncus(db, { kind }),
    );
  });
}
