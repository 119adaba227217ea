import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../testing/database.ts';
import { type Db, openDatabase, openPool, type Tx } from './database.ts';
import { transact } from './transaction.ts';

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase(openPool({ ...database.connection, maxConnections: 4 }));
  await sql`create table counters (name text primary key, value int not null default 0)`.execute(db);
  await sql`insert into counters (name) values ('a'), ('b')`.execute(db);
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
});

const raise = (tx: Tx, name: string) =>
  sql`update counters set value = value + 1 where name = ${name}`.execute(tx);

it('two transactions in a deadlock both succeed, each once', async () => {
  let tries = 0;
  let arrived = 0;
  let release = (): void => undefined;
  const bothHoldOne = new Promise<void>((resolve) => {
    release = resolve;
  });
  const inOrder = (first: string, second: string) =>
    transact(db, async (tx) => {
      tries++;
      await raise(tx, first);
      if (++arrived === 2) release();
      await bothHoldOne;
      await raise(tx, second);
    });
  await Promise.all([inOrder('a', 'b'), inOrder('b', 'a')]);
  const { rows } = await sql<{ value: number }>`select value from counters order by name`.execute(db);
  expect(rows).toEqual([{ value: 2 }, { value: 2 }]);
  // One lost and was run again, perhaps more than once: it may take its first row back before the other one wakes up.
  expect(tries).toBeGreaterThan(2);
});

it('an error that is not a deadlock is thrown', async () => {
  await expect(transact(db, () => Promise.reject(new Error('mine')))).rejects.toThrow('mine');
});
