import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Db } from '../../store/database.ts';
import { urlOf } from '../../testing/command-line.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts';
import { type Need, withDatabase } from './database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

async function statementLimit(need: Need): Promise<string | undefined> {
  const named = { url: urlOf(database.connection), url_file: null, folder: '/nowhere', pool_size: 2 };
  const read = async (db: Db) =>
    (await sql<{ statement_timeout: string }>`show statement_timeout`.execute(db)).rows[0]?.statement_timeout;
  return withDatabase({ database: named }, read, need);
}

it('migrations have no statement timeout, other commands have one', async () => {
  expect(await statementLimit('any')).toBe('0');
  expect(await statementLimit('migrated')).toBe('15s');
});
