import { readdirSync } from 'node:fs';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { databaseAt, dropOlderDatabases, emptyDatabase } from '../../testing/older-database.ts';
import { migrate, pendingMigrations } from './migrate.ts';

dropOlderDatabases();

/** With the last version that was released, so many migrations had been written. New ones come after them. */
const RELEASED = { last: '0038-key-lineages', count: 33 };

describe('migrations', () => {
  it('bring an empty database up to date, once', async () => {
    const { db } = await emptyDatabase();
    const all = await pendingMigrations(db);
    expect(all.length).toBeGreaterThan(0);
    expect(await migrate(db)).toEqual(all);
    expect(await migrate(db)).toEqual([]);
    expect(await pendingMigrations(db)).toEqual([]);
  });

  it('are all in the list, in the order of their numbers', async () => {
    const files = readdirSync(import.meta.dirname).filter((file) => /^\d.*\.ts$/.test(file));
    const listed = await pendingMigrations((await emptyDatabase()).db);
    expect(listed.map((name) => `${name}.ts`)).toEqual(files.sort());
  });

  it('race without harm: each runs exactly once', async () => {
    const { db } = await emptyDatabase();
    const all = await pendingMigrations(db);
    const done = await Promise.all([migrate(db), migrate(db), migrate(db)]);
    expect(done.flat()).toEqual(all);
  });

  it('refuse a database that a newer version wrote, and say what to do', async () => {
    const { db } = await emptyDatabase();
    await migrate(db);
    await sql`insert into kysely_migration (name, timestamp) values ('9999-from-the-future', '2099-01-01')`.execute(
      db,
    );
    await expect(migrate(db)).rejects.toThrow(/newer version of Hostplane/);
  });

  it('bring a database of the last release up to date, with all new ones after those that it has', async () => {
    const all = await pendingMigrations((await emptyDatabase()).db);
    const { db } = await databaseAt(RELEASED.last);
    const pending = await pendingMigrations(db);
    expect(pending).toEqual(all.slice(RELEASED.count));
    expect(await migrate(db)).toEqual(pending);
    expect(await pendingMigrations(db)).toEqual([]);
  });
});
