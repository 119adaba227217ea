/**
 * The program that worker-process.ts starts: the product with the test family. It runs only the worker on a given
 * database, or API and worker on an embedded database. Its only argument is a WorkerTask in JSON.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import pino from 'pino';
import { families } from '../families/index.ts';
import { createLog } from '../kernel/log.ts';
import { buildRegistry } from '../kernel/registry.ts';
import type { ProviderConfig } from '../provider/schema.ts';
import { openServices } from '../services.ts';
import { type Connection, openDatabase, openPool } from '../store/database.ts';
import { openEmbedded } from '../store/embedded/embedded.ts';
import { migrate } from '../store/migrations/migrate.ts';
import { createServer } from '../surfaces/http/server.ts';
import { createWidgetsTable, workshop } from './widgets.ts';
import type { WorkerTask } from './worker-process.ts';

const task = JSON.parse(process.argv[2] ?? '') as WorkerTask;
const loaded = JSON.parse(
  readFileSync(join(dirname(process.argv[1] ?? ''), 'provider.json'), 'utf8'),
) as ProviderConfig;
const provider = {
  ...loaded,
  ...(task.mail === undefined ? {} : { mail: task.mail }),
  ...(task.egress === undefined ? {} : { egress: task.egress }),
  server: { ...loaded.server, trusted_proxies: ['127.0.0.0/8'] },
};
const registry = buildRegistry([...families, workshop]);

async function prepare(connection: Connection): Promise<void> {
  const db = openDatabase(openPool({ ...connection, maxConnections: 2 }));
  await migrate(db);
  const tables = await db.introspection.getTables();
  if (!tables.some(({ name }) => name === 'widgets')) await createWidgetsTable(db);
  await db.destroy();
}

const embedded = 'folder' in task ? await openEmbedded({ folder: task.folder }) : null;
const connection = 'connection' in task ? task.connection : embedded!.connection;
if (embedded !== null) await prepare(connection);
const running = await openServices({
  provider,
  registry,
  connection,
  log: createLog(registry, 'warn', pino.destination({ dest: 2, sync: true })),
  baseUrl: 'https://api.example.test',
  secretKey: Buffer.alloc(32, 'for tests only'),
  works: true,
  leaseSeconds: task.leaseSeconds,
});
const server = embedded === null ? null : createServer(running.services);
await server?.listen({ host: '127.0.0.1', port: 0 });
const address = server?.server.address();
console.log(`ready ${typeof address === 'object' && address !== null ? address.port : ''}`);

process.once('SIGTERM', async () => {
  await server?.close();
  await running.close();
  await embedded?.close();
});
