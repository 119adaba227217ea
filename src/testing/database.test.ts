import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from './database.ts';

describe('a test database', () => {
  let mine: TestDatabase;
  let other: TestDatabase;

  beforeAll(async () => {
    [mine, other] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  });

  afterAll(async () => {
    await Promise.all([mine.drop(), other.drop()]);
  });

  it('is migrated and shares nothing with another one', async () => {
    const clients = [mine, other].map((database) => new pg.Client(database.connection));
    for (const client of clients) await client.connect();
    const [first, second] = clients;
    await first?.query('create table only_here (id int)');
    const migrated = await first?.query("select to_regclass('accounts') is not null as found");
    const leaked = await second?.query("select to_regclass('only_here') is not null as found");
    for (const client of clients) await client.end();
    expect(migrated?.rows).toEqual([{ found: true }]);
    expect(leaked?.rows).toEqual([{ found: false }]);
  });

  it('is dropped even if clients are connected', async () => {
    const database = await createTestDatabase();
    const client = new pg.Client(database.connection);
    const ended = new Promise((resolve) => client.on('error', resolve));
    await client.connect();
    await database.drop();
    await ended;
    await expect(new pg.Client(database.connection).connect()).rejects.toThrow(/does not exist/);
  });
});
