import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { startApp } from './app.ts';
import { openDatabase, openPool } from './store/database.ts';
import { defaultProvider } from './testing/app.ts';
import { urlOf } from './testing/command-line.ts';
import { createTestDatabase } from './testing/database.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from './testing/folder.ts';

it('no demo account and no key are created in an external database', async () => {
  const folder = await makeTemporaryFolder();
  const database = await createTestDatabase();
  const provider = defaultProvider();
  const app = await startApp({
    provider: {
      ...provider,
      server: { ...provider.server, port: 0, log_level: 'error' },
      database: { ...provider.database, url: urlOf(database.connection) },
      secrets: { key: null, key_file: join(folder, 'secret.key') },
    },
    role: 'all',
    onFatal: (error) => {
      throw error;
    },
  });
  const db = openDatabase(openPool({ ...database.connection, maxConnections: 1 }));
  const { rows } = await sql`select 1 from accounts union all select 1 from api_keys`.execute(db);
  await db.destroy();
  await app.close();
  await database.drop();
  await removeTemporaryFolder(folder);
  expect([app.demo, rows]).toEqual([null, []]);
});
