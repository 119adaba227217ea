/** One running server: database, services and HTTP, started in this order and stopped in the reverse one. */
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { type Demo, seedDemo } from './demo.ts';
import { families } from './families/index.ts';
import { createLog } from './kernel/log.ts';
import type { ProviderConfig } from './kernel/provider/schema.ts';
import { buildRegistry } from './kernel/registry.ts';
import { openServices, type RunningServices } from './services.ts';
import { type Connection, openDatabase, openPool } from './store/database.ts';
import { type Embedded, openEmbedded } from './store/embedded/embedded.ts';
import { migrate } from './store/migrations/migrate.ts';
import { openExchange } from './surfaces/http/exchange.ts';
import { createServer } from './surfaces/http/server.ts';
import { serveSystem } from './surfaces/http/system.ts';
import { serveOpenapi } from './surfaces/openapi/routes.ts';

export interface AppOptions {
  readonly provider: ProviderConfig;
  /** The server can no longer do its work; whoever started it should stop it. */
  readonly onFatal: (error: Error) => void;
}

export interface RunningApp {
  readonly url: string;
  readonly log: Logger;
  /** Only at the very first start. */
  readonly demo: Demo | null;
  readonly database: string;
  close(): Promise<void>;
}

function urlOf(provider: ProviderConfig, port: number): string {
  const { host, tls } = provider.server;
  const shown = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `${tls ? 'https' : 'http'}://${shown}:${port}`;
}

async function openStorage(
  { provider, onFatal }: AppOptions,
  log: Logger,
): Promise<{ embedded: Embedded | null; connection: Connection }> {
  const { url, folder, pool_size: maxConnections } = provider.database;
  if (url !== null) return { embedded: null, connection: { connectionString: url, maxConnections } };
  const embedded = await openEmbedded({
    folder,
    onEvent: (event) => {
      log.warn(
        event.kind === 'restored' ? { pid: event.pid } : { err: event.error },
        `database ${event.kind}`,
      );
      if (event.kind === 'superseded') onFatal(event.error);
    },
  });
  return { embedded, connection: { ...embedded.connection, maxConnections } };
}

async function prepare(
  connection: Connection,
  isDemo: boolean,
  provider: ProviderConfig,
): Promise<Demo | null> {
  const db = openDatabase(openPool({ ...connection, maxConnections: 2 }));
  try {
    await migrate(db);
    return isDemo ? await seedDemo(db, buildRegistry(families), provider) : null;
  } finally {
    await db.destroy();
  }
}

async function listen(server: FastifyInstance, provider: ProviderConfig): Promise<number> {
  const { host, port } = provider.server;
  try {
    await server.listen({ host, port });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new Error(
      `Port ${port} on ${host} is taken by another program. Stop it, or set HOSTPLANE_PORT to a free port.`,
    );
  }
  const address = server.server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

export async function startApp(options: AppOptions): Promise<RunningApp> {
  const { provider } = options;
  const registry = buildRegistry(families);
  const log = createLog(registry, provider.server.log_level);
  const { embedded, connection } = await openStorage(options, log);
  const undo: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  undo.push(async () => embedded?.close());
  try {
    const expectedUrl = provider.server.base_url ?? urlOf(provider, provider.server.port);
    await embedded?.claimServer({ address: expectedUrl });
    const demo = await prepare(connection, embedded !== null, provider);
    const running: RunningServices = await openServices({
      provider,
      registry,
      connection,
      log,
      baseUrl: expectedUrl,
    });
    undo.push(() => running.close());
    const { tls, body_timeout_seconds } = provider.server;
    const server = createServer(running.services, {
      tls: tls ?? undefined,
      bodyMilliseconds: body_timeout_seconds * 1000,
    });
    serveSystem(server, running.services, running.health);
    serveOpenapi(server, running.services, (request) => openExchange(request));
    undo.push(async () => {
      running.drain();
      await server.close();
    });
    const port = await listen(server, provider);
    log.info({ url: urlOf(provider, port), pid: process.pid }, 'listening');
    const where =
      provider.database.url === null
        ? `embedded PostgreSQL in ${provider.database.folder}`
        : 'PostgreSQL at the configured URL';
    return { url: provider.server.base_url ?? urlOf(provider, port), log, demo, database: where, close };
  } catch (error) {
    await close();
    throw error;
  }
}
