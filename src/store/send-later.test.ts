import type { Socket } from 'node:net';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../testing/database.ts';
import { type Db, openDatabase, openPool, type Tx } from './database.ts';
import { readLater, sendLater, sendNow } from './send-later.ts';

let database: TestDatabase;
let db: Db;
let packets = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  const pool = openPool({ ...database.connection, maxConnections: 1 });
  pool.on('connect', (client) => {
    const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
    const send = stream._writev?.bind(stream);
    stream._writev = (chunks, done) => {
      packets += 1;
      send?.(chunks, done);
    };
  });
  db = openDatabase(pool);
  await sql`create table notes (id int primary key)`.execute(db);
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
});
beforeEach(async () => {
  await sql`delete from notes`.execute(db);
});

const insert = (id: number) => sql`insert into notes values (${id}::int)`;
const read = async (on: Db): Promise<number[]> =>
  (await sql<{ id: number }>`select id from notes where id > ${0}::int order by id`.execute(on)).rows.map(
    ({ id }) => id,
  );

async function packetsOf(work: (tx: Tx) => Promise<unknown>): Promise<number> {
  const run = () => db.transaction().execute(work);
  // The first time, PostgreSQL parses the statements.
  await run();
  await sql`delete from notes where id > ${0}::int`.execute(db);
  packets = 0;
  await run();
  return packets;
}

const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'none',
    (error: { code?: string; message: string }) => error.code ?? error.message,
  );

describe('a statement that is sent later', () => {
  it('is sent with the next statement, begin with the first, and the last one with the commit', async () => {
    const seen: number[][] = [];
    const count = await packetsOf(async (tx) => {
      await sendLater(tx, insert(1));
      await sendLater(tx, insert(2));
      seen.push(await read(tx));
      await sendLater(tx, insert(3));
    });
    expect([count, seen.at(-1), await read(db)]).toEqual([2, [1, 2], [1, 2, 3]]);
  });

  it('is executed at once outside a transaction', async () => {
    await sendLater(db, insert(1));
    expect(await read(db)).toEqual([1]);
  });

  it('fails the next statement or the commit, and the transaction is rolled back', async () => {
    const twice = (then: (tx: Tx) => Promise<unknown>) =>
      db.transaction().execute(async (tx) => {
        await insert(1).execute(tx);
        await sendLater(tx, insert(1));
        await then(tx);
      });
    for (let time = 0; time < 2; time++) {
      expect(await failure(twice((tx) => insert(2).execute(tx)))).toBe('23505');
      expect(await failure(twice(async () => undefined))).toBe('23505');
      expect(await read(db)).toEqual([]);
    }
  });

  it('fails with statements that PostgreSQL has not parsed yet, and both can be used again', async () => {
    const divide = (by: number) => sql`select 12 / ${by}::int as later`;
    const next = () => sql<{ four: number }>`select ${4}::int as four`;
    const run = (by: number) =>
      db.transaction().execute(async (tx) => {
        await sendLater(tx, divide(by));
        return (await next().execute(tx)).rows;
      });
    expect(await failure(run(0))).toBe('22012');
    expect(await failure(run(0))).toBe('22012');
    expect([await run(3), await run(4)]).toEqual([[{ four: 4 }], [{ four: 4 }]]);
    expect((await divide(6).execute(db)).rows).toEqual([{ later: 2 }]);
  });

  it('works after a value that cannot be sent, in a new statement', async () => {
    const unsendable = {
      toPostgres() {
        throw new Error('not to be sent');
      },
    };
    const name = (value: unknown) => sql<{ name: string }>`select ${value}::text as name`;
    const later = (value: unknown) =>
      db.transaction().execute(async (tx) => {
        await sendLater(tx, sql`select ${value}::text as later`);
        return (await name('kept').execute(tx)).rows;
      });
    expect(await failure(name(unsendable).execute(db))).toBe('not to be sent');
    expect(await failure(later(unsendable))).toBe('not to be sent');
    expect(await later('sent')).toEqual([{ name: 'kept' }]);
  });

  it('is dropped by a rollback', async () => {
    const undone = db.transaction().execute(async (tx) => {
      await sendLater(tx, insert(1));
      throw new Error('changed my mind');
    });
    expect(await failure(undone)).toBe('changed my mind');
    expect(await read(db)).toEqual([]);
  });

  it('is sent before a savepoint, and a rollback to the savepoint keeps it', async () => {
    await db.transaction().execute(async (tx) => {
      await sendLater(tx, insert(1));
      await sql`savepoint here`.execute(tx);
      await sendLater(tx, insert(2));
      await sql`rollback to savepoint here`.execute(tx);
    });
    expect(await read(db)).toEqual([1]);
  });
});

describe('a statement that is read later', () => {
  const double = (n: number) => sql<{ twice: number; at: Date }>`select ${n}::int * 2 as twice, now() as at`;

  it('travels with the next statement, and each statement gets its own rows', async () => {
    const seen: unknown[] = [];
    const count = await packetsOf(async (tx) => {
      const first = await readLater(tx, double(1));
      await sendLater(tx, insert(7));
      const second = await readLater(tx, sql<{ id: number }>`select id from notes where id > ${0}::int`);
      const none = await readLater(tx, sql`select id from notes where id = ${0}::int`);
      const main = await sql<{ three: number }>`select ${3}::int as three`.execute(tx);
      const [row] = await first.rows;
      seen.push(row?.twice, row?.at instanceof Date, await second.rows, await none.rows, main.rows);
    });
    expect(count).toBe(2);
    const once = [2, true, [{ id: 7 }], [], [{ three: 3 }]];
    expect(seen).toEqual([...once, ...once]);
  });

  it('returns rows outside a transaction, and in one that flushes', async () => {
    const outside = await readLater(db, double(4));
    expect((await outside.rows)[0]?.twice).toBe(8);
    const inside = await db.transaction().execute(async (tx) => {
      const later = await readLater(tx, double(5));
      await sendNow(tx);
      return later.rows;
    });
    expect(inside[0]?.twice).toBe(10);
  });

  it('comes before a text without values, and has rows', async () => {
    const rows = await db.transaction().execute(async (tx) => {
      const later = await readLater(tx, double(6));
      await sql`savepoint here`.execute(tx);
      return later.rows;
    });
    expect(rows[0]?.twice).toBe(12);
  });

  it('fails like the next statement, also if nobody waits for it', async () => {
    const failed: unknown[] = [];
    const divided = db.transaction().execute(async (tx) => {
      const good = await readLater(tx, double(1));
      const bad = await readLater(tx, sql`select 1 / ${0}::int`);
      const after = await readLater(tx, double(2));
      const next = failure(insert(1).execute(tx));
      failed.push(await next, (await good.rows).length, await failure(bad.rows), await failure(after.rows));
      throw new Error('rolled back');
    });
    expect(await failure(divided)).toBe('rolled back');
    expect(failed).toEqual(['22012', 1, '22012', '22012']);
  });

  it('fails if the transaction is rolled back before it was sent', async () => {
    let later: Promise<unknown> | undefined;
    const undone = db.transaction().execute(async (tx) => {
      later = failure((await readLater(tx, double(1))).rows);
      throw new Error('changed my mind');
    });
    expect(await failure(undone)).toBe('changed my mind');
    expect(await later).toContain('rolled back before this statement was sent');
  });
});

describe('a transaction', () => {
  it('without a statement sends nothing', async () => {
    expect(await packetsOf(async () => undefined)).toBe(0);
    expect(await packetsOf(async (tx) => sendLater(tx, insert(1)))).toBe(1);
    expect(await read(db)).toEqual([1]);
  });

  it('sees its own writes and nobody else does, from the first statement on', async () => {
    const other = openDatabase(openPool({ ...database.connection, maxConnections: 1 }));
    await db.transaction().execute(async (tx) => {
      await insert(1).execute(tx);
      expect([await read(tx), await read(other)]).toEqual([[1], []]);
    });
    expect(await read(other)).toEqual([1]);
    await other.destroy();
  });
});
