/** The contract of the compute port on a real engine; in files of their own, so that the two run side by side. */
import { afterAll, beforeAll, describe } from 'vitest';
import { describeCompute } from '../../engines/compute/contract.ts';
import { capabilitiesOf } from '../../engines/compute/incus/capabilities.ts';
import { type Db, openDatabase, openPool } from '../../store/database.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';
import { openIncus } from './harness.ts';
import { type EngineKind, whyNoIncus } from './programs.ts';

export function describeContainers(kind: EngineKind): void {
  const reason = whyNoIncus(kind);
  describe.skipIf(reason !== null)(reason === null ? kind : `${kind}: ${reason}`, () => {
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
    describeCompute(`${kind}, containers`, capabilitiesOf({ instanceType: 'container' }), () =>
      openIncus(db, { kind }),
    );
  });
}
