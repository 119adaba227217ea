import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createAccount, type TestAccount } from '../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { createDatabaseOn } from '../../testing/database.ts';
import { findFaketime, NO_FAKETIME, startMovablePostgres } from '../../testing/faketime.ts';
import { allEnded, expectWhole } from '../../testing/final-tables.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from '../../testing/folder.ts';
import { startMixed } from '../../testing/operations.ts';
import { startPostgres, type TestPostgres } from '../../testing/postgres.ts';
import { buildWorker, startWorker } from '../../testing/worker-process.ts';

const HOUR_SECONDS = 3600;
const BATCH = 60;

let folder: string;
let program: string;
const undo: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  folder = await makeTemporaryFolder();
  program = await buildWorker(folder);
});
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});
afterAll(() => removeTemporaryFolder(folder));

interface Setup {
  readonly t: TestApp;
  readonly accounts: TestAccount[];
}

/** Starts two workers on this PostgreSQL server, and an app that only starts operations. */
async function setUp(postgres: TestPostgres): Promise<Setup> {
  undo.push(() => postgres.stop());
  const database = await createDatabaseOn(postgres);
  const t = await createTestApp({ database, works: false });
  undo.push(() => t.close());
  const accounts = [await createAccount(t.services.db), await createAccount(t.services.db)];
  for (let i = 0; i < 2; i++) {
    const worker = await startWorker(program, { connection: database.connection, leaseSeconds: 2 });
    undo.push(() => worker.end('SIGKILL'));
  }
  return { t, accounts };
}

async function expectCount(t: TestApp, expected: number): Promise<void> {
  const { rows } = await sql`select 1 from operations`.execute(t.services.db);
  expect(rows.length).toBe(expected);
}

/** Waits until at least one operation has begun and has not ended. */
async function untilUnderWay(t: TestApp): Promise<void> {
  for (;;) {
    const { rows } = await sql`
      select 1 from operations where started_at is not null and finished_at is null limit 1`.execute(
      t.services.db,
    );
    if (rows.length > 0) return;
    await sleep(5);
  }
}

describe('PostgreSQL restarted in the middle', () => {
  it.each([
    { signal: 'SIGINT', shutdown: 'fast' },
    { signal: 'SIGQUIT', shutdown: 'immediate' },
  ] as const)('by a $shutdown shutdown, all operations end once', async ({ signal }) => {
    // An acknowledged commit must survive an immediate shutdown.
    const postgres = await startPostgres({ settings: { synchronous_commit: 'on' } });
    const { t, accounts } = await setUp(postgres);
    for (let round = 0; round < 2; round++) {
      await startMixed(t, accounts, BATCH);
      await untilUnderWay(t);
      await postgres.restart(signal);
    }
    await allEnded(t.services.db);
    await expectCount(t, 2 * BATCH);
    await expectWhole(t.services.db, t.registry);
  });
});

describe("the database's clock", () => {
  it('moved by an hour, forward and back, makes no operation lost, repeated or stuck', async ({ skip }) => {
    const library = findFaketime();
    if (library === undefined) return skip(NO_FAKETIME);
    const postgres = await startMovablePostgres(library);
    const { t, accounts } = await setUp(postgres);
    const { db } = t.services;
    const moves = [HOUR_SECONDS, 0, -HOUR_SECONDS, 0];
    for (const seconds of moves) {
      // These deadlines are longer than the clock jump. Children keep their own deadlines and time out when
      // the clock jumps.
      await startMixed(t, accounts, BATCH, { deadlineSeconds: 4 * HOUR_SECONDS });
      await untilUnderWay(t);
      await postgres.moveClock(seconds);
    }
    const { rows } = await sql<{ off: number }>`
      select extract(epoch from clock_timestamp())::float8 - ${Date.now() / 1000}::float8 as off`.execute(db);
    expect(Math.abs(rows[0]?.off ?? Number.NaN)).toBeLessThan(60);
    await allEnded(db);
    await expectCount(t, moves.length * BATCH);
    await expectWhole(db, t.registry);
    const failed = await sql`
      select id, type, error from operations where status <> 'succeeded' and not (
        error ->> 'code' = 'timeout' and (parent_id is not null or type = 'machine.fleet'))`.execute(db);
    expect(failed.rows).toEqual([]);
  });
});
