import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../testing/database.ts';
import { type Db, openDatabase, openPool } from './database.ts';
import { isUnavailable } from './unavailable.ts';

let database: TestDatabase;
let db: Db;

beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase(openPool({ ...database.connection, maxConnections: 4 }));
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
});

describe('the connection', () => {
  it('reads int8 as numbers and plans a repeated statement once per connection', async () => {
    await db.connection().execute(async (one) => {
      for (const value of [1, 2, 3]) {
        const { rows } = await sql<{ big: unknown }>`select ${value}::bigint + 41 as big`.execute(one);
        expect(rows[0]?.big).toBe(value + 41);
      }
      const { rows } = await sql<{ statement: string }>`
        select statement from pg_prepared_statements where statement like '%::bigint + 41%'
          and statement not like '%pg_prepared_statements%'`.execute(one);
      expect(rows).toHaveLength(1);
    });
  });

  it('keeps nothing of a transaction that throws', async () => {
    const failing = db.transaction().execute(async (tx) => {
      await sql`create table half_done (id int)`.execute(tx);
      throw new Error('in the middle');
    });
    await expect(failing).rejects.toThrow('in the middle');
    const { rows } = await sql<{
      found: boolean;
    }>`select to_regclass('half_done') is not null as found`.execute(db);
    expect(rows[0]?.found).toBe(false);
  });

  it('survives connections that are ended under it', async () => {
    const lost = db.transaction().execute(async (tx) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
      await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(db);
      await sql`select 1`.execute(tx);
    });
    const error = await lost.then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(isUnavailable(error)).toBe(true);
    const { rows } = await sql<{ one: number }>`select 1 as one`.execute(db);
    expect(rows).toEqual([{ one: 1 }]);
  });
});

describe('isUnavailable', () => {
  it.each([
    ['no server on the socket', { host: '/nowhere-at-all', port: 5432, user: 'x', database: 'x' }],
    ['no server on the port', { host: '127.0.0.1', port: 1, user: 'x', database: 'x' }],
  ])('is true: %s', async (_, connection) => {
    const away = openDatabase(openPool(connection));
    const error = await sql`select 1`.execute(away).then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(isUnavailable(error)).toBe(true);
    await away.destroy();
  });

  it('is false for a fault of ours', async () => {
    const error = await sql`select nonsense`.execute(db).then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(Error);
    expect(isUnavailable(error)).toBe(false);
    expect(isUnavailable(new Error('anything'))).toBe(false);
  });
});
