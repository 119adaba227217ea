/** A database of its own for a test file, copied from one that was migrated once per run. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, inject } from 'vitest';
import { type Db, openDatabase, openPool } from '../store/database.ts';
import { migrate } from '../store/migrations/migrate.ts';
import { administer, type ServerAddress, TEMPLATE } from './postgres.ts';
import { createWidgetsTable } from './widgets.ts';

export interface TestDatabase {
  readonly name: string;
  /** What `openPool` and `pg` take. */
  readonly connection: ServerAddress & { readonly database: string };
  /** Ends what is still connected to it. */
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
  await administer(server, `create database ${name} template ${TEMPLATE}`);
  return {
    name,
    connection: { ...server, database: name },
    drop: () => administer(server, `drop database if exists ${name} with (force)`),
  };
}

/** One for all tests of a file, or of the `describe` it is asked for in; there when they begin. */
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

/** On a server of the test's own, migrated and with the tables of the test family. */
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
