import { spawnSync } from 'node:child_process';
import { chmod, mkdir, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createAccount, createKey } from '../testing/accounts.ts';
import { createTestApp } from '../testing/app.ts';
import { createDatabaseOn, createTestDatabase, type TestDatabase } from '../testing/database.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from '../testing/folder.ts';
import { openPooler } from '../testing/pooler.ts';
import { administer, startPostgres } from '../testing/postgres.ts';
import { type Db, openDatabase, openPool, type Tables } from './database.ts';
import { DatabaseReadiness } from './readiness.ts';

const OK = { database: { status: 'ok' }, writes: { status: 'ok' }, operations: { status: 'ok' } };

let database: TestDatabase;
let db: Db;
const undo: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});
afterAll(() => database.drop());

/** A new instance each time, because an instance keeps its last result for a second. */
const check = () =>
  new DatabaseReadiness(
    db,
    async () => ({ status: 'ok' }),
    () => undefined,
  ).check();

function open(connection: TestDatabase['connection'] = database.connection): void {
  db = openDatabase(openPool(connection));
  undo.push(() => db.destroy());
}

describe('readiness', () => {
  it('is ok while the database can be read and written', async () => {
    open();
    expect(await check()).toEqual(OK);
  });

  it('names a database that cannot be written to because it is read-only', async () => {
    await administer(
      database.connection,
      `alter database ${database.name} set default_transaction_read_only = on`,
    );
    undo.push(() =>
      administer(database.connection, `alter database ${database.name} reset default_transaction_read_only`),
    );
    open();
    expect(await check()).toEqual({
      database: { status: 'ok' },
      writes: {
        status: 'down',
        detail: 'read-only: this is a standby, or default_transaction_read_only is on',
      },
      operations: { status: 'ok' },
    });
  });

  it('names a database whose disk is full', async ({ skip }) => {
    const folder = await makeTemporaryFolder();
    undo.push(() => removeTemporaryFolder(folder));
    await chmod(folder, 0o755);
    const disk = join(folder, 'disk');
    await mkdir(disk);
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=256m,mode=755', 'none', disk]);
    skip(mounted.status !== 0, 'only root can mount a small disk');
    undo.push(async () => spawnSync('umount', ['--lazy', disk]));
    const postgres = await startPostgres({ folder: disk });
    undo.push(() => postgres.stop());
    open((await createDatabaseOn(postgres)).connection);
    expect(await check()).toEqual(OK);
    const { bavail, bsize } = await statfs(disk);
    await writeFile(join(disk, 'filler'), Buffer.alloc(bavail * bsize));
    expect(await check()).toEqual({
      database: { status: 'ok' },
      writes: { status: 'down', detail: 'the disk of the database is full' },
      operations: { status: 'ok' },
    });
  });

  it('queries the database once for all requests within a second', async () => {
    const sent: string[] = [];
    db = new Kysely<Tables>({
      dialect: new PostgresDialect({ pool: openPool(database.connection) }),
      log: ({ query }) => void sent.push(query.sql),
    });
    undo.push(() => db.destroy());
    const readiness = new DatabaseReadiness(
      db,
      async () => ({ status: 'ok' }),
      () => undefined,
    );
    await Promise.all(Array.from({ length: 100 }, () => readiness.check()));
    for (let i = 0; i < 100; i++) await readiness.check();
    const asked = sent.filter((text) => text.includes('statement_timeout')).length;
    expect(asked).toBeLessThan(10);
  });

  it('needs no pooler in transaction mode: notifications do not arrive, settings are ignored, keys are not cached', async () => {
    const pooler = await openPooler(database.connection);
    undo.push(() => pooler.close());
    const t = await createTestApp({ database: { ...database, connection: pooler.connection } });
    undo.push(() => t.close());
    expect(await t.running.health.check()).toMatchObject({
      database: { status: 'degraded', detail: expect.stringContaining('pooler') },
      writes: { status: 'ok' },
      notifications: { status: 'down', detail: expect.stringContaining('transaction mode') },
    });
    // Otherwise a revoked key would work on, because nobody hears of its end.
    const { key } = await createKey(t.services.db, await createAccount(t.services.db));
    await t.call({ url: '/account/v1/whoami', key });
    await sql`update api_keys set status = 'revoked'`.execute(t.services.db);
    expect((await t.call({ url: '/account/v1/whoami', key })).statusCode).toBe(401);
  });
});
