import type { EventEmitter } from 'node:events';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../testing/database.ts';
import { clientConfig, type Db, openDatabase, openPool, UNLIMITED } from './database.ts';
import { MAX_NAMES, NamingClient } from './naming-client.ts';
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

  it('ends a statement that takes too long, except for migrations', async () => {
    const sleep = sql`select pg_sleep(0.5)`;
    const limited = { ...database.connection, statementMs: 100 };
    const hurried = openDatabase(openPool(limited));
    await expect(sleep.execute(hurried)).rejects.toThrow('statement timeout');
    await hurried.destroy();
    const patient = openDatabase(openPool({ ...limited, ...UNLIMITED }));
    await sleep.execute(patient);
    await patient.destroy();
  });

  it('describes the columns of a repeated statement once', async () => {
    const client = new NamingClient(clientConfig(database.connection));
    await client.connect();
    let descriptions = 0;
    (client as unknown as { connection: EventEmitter }).connection.on('rowDescription', () => descriptions++);
    const text = `select $1::int as number, $2::text as text, now() - $3::timestamptz >= '0' as past,
      $4::jsonb as json, $5::bytea as bytes, $6::text[] as list, null::int as nothing from generate_series(1, 2)`;
    const values = [7, 'seven', new Date(0), { seven: [7] }, Buffer.from('7'), ['a', 'b,"c"']];
    const row = {
      number: 7,
      text: 'seven',
      past: true,
      json: { seven: [7] },
      bytes: Buffer.from('7'),
      list: ['a', 'b,"c"'],
      nothing: null,
    };
    for (let time = 0; time < 3; time++) {
      const { rows, rowCount, command } = await client.query(text, values);
      expect({ rows, rowCount, command }).toEqual({ rows: [row, row], rowCount: 2, command: 'SELECT' });
    }
    expect(descriptions).toBe(1);
    await client.end();
  });

  it('names every statement, and drops the one that was not used for the longest time', async () => {
    const client = new NamingClient(clientConfig(database.connection));
    await client.connect();
    const run = async (n: number): Promise<number> =>
      (await client.query(`select $1::int + ${n} as sum`, [1])).rows[0].sum;
    const named = async (n: number): Promise<{ named: number; mine: string | null }> => {
      const { rows } = await client.query(`
        select count(*)::int as named, max(name) filter (where statement = 'select $1::int + ${n} as sum') as mine
        from pg_prepared_statements`);
      return rows[0];
    };
    await run(0);
    const { mine: hot } = await named(0);
    for (let n = 1; n <= MAX_NAMES + 100; n++) {
      expect(await run(n)).toBe(n + 1);
      expect(await run(0)).toBe(1);
    }
    expect(await named(MAX_NAMES + 100)).toEqual({ named: MAX_NAMES, mine: expect.any(String) });
    expect(await named(0)).toEqual({ named: MAX_NAMES, mine: hot });
    expect(await named(1)).toEqual({ named: MAX_NAMES, mine: null });
    expect([await run(1), await run(1)]).toEqual([2, 2]);
    expect(await named(1)).toEqual({ named: MAX_NAMES, mine: expect.any(String) });
    await client.end();
  });

  it('drops a statement for one that fails, and while others are queued', async () => {
    const client = new NamingClient(clientConfig(database.connection));
    await client.connect();
    const run = (n: number) => client.query(`select $1::int + ${n} as sum`, [1]);
    const texts = Array.from({ length: MAX_NAMES + 50 }, (_, n) => n);
    const queued = [...texts, ...texts].map(run);
    expect((await Promise.all(queued)).map(({ rows }) => rows[0].sum)).toEqual(
      [...texts, ...texts].map((n) => n + 1),
    );
    await client.query('begin');
    await expect(client.query('select $1::int / 0 as never', [1])).rejects.toThrow('division by zero');
    await expect(client.query('select $1::nonsense', [1])).rejects.toThrow();
    await client.query('rollback');
    await expect(client.query('select $1::nonsense', [1])).rejects.toThrow('does not exist');
    expect((await run(7)).rows).toEqual([{ sum: 8 }]);
    const { rows } = await client.query('select count(*)::int as named from pg_prepared_statements');
    expect(rows[0].named).toBeLessThanOrEqual(MAX_NAMES);
    await client.end();
  });

  it('works after an error of a known statement, of one without rows, and of a value that cannot be sent', async () => {
    await db.connection().execute(async (one) => {
      const divide = (by: unknown) => sql<{ result: number }>`select 6 / ${by}::int as result`.execute(one);
      const unsendable = {
        toPostgres() {
          throw new Error('not to be sent');
        },
      };
      for (let time = 0; time < 2; time++) {
        expect((await divide(3)).rows).toEqual([{ result: 2 }]);
        await expect(divide(0)).rejects.toThrow('division by zero');
        await expect(divide(unsendable)).rejects.toThrow('not to be sent');
      }
      await sql`create temp table counted (id int)`.execute(one);
      for (const id of [1, 2, 3]) {
        const { numAffectedRows } = await sql`insert into counted values (${id}::int)`.execute(one);
        expect(numAffectedRows).toBe(1n);
      }
      expect((await divide(2)).rows).toEqual([{ result: 3 }]);
    });
  });

  it('rolls back a transaction that throws', async () => {
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

  it('survives terminated connections', async () => {
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

  it('is false for a programming error', async () => {
    const error = await sql`select nonsense`.execute(db).then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(Error);
    expect(isUnavailable(error)).toBe(false);
    expect(isUnavailable(new Error('anything'))).toBe(false);
  });
});
