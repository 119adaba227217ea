import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { type Db, openDatabase, openPool } from '../../../store/database.ts';
import { createTestApp } from '../../../testing/app.ts';
import { runCommand, urlOf } from '../../../testing/command-line.ts';
import { createTestDatabase, type TestDatabase } from '../../../testing/database.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from '../../../testing/folder.ts';
import { openPooler } from '../../../testing/pooler.ts';
import type { Finding } from './check.ts';

let folder: string;
let database: TestDatabase;
let db: Db;

beforeAll(async () => {
  folder = await makeTemporaryFolder();
  database = await createTestDatabase();
  db = openDatabase(openPool({ ...database.connection, maxConnections: 1 }));
});
afterEach(() => void vi.restoreAllMocks());
afterAll(async () => {
  await db.destroy();
  await database.drop();
  await removeTemporaryFolder(folder);
});

async function examine(connection: TestDatabase['connection'] = database.connection, env = {}) {
  const url =
    connection.host === '127.0.0.1'
      ? `postgres://${connection.user}@127.0.0.1:${connection.port}/${connection.database}`
      : urlOf(connection);
  const { out } = await runCommand(['doctor', '--json'], {
    env: { HOSTPLANE_PORT: '0', HOSTPLANE_DATA: join(folder, 'data'), HOSTPLANE_DATABASE_URL: url, ...env },
  });
  const { checks } = JSON.parse(out) as { checks: Finding[] };
  return (name: string) => checks.find((check) => check.name === name);
}

it('names the rights that the role lacks, and how to grant them', async () => {
  const role = `${database.name}_app`;
  await sql`create role ${sql.id(role)} login`.execute(db);
  await sql`grant all on all tables in schema public to ${sql.id(role)}`.execute(db);
  await sql`grant all on all sequences in schema public to ${sql.id(role)}`.execute(db);
  await sql`revoke insert, delete on accounts from ${sql.id(role)}`.execute(db);
  const of = await examine({ ...database.connection, user: role });
  await sql`drop owned by ${sql.id(role)}`.execute(db);
  await sql`drop role ${sql.id(role)}`.execute(db);
  expect(of('Rights')).toEqual({
    name: 'Rights',
    status: 'failed',
    detail: `The role ${role} lacks: delete on accounts, insert on accounts.`,
    fix: expect.stringContaining(`grant all on all tables in schema public to "${role}"`),
  });
  // Comparing the tables needs the right to create a schema for a moment.
  expect(of('Schema')?.status).toBe('skipped');
});

it('reports missing parts of the tables, and leaves nothing behind', async () => {
  await sql`drop index audit_entries_time`.execute(db);
  await sql`alter table claims alter column until drop not null`.execute(db);
  const of = await examine();
  await sql`create index audit_entries_time on audit_entries (account_id, occurred_at, sequence)`.execute(db);
  await sql`alter table claims alter column until set not null`.execute(db);
  expect(of('Schema')).toMatchObject({ status: 'failed', detail: expect.stringContaining('claims.until') });
  expect(of('Schema')?.detail).toContain('audit_entries_time');
  const { rows } = await sql`select 1 from pg_namespace where nspname like 'hostplane_doctor%'`.execute(db);
  expect(rows).toEqual([]);
  expect((await examine())('Schema')).toMatchObject({ status: 'ok' });
});

it('reports a dropped constraint, a replaced function and a disabled trigger', async () => {
  const { rows } = await sql<{ source: string; check: string }>`
    select pg_get_functiondef('access_changed'::regproc) as source, pg_get_constraintdef(oid) as check
    from pg_constraint where conname = 'accounts_status_check'`.execute(db);
  const { source, check } = rows[0]!;
  await sql`alter table accounts drop constraint accounts_status_check`.execute(db);
  await sql`
    create or replace function access_changed() returns trigger language plpgsql
    as 'begin return null; end'`.execute(db);
  await sql`alter table api_keys disable trigger user`.execute(db);
  const of = await examine();
  await sql`alter table api_keys enable trigger user`.execute(db);
  await sql.raw(source).execute(db);
  await sql.raw(`alter table accounts add constraint accounts_status_check ${check}`).execute(db);
  // Three of the five parts are shown: the constraint, the function and three triggers.
  expect(of('Schema')).toMatchObject({ status: 'failed', detail: expect.stringMatching(/ and 2 more\.$/) });
  expect((await examine())('Schema')).toMatchObject({ status: 'ok' });
});

it('reports a role that cannot migrate an empty database', async () => {
  const role = `${database.name}_guest`;
  const empty = `${database.name}_guests`;
  await sql`create role ${sql.id(role)} login`.execute(db);
  await sql`create database ${sql.id(empty)}`.execute(db);
  const of = await examine({ ...database.connection, user: role, database: empty });
  await sql`drop database ${sql.id(empty)} with (force)`.execute(db);
  await sql`drop role ${sql.id(role)}`.execute(db);
  expect(of('Rights')).toEqual({
    name: 'Rights',
    status: 'failed',
    detail: `The role ${role} cannot migrate: it may not create tables in the schema public.`,
    fix: expect.stringContaining(`grant all on schema public to "${role}"`),
  });
});

it('refuses a database that a newer version has migrated', async () => {
  await sql`insert into kysely_migration values ('9999-from-the-future', '2030-01-01')`.execute(db);
  const of = await examine();
  await sql`delete from kysely_migration where name = '9999-from-the-future'`.execute(db);
  expect(of('Migrations')).toMatchObject({
    status: 'failed',
    detail: 'A newer version of Hostplane has applied 9999-from-the-future.',
  });
});

it('reports of an empty database only that it must be migrated', async () => {
  await sql`create database ${sql.id(`${database.name}_empty`)}`.execute(db);
  const of = await examine({ ...database.connection, database: `${database.name}_empty` });
  await sql`drop database ${sql.id(`${database.name}_empty`)} with (force)`.execute(db);
  const looked = ['Database', 'Migrations', 'Rights', 'Schema', 'Writes', 'Notifications'];
  expect(looked.map((name) => of(name)?.status)).toEqual([
    ...['ok', 'failed', 'ok', 'skipped', 'skipped', 'ok'],
  ]);
});

it('reports why nothing can be written', async () => {
  await sql`alter database ${sql.id(database.name)} set default_transaction_read_only = on`.execute(db);
  const of = await examine();
  await sql`alter database ${sql.id(database.name)} reset default_transaction_read_only`.execute(db);
  expect(of('Writes')).toMatchObject({ status: 'failed', detail: expect.stringContaining('read-only') });
});

it('reports a pooler in transaction mode', async () => {
  const pooler = await openPooler(database.connection);
  const of = await examine(pooler.connection);
  await pooler.close();
  expect(of('Notifications')).toMatchObject({
    status: 'failed',
    detail: 'LISTEN hears nothing, as behind a pooler in transaction mode.',
  });
});

it('reports a key file without a key, also before its first use', async () => {
  expect((await examine())('Secret key')).toMatchObject({
    status: 'ok',
    detail: expect.stringContaining('none yet'),
  });
  const config = join(folder, 'hostplane.yaml');
  await writeFile(config, 'secrets: { key_file: secret.key }\n');
  await writeFile(join(folder, 'secret.key'), 'not a key');
  const of = await examine(database.connection, { HOSTPLANE_CONFIG: config });
  expect(of('Secret key')).toMatchObject({
    status: 'failed',
    detail: expect.stringContaining('does not contain a key'),
  });
});

it.each([
  { seconds: 60, isTold: true },
  { seconds: 3, isTold: false },
])('a clock that is $seconds s ahead is reported by doctor and at start: $isTold', async (given) => {
  const now = Date.now.bind(Date);
  vi.spyOn(Date, 'now').mockImplementation(() => now() + given.seconds * 1000);
  const of = await examine();
  const t = await createTestApp({ database });
  await t.close();
  expect(of('Clock')?.status).toBe(given.isTold ? 'failed' : 'ok');
  expect(t.logged.some((line) => line.includes('differs from that of the database'))).toBe(given.isTold);
});
