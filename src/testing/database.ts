/** Creates a separate database for each test file, as a copy of a template that is migrated once per test run. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, inject } from 'vitest';
import { type Db, openDatabase, openPool } from '../store/database.ts';
import { migrate } from '../store/migrations/migrate.ts';
import { administer, type ServerAddress, TEMPLATE } from './postgres.ts';
import { createWidgetsTable } from './widgets.ts';

export interface TestDatabase {
  readonly name: string;
  /** The connection settings that `openPool` and `pg` accept. */
  readonly connection: ServerAddress & { readonly database: string };
  /** Also closes all connections that are still open. */
  drop(): Promise<void>;
}

declare module 'vitest' {
  interface ProvidedContext {
    postgres: ServerAddress;
  }
}

export async function createTestDatabase(): Promise<TestDatabase> {
  const server = inject('postgres');
  const name = `test_${randomBytes(6).toString('hex')}`;
  await administer(server, `create database ${name} template ${TEMPLATE} strategy file_copy`);
  return {
    name,
    connection: { ...server, database: name },
    drop: () => administer(server, `drop database if exists ${name} with (force)`),
  };
}

/** Creates one database for all tests of a file, or of the `describe` that calls it, before the first test runs. */
export function useTestDatabase(): { readonly db: Db } {
  let database: TestDatabase | undefined;
  let db: Db | undefined;
  beforeAll(async () => {
    database = await createTestDatabase();
    db = openDatabase(openPool(database.connection));
  });
  afterAll(async () => {
    await db?.destroy();
    await database?.drop();
  });
  return {
    get db() {
      if (db === undefined) throw new Error('There is no database before the tests begin.');
      return db;
    },
  };
}

/** Creates a migrated database with the tables of the test family on a server that the test started itself. */
export async function createDatabaseOn(server: ServerAddress): Promise<TestDatabase> {
  const { host, port, user } = server;
  const name = `test_${randomBytes(6).toString('hex')}`;
  const connection = { host, port, user, database: name };
  await administer(server, `create database ${name}`);
  const db = openDatabase(openPool(connection));
  await migrate(db);
  await createWidgetsTable(db);
  await db.destroy();
  return {
    name,
    connection,
    drop: () => administer(server, `drop database if exists ${name} with (force)`),
  };
}
