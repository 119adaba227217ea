import { readdirSync } from 'node:fs';
import { sql } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts';
import { type Db, openDatabase, openPool } from '../database.ts';
import { migrate, pendingMigrations } from './migrate.ts';

const opened: { db: Db; database: TestDatabase }[] = [];

async function emptyDatabase(): Promise<Db> {
  const database = await createTestDatabase();
  const db = openDatabase(openPool({ ...database.connection, maxConnections: 4 }));
  opened.push({ db, database });
  await sql`drop schema public cascade`.execute(db);
  await sql`create schema public`.execute(db);
  return db;
}

afterEach(async () => {
  for (const { db, database } of opened.splice(0)) {
    await db.destroy();
    await database.drop();
  }
});

describe('migrations', () => {
  it('bring an empty database up to date, once', async () => {
    const db = await emptyDatabase();
    const all = await pendingMigrations(db);
    expect(all.length).toBeGreaterThan(0);
    expect(await migrate(db)).toEqual(all);
    expect(await migrate(db)).toEqual([]);
    expect(await pendingMigrations(db)).toEqual([]);
  });

  it('are all in the list, in the order of their numbers', async () => {
    const files = readdirSync(import.meta.dirname).filter((file) => /^\d.*\.ts$/.test(file));
    const listed = await pendingMigrations(await emptyDatabase());
    expect(listed.map((name) => `${name}.ts`)).toEqual(files.sort());
  });

  it('race without harm: each runs exactly once', async () => {
    const db = await emptyDatabase();
    const all = await pendingMigrations(db);
    const done = await Promise.all([migrate(db), migrate(db), migrate(db)]);
    expect(done.flat()).toEqual(all);
  });

  it('refuse a database that a newer version wrote, and say what to do', async () => {
    const db = await emptyDatabase();
    await migrate(db);
    await sql`insert into kysely_migration (name, timestamp) values ('9999-from-the-future', '2099-01-01')`.execute(
      db,
    );
    await expect(migrate(db)).rejects.toThrow(/newer version of Hostplane/);
  });
});
