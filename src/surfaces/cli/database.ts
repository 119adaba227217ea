/** The database of a command: the server that the configuration names, or the embedded one beside whoever else uses it. */
import { readdir } from 'node:fs/promises';
import type { ProviderConfig } from '../../provider/schema.ts';
import { type Connection, type Db, openDatabase, openPool } from '../../store/database.ts';
import { openEmbedded } from '../../store/embedded/embedded.ts';
import { pendingMigrations } from '../../store/migrations/migrate.ts';
import { Refusal } from './refusal.ts';

export type Need =
  /** As this version of Hostplane expects it. */
  | 'migrated'
  /** In whatever state, but there. */
  | 'present'
  /** Made if it is not there. */
  | 'any';

/** Whether a first start has happened here; looking must not be what makes a database. */
export async function hasEmbeddedDatabase(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  return names.some((name) => name === 'postgres' || name === 'postgres.location');
}

async function withPool<T>(connection: Connection, need: Need, work: (db: Db) => Promise<T>): Promise<T> {
  const db = openDatabase(
    openPool({ ...connection, maxConnections: 2, applicationName: 'hostplane command' }),
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
    `The database lacks ${pending.join(', ')}. Run: hostplane migrate (starting the server does it as well).`,
  );
}

export async function withDatabase<T>(
  { database: { url, folder } }: Pick<ProviderConfig, 'database'>,
  work: (db: Db) => Promise<T>,
  need: Need = 'migrated',
): Promise<T> {
  if (url !== null) return withPool({ connectionString: url }, need, work);
  if (need !== 'any' && !(await hasEmbeddedDatabase(folder))) {
    throw new Refusal(
      `There is no database in ${folder} yet. Start the server once, or run: hostplane migrate. ` +
        'If your data lies elsewhere, say where with HOSTPLANE_DATA.',
    );
  }
  const embedded = await openEmbedded({ folder });
  try {
    return await withPool(embedded.connection, need, work);
  } finally {
    await embedded.close();
  }
}
