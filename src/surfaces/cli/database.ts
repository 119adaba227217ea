/** Opens the database for a command: the configured server, or the embedded one, which a running server may share. */
import { readdir } from 'node:fs/promises';
import type { ProviderConfig } from '../../provider/schema.ts';
import {
  type Connection,
  type Db,
  namedDatabase,
  openDatabase,
  openPool,
  UNLIMITED,
} from '../../store/database.ts';
import { openEmbedded } from '../../store/embedded/embedded.ts';
import { pendingMigrations } from '../../store/migrations/migrate.ts';
import { Refusal } from './refusal.ts';

export type Need =
  /** The database exists and has all migrations of this version. */
  | 'migrated'
  /** The database exists; migrations may be missing. */
  | 'present'
  /** The database is created if it does not exist, and statements may take as long as they need: for migrations. */
  | 'any';

/** Whether the folder contains an embedded database. The check itself creates none. */
export async function hasEmbeddedDatabase(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  return names.some((name) => name === 'postgres' || name === 'postgres.location');
}

async function withPool<T>(connection: Connection, need: Need, work: (db: Db) => Promise<T>): Promise<T> {
  const db = openDatabase(
    openPool({
      ...connection,
      ...(need === 'any' ? UNLIMITED : {}),
      maxConnections: 2,
      applicationName: 'hostplane command',
    }),
  );
  try {
    if (need === 'migrated') await requireMigrated(db);
    return await work(db);
  } finally {
    await db.destroy();
  }
}

async function requireMigrated(db: Db): Promise<void> {
  const pending = await pendingMigrations(db);
  if (pending.length === 0) return;
  throw new Refusal(
    `The database lacks the migrations ${pending.join(', ')}. Run: hostplane admin migrate (a start of the server does it as well).`,
  );
}

export async function withDatabase<T>(
  { database }: Pick<ProviderConfig, 'database'>,
  work: (db: Db) => Promise<T>,
  need: Need = 'migrated',
): Promise<T> {
  const { folder } = database;
  const named = namedDatabase(database);
  if (named !== null) return withPool(named, need, work);
  if (need !== 'any' && !(await hasEmbeddedDatabase(folder))) {
    throw new Refusal(
      `There is no database in ${folder} yet. Start the server once, or run: hostplane admin migrate. ` +
        'If your data is in another folder, set HOSTPLANE_DATA.',
    );
  }
  const embedded = await openEmbedded({ folder });
  try {
    return await withPool(embedded.connection, need, work);
  } finally {
    await embedded.close();
  }
}
