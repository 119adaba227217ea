import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import { readDefaultText } from '../../../kernel/provider/default.ts';
import { loadProvider } from '../../../kernel/provider/load.ts';
import { type Db, openDatabase, openPool } from '../../../store/database.ts';
import { createTestDatabase, type TestDatabase } from '../../../testing/database.ts';
import { describeCompute, type Harness } from '../contract.ts';
import { diskOf, haltInside, writeInside } from './inside.ts';
import { Sandbox, sandboxCapabilities } from './sandbox.ts';
import { addFault } from './store.ts';

const loaded = loadProvider({ env: {}, defaultText: readDefaultText() });
if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
const { images } = loaded.config.catalogue;

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

const hosts = [1, 2, 3].map((n) => ({ name: `host-${n}`, vcpus: 64, memoryMb: 65_536, diskGb: 2_000 }));

async function open(pace: number): Promise<Harness> {
  const options = { db, location: `lab-${randomBytes(4).toString('hex')}`, images, hosts, pace };
  const engine = new Sandbox(options);
  return {
    engine,
    image: { account: null, id: 'ubuntu-24.04' },
    size: { vcpus: 2, memoryMb: 2048, diskGb: 20 },
    reopen: async () => new Sandbox(options),
    writeInside: (ref, path, content) => writeInside(engine.room, ref, path, content),
    readInside: async (ref, path) => (await diskOf(engine.room, ref))[path] ?? null,
    deafen: async ({ id: target }) =>
      void (await addFault(db, { target, effect: { kind: 'ignore_shutdown' } })),
    shutDownInside: (ref) => haltInside(engine.room, ref, 'shutdown'),
    close: () => engine.close(),
  };
}

describeCompute('the sandbox, without delay', sandboxCapabilities, () => open(0));
describeCompute('the sandbox, at a quick pace', sandboxCapabilities, () => open(0.005));
