/** Databases as earlier versions of Hostplane left them, for tests of upgrades. */
import { Migrator, sql } from 'kysely';
import { afterEach } from 'vitest';
import { type Db, openDatabase, openPool } from '../store/database.ts';
import { migrations } from '../store/migrations/migrate.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';

export interface OlderDatabase {
  readonly db: Db;
  readonly database: TestDatabase;
}

const opened: OlderDatabase[] = [];

/** Call it once in a test file that opens such databases. */
export function dropOlderDatabases(): void {
  afterEach(async () => {
    for (const { db, database } of opened.splice(0)) {
      await db.destroy();
      await database.drop();
    }
  });
}

/** A database without tables. */
export async function emptyDatabase(): Promise<OlderDatabase> {
  const database = await createTestDatabase();
  const db = openDatabase(openPool({ ...database.connection, maxConnections: 4 }));
  opened.push({ db, database });
  await sql`drop schema public cascade`.execute(db);
  await sql`create schema public`.execute(db);
  return { db, database };
}

/** A database on which the migrations ran up to this one. */
export async function databaseAt(last: keyof typeof migrations): Promise<OlderDatabase> {
  const older = await emptyDatabase();
  const migrator = new Migrator({ db: older.db, provider: { getMigrations: async () => migrations } });
  const { error } = await migrator.migrateTo(last);
  if (error !== undefined) throw error;
  return older;
}
