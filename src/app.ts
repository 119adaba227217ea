/**
 * Runs one process: starts the database, the services and HTTP in this order, and stops them in reverse
 * order.
 */
import Fastify, { type FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { type Demo, seedDemo } from './demo.ts';
import { enginePorts } from './engine-ports.ts';
import { families } from './families/index.ts';
import { createLog } from './kernel/log.ts';
import { buildRegistry } from './kernel/registry.ts';
import { listFaults } from './provider/fault.ts';
import type { Loaded } from './provider/load.ts';
import { hasPortal, portalElsewhere, portalOriginOf } from './provider/portal-address.ts';
import { fingerprintsOf, reloadOf } from './provider/reload.ts';
import type { ProviderConfig } from './provider/schema.ts';
import { openServices, type RunningServices } from './services.ts';
import { type Connection, namedDatabase, openDatabase, openPool, UNLIMITED } from './store/database.ts';
import { type Embedded, openEmbedded } from './store/embedded/embedded.ts';
import { migrate } from './store/migrations/migrate.ts';
import { serveCliPackage } from './surfaces/cli-package/routes.ts';
import { openExchange } from './surfaces/http/exchange.ts';
import { createServer, reloadTls } from './surfaces/http/server.ts';
import { serveSystem } from './surfaces/http/system.ts';
import { serveIac } from './surfaces/iac/routes.ts';
import { serveMcp } from './surfaces/mcp/routes.ts';
import { serveOpenapi } from './surfaces/openapi/routes.ts';
import { version } from './surfaces/openapi/version.ts';
import { servePages } from './surfaces/pages/routes.ts';
import { serveCalls } from './surfaces/portal/call.ts';
import { servePortalFiles } from './surfaces/portal/files.ts';
import { serveOutbox } from './surfaces/portal/outbox.ts';
import { serveActs } from './surfaces/portal/routes.ts';

/**
 * `api` answers requests, `worker` runs operations, webhooks and schedules. By default one process does both.
 */
export type Role = 'all' | 'api' | 'worker';

export interface AppOptions {
  readonly provider: ProviderConfig;
  readonly role: Role;
  /** Called when the server can no longer work; the caller should stop it. */
  readonly onFatal: (error: Error) => void;
}

export interface RunningApp {
  /** Null for a worker without a port for probes. */
  readonly url: string | null;
  /** The address of the portal; null if this process does not serve it. */
  readonly portal: string | null;
  readonly log: Logger;
  /** Set only at the very first start. */
  readonly demo: Demo | null;
  readonly database: string;
  /** The configuration in effect. */
  provider(): ProviderConfig;
  /** Takes over a changed configuration and the certificate files, as far as that is possible without a restart. */
  reload(load: () => Loaded): void;
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
  const { folder, pool_size: maxConnections } = provider.database;
  const named = namedDatabase(provider.database);
  if (named !== null) return { embedded: null, connection: { ...named, maxConnections } };
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

async function prepare(connection: Connection): Promise<void> {
  const db = openDatabase(openPool({ ...connection, ...UNLIMITED, maxConnections: 2 }));
  try {
    await migrate(db);
  } finally {
    await db.destroy();
  }
}

async function listen(server: FastifyInstance, { host, port }: ProviderConfig['server']): Promise<number> {
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

function openApi(provider: ProviderConfig, { services, current }: RunningServices): FastifyInstance {
  const { tls, body_timeout_seconds } = provider.server;
  const server = createServer(services, {
    current,
    tls: tls ?? undefined,
    bodyMilliseconds: body_timeout_seconds * 1000,
  });
  serveOpenapi(server, services, openExchange);
  serveIac(server, services, openExchange);
  serveCliPackage(server, services, openExchange);
  const isBuilt = !provider.portal.enabled || servePortalFiles(server, services, openExchange);
  const portalFor = (host: string): string => portalElsewhere(provider, host);
  servePages(server, services, version, openExchange, isBuilt && hasPortal(provider) ? portalFor : null);
  serveMcp(server, services, { current, bodyMilliseconds: body_timeout_seconds * 1000 });
  if (provider.portal.enabled) {
    serveActs(server, services);
    serveCalls(server);
    serveOutbox(server, services);
  }
  return server;
}

/** A worker serves no API. It listens only for probes and metrics, on `worker_port` (0 disables this). */
function openHttp({ provider, role }: AppOptions, running: RunningServices): FastifyInstance | null {
  if (role === 'worker' && provider.server.worker_port === 0) return null;
  const server = role === 'worker' ? Fastify({ forceCloseConnections: true }) : openApi(provider, running);
  serveSystem(server, running.services, running.health);
  return server;
}

/** What a reload does in a process that has started. */
function openReload(
  { provider, role }: AppOptions,
  running: RunningServices,
  server: FastifyInstance | null,
) {
  const { log } = running.services;
  const atStart = fingerprintsOf(provider, enginePorts);
  const refuse = (reason: object): void =>
    log.error(reason, 'the configuration was not reloaded, and the old one stays in effect');
  const apply = (loaded: Loaded): void => {
    if (!loaded.ok) {
      refuse({ faults: listFaults(loaded.faults) });
      return;
    }
    const { config, changed, needRestart } = reloadOf(
      running.services.provider,
      loaded.config,
      atStart,
      enginePorts,
    );
    const { tls } = config.server;
    const validUntil = tls === null || role === 'worker' || server === null ? null : reloadTls(server, tls);
    running.reconfigure(config);
    const certificate = validUntil === null ? {} : { certificate_valid_until: validUntil };
    // The outcome is logged whatever the old and the new level are.
    log.level = 'info';
    log.info({ changed, ...certificate }, 'the configuration was reloaded');
    if (needRestart.length > 0)
      log.warn({ paths: needRestart }, 'these changes are not in effect: each process needs a restart');
    log.level = config.server.log_level;
  };
  return (load: () => Loaded): void => {
    try {
      apply(load());
    } catch (error) {
      refuse({ err: error });
    }
  };
}

export async function startApp(options: AppOptions): Promise<RunningApp> {
  const { provider, role } = options;
  const registry = buildRegistry(families);
  const log = createLog(registry, provider.server.log_level);
  const { embedded, connection } = await openStorage(options, log);
  const undo: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  undo.push(async () => embedded?.close());
  try {
    const address = provider.server.base_url ?? urlOf(provider, provider.server.port);
    // A data folder has one server and any number of workers.
    if (role !== 'worker') await embedded?.claimServer({ address });
    await prepare(connection);
    const running = await openServices({
      provider,
      registry,
      connection,
      log,
      baseUrl: address,
      works: role !== 'api',
      serves: role !== 'worker',
    });
    undo.push(() => running.close());
    const server = openHttp(options, running);
    undo.push(async () => {
      running.drain();
      await server?.close();
    });
    const live = {
      provider: () => running.services.provider,
      reload: openReload(options, running, server),
    };
    const where =
      provider.database.url === null
        ? `embedded PostgreSQL in ${provider.database.folder}`
        : 'PostgreSQL at the configured URL';
    // On a terminal, the text that `serve` prints says that the process is ready.
    const isLogged = !process.stderr.isTTY;
    if (server === null) {
      if (isLogged) log.info({ pid: process.pid }, 'working');
      return { url: null, portal: null, log, demo: null, database: where, ...live, close };
    }
    const place =
      role === 'worker' ? { ...provider.server, port: provider.server.worker_port } : provider.server;
    const port = await listen(server, place);
    const url = role === 'worker' ? `http://${place.host}:${port}` : urlOf(provider, port);
    // With port 0, the system chose a free one.
    if (role !== 'worker' && provider.server.base_url === null && url !== address) {
      running.moveTo(url);
      await embedded?.claimServer({ address: url });
    }
    if (isLogged) log.info({ address: url, pid: process.pid }, 'listening');
    // Runs last: the key is shown only once, so nothing may fail between creating and showing it.
    const isDemo = embedded !== null && role !== 'worker';
    const origin = role !== 'worker' && provider.portal.enabled ? portalOriginOf(provider, port) : null;
    const demo = isDemo ? await seedDemo(running.services.db, registry, provider, origin) : null;
    return {
      url: role === 'worker' ? url : (provider.server.base_url ?? url),
      portal: origin === null ? null : `${origin}/portal`,
      log,
      demo,
      database: where,
      ...live,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
