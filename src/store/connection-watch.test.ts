import type { Socket } from 'node:net';
import { sql } from 'kysely';
import type pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CuttableNetwork, openCuttableNetwork } from '../testing/cuttable-network.ts';
import { createTestDatabase, type TestDatabase } from '../testing/database.ts';
import { type Connection, type Db, openDatabase, openPool } from './database.ts';
import { CommitUnanswered, transact } from './transaction.ts';
import { isUnavailable } from './unavailable.ts';

const LIMITS = { answerMs: 1_000, maxConnections: 4 };

let database: TestDatabase;
let direct: Db;
let network: CuttableNetwork;
let pool: pg.Pool;
let db: Db;

function open(limits: Partial<Connection> = {}): void {
  pool = openPool({ ...network.connection, ...LIMITS, ...limits });
  db = openDatabase(pool);
}

beforeEach(async () => {
  database = await createTestDatabase();
  direct = openDatabase(openPool({ ...database.connection, maxConnections: 1 }));
  await sql`create table notes (text text)`.execute(direct);
  network = await openCuttableNetwork(database.connection);
});
afterEach(async () => {
  await db.destroy();
  await network.close();
  await direct.destroy();
  await database.drop();
});

const read = (value: number) => sql<{ n: number }>`select ${value}::int as n`.execute(db);
const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  );
const notes = async (): Promise<string[]> =>
  (await sql<{ text: string }>`select text from notes`.execute(direct)).rows.map(({ text }) => text);

/** Opens as many connections as the pool may have. */
async function fill(): Promise<void> {
  await Promise.all(
    Array.from({ length: LIMITS.maxConnections }, () => sql`select pg_sleep(0.1)`.execute(db)),
  );
  expect(pool.idleCount).toBe(LIMITS.maxConnections);
}

describe('a network that drops all packets', () => {
  it('ends a statement in flight, and its connection is never used again', async () => {
    open();
    await read(1);
    const cut = network.cutAt('needle');
    const [error] = await Promise.all([failure(sql`select ${'needle'}::text`.execute(db)), cut]);
    expect(isUnavailable(error)).toBe(true);
    expect(pool.totalCount).toBe(0);
    network.mend();
    expect((await read(3)).rows).toEqual([{ n: 3 }]);
  });

  it('closes the idle connections too, so that no later call waits for them', async () => {
    open();
    await fill();
    network.cut();
    expect(isUnavailable(await failure(read(1)))).toBe(true);
    await expect.poll(() => pool.totalCount).toBe(0);
  });

  it('ends a transaction without a change', async () => {
    open();
    const cut = network.cutAt('two');
    const work = transact(db, async (tx) => {
      await sql`insert into notes values ('one')`.execute(tx);
      await sql`insert into notes values ('two')`.execute(tx);
    });
    const [error] = await Promise.all([failure(work), cut]);
    expect([isUnavailable(error), error instanceof CommitUnanswered]).toEqual([true, false]);
    network.mend();
    expect(await notes()).toEqual([]);
  });

  it.each([
    { what: 'all', made: [] },
    { what: 'answers', made: ['one'] },
  ] as const)('reports a commit in flight as unknown (lost: $what)', async ({ what, made }) => {
    open();
    const cut = network.cutAt('commit', what);
    const work = transact(db, async (tx) => {
      await sql`insert into notes values ('one')`.execute(tx);
    });
    const [error] = await Promise.all([failure(work), cut]);
    expect(error).toBeInstanceOf(CommitUnanswered);
    expect(isUnavailable(error)).toBe(true);
    expect(await notes()).toEqual(made);
  });

  it('does not delay the closing of the pool', async () => {
    open();
    const sockets: Socket[] = [];
    pool.on('connect', (client) =>
      sockets.push((client as unknown as { connection: { stream: Socket } }).connection.stream),
    );
    await fill();
    network.cut();
    const lost = failure(read(1));
    await db.destroy();
    expect(isUnavailable(await lost)).toBe(true);
    // Otherwise the sockets would keep the process alive.
    await expect.poll(() => sockets.map(({ destroyed }) => destroyed)).toEqual(sockets.map(() => true));
    open();
  });
});

describe('a database that answers', () => {
  it('may take long for many statements of a connection', async () => {
    open();
    for (let i = 0; i < 6; i++) await sql`select pg_sleep(0.2)`.execute(db);
    expect(pool.totalCount).toBe(1);
  });

  it('ends a transaction that takes too long, even if each statement is answered', async () => {
    open({ answerMs: 10_000, transactionMs: 500 });
    const work = transact(db, async (tx) => {
      await sql`insert into notes values ('one')`.execute(tx);
      for (;;) await sql`select pg_sleep(0.1)`.execute(tx);
    });
    expect(isUnavailable(await failure(work))).toBe(true);
    expect((await read(1)).rows).toEqual([{ n: 1 }]);
    await expect.poll(notes).toEqual([]);
  });
});
