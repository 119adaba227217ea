/** Creates the services of a process in the order of their dependencies, and closes them in reverse order. */
import type { Logger } from 'pino';
import { openEnginePorts } from './engine-ports.ts';
import type { Port } from './engines/port.ts';
import { unbuiltFamilies } from './families/index.ts';
import { KeyActivity } from './kernel/access/activity.ts';
import { ACCESS_CHANNEL, AccessCache } from './kernel/access/cache.ts';
import { AuditQueue } from './kernel/audit/queue.ts';
import { DenialQueue } from './kernel/denials/queue.ts';
import { Metrics } from './kernel/metrics.ts';
import { trustProxies } from './kernel/net/client-address.ts';
import { Egress } from './kernel/net/egress.ts';
import { CursorSeal } from './kernel/pages/cursor.ts';
import { MemoryRateLimit } from './kernel/rate-limit/memory.ts';
import type { RateLimitStore } from './kernel/rate-limit/port.ts';
import type { Registry } from './kernel/registry.ts';
import { openSeal } from './kernel/secrets/key.ts';
import { Seal } from './kernel/secrets/seal.ts';
import type { Services } from './kernel/services.ts';
import { newsChannels } from './kernel/waiting/channels.ts';
import { Waiters } from './kernel/waiting/waiters.ts';
import { tariffOf } from './money/prices/tariff.ts';
import { checkStarvation } from './operations/starvation.ts';
import { accountTurns, readTurns } from './pipeline/account-turns.ts';
import { GuessLog } from './portal-api/people/log/guesses.ts';
import { freeBytesFor } from './provider/imports.ts';
import { approvalsUrlOf } from './provider/portal-address.ts';
import { docsUrlOf, type ProviderConfig } from './provider/schema.ts';
import { MOST_SKEW_MS, readClockSkew } from './store/clock.ts';
import { type Connection, type Db, openDatabase, openPool, TRANSACTION_MS } from './store/database.ts';
import { readInstance } from './store/instance.ts';
import { Listener } from './store/listener.ts';
import { API_PROCESSES, countPresent } from './store/presence.ts';
import { DatabaseReadiness } from './store/readiness.ts';
import type { Component, Health } from './surfaces/http/system.ts';
import { openWorker } from './worker.ts';

export interface ServiceOptions {
  readonly provider: ProviderConfig;
  readonly registry: Registry;
  readonly connection: Connection;
  readonly log: Logger;
  readonly baseUrl: string;
  readonly limiter?: RateLimitStore;
  /** Default: all ports of the product. */
  readonly ports?: readonly Port[];
  /** Replaces the key that the configuration names. */
  readonly secretKey?: Buffer;
  /** Also runs the worker in this process; otherwise another process has to. */
  readonly works?: boolean;
  /** Whether this process answers API requests, and so shares the rate limit; true unless set. */
  readonly serves?: boolean;
  /** Milliseconds until the use of a key is written to the database; tests set it. */
  readonly activityMs?: number;
  /** Tests of expired leases set a shorter lease. */
  readonly leaseSeconds?: number;
}

export interface RunningServices {
  readonly services: Services;
  readonly health: Health;
  /** The services with the configuration of the last reload. A request or step that began before keeps its own. */
  current(): Services;
  /** Takes over what can change while the process runs; see `src/provider/reload.ts`. */
  reconfigure(provider: ProviderConfig): void;
  /** From now on clients are told this address, because the port is known only when it is open. */
  moveTo(baseUrl: string): void;
  /** From now on /readyz answers "down", so that load balancers send requests elsewhere. */
  drain(): void;
  close(): Promise<void>;
}

async function openLimiter(
  { provider, log, limiter, serves = true }: ServiceOptions,
  metrics: Metrics,
  db: Db,
): Promise<RateLimitStore> {
  if (limiter !== undefined) return limiter;
  if (!serves) return new MemoryRateLimit();
  const { store } = provider.server.rate_limit;
  const { url } = provider.redis;
  if (store === 'memory' || url === null) return new MemoryRateLimit();
  const { RedisRateLimit } = await import('./kernel/rate-limit/redis.ts');
  return new RedisRateLimit({
    url,
    countProcesses: () => countPresent(db, API_PROCESSES),
    onAlarm: (alarm) => {
      if (alarm.kind === 'recovered') {
        log.info(alarm, 'rate limit store');
        return;
      }
      metrics.alarms.inc({ alarm: 'rate_limit_lost' });
      log.warn(alarm, 'rate limit store');
    },
  });
}

function describeListener({ isUp, isDeaf }: Listener): Component {
  if (isUp) return { status: 'ok' };
  const detail = isDeaf
    ? 'LISTEN hears nothing, as behind a pooler in transaction mode; connect without one, or in session mode'
    : 'keys are not cached; every request reads its key from the database';
  return { status: isDeaf ? 'down' : 'degraded', detail };
}

/** Leases, deadlines and prices follow the clock of the database; logs and expiring keys that of this machine. */
async function compareClocks(db: Db, log: Logger): Promise<void> {
  const skewMs = await readClockSkew(db);
  if (Math.abs(skewMs) <= MOST_SKEW_MS) return;
  log.warn(
    { skew_seconds: Math.round(skewMs / 1000) },
    'the clock of this machine differs from that of the database; let both keep time with NTP',
  );
}

async function openSecrets(db: Db, { provider, secretKey }: ServiceOptions): Promise<Seal> {
  return secretKey ? new Seal(secretKey) : openSeal(db, provider.secrets);
}

export async function openServices(options: ServiceOptions): Promise<RunningServices> {
  const { provider, registry, log } = options;
  const connection = { transactionMs: TRANSACTION_MS, ...options.connection };
  const pool = openPool(connection);
  const db = openDatabase(pool);
  const secrets = await openSecrets(db, options).catch(async (error: unknown) => {
    await db.destroy();
    throw error;
  });
  const metrics = new Metrics();
  const limiter = await openLimiter(options, metrics, db);
  const failed = (error: unknown): void => {
    metrics.alarms.inc({ alarm: 'write_behind' });
    log.warn({ err: error }, 'rows are waiting for the database');
  };
  const access = new AccessCache(db, registry);
  const activity = new KeyActivity(db, failed, options.activityMs);
  const denials = new DenialQueue(db, failed);
  const audit = new AuditQueue(db, failed);
  const guesses = new GuessLog(db, failed);
  const listener = new Listener(connection, options.serves === false ? undefined : API_PROCESSES);
  const waiters = new Waiters();
  // The cache subscribes first: a waiter woken by a change of permissions must not read the old ones from the
  // cache.
  listener.subscribe(ACCESS_CHANNEL, access);
  for (const channel of newsChannels) listener.subscribe(channel, waiters.on(channel));
  const { cursor_secret } = await readInstance(db);
  await compareClocks(db, log);
  let { baseUrl } = options;
  const configured = (config: ProviderConfig) => ({
    provider: config,
    baseUrl,
    tariff: tariffOf(config.catalogue, [...registry.families, ...unbuiltFamilies]),
    trustedProxies: trustProxies(config.server.trusted_proxies),
    egress: new Egress(config.egress),
    docsUrl: docsUrlOf(config, baseUrl),
    approvalsUrl: approvalsUrlOf(config, baseUrl),
  });
  const ports = openEnginePorts(
    { provider, current: () => services.provider, connection, listener },
    options.ports,
  );
  const services: Services = {
    ...configured(provider),
    registry,
    db,
    access,
    activity,
    limiter,
    denials,
    turns: accountTurns(provider.database.pool_size),
    readTurns: readTurns(provider.database.pool_size),
    audit,
    guesses,
    waiters,
    metrics,
    log,
    cursors: new CursorSeal(cursor_secret),
    secrets,
    ...ports.engines,
  };
  let current: Services = { ...services };

  metrics.watch('import_disk_free_bytes', 'Free bytes on the disk for imports.', () =>
    freeBytesFor(services.provider),
  );
  metrics.watch('pool_connections', 'Open database connections.', () => pool.totalCount);
  metrics.watch('pool_idle', 'Idle database connections.', () => pool.idleCount);
  metrics.watch('pool_waiting', 'Requests waiting for a database connection.', () => pool.waitingCount);
  metrics.watch('access_cache_keys', 'API keys in the cache.', () => access.size);
  metrics.countUp('access_cache_hits', 'Key look-ups answered from the cache.', () => access.hits);
  metrics.countUp('access_cache_misses', 'Key look-ups that went to the database.', () => access.misses);
  metrics.watch('listener_up', '1 while database notifications are received.', () => Number(listener.isUp));
  metrics.watch('waiters', 'Calls and streams that wait for an event.', () => waiters.size);
  metrics.watch('limiter_addresses', 'Addresses counted by this process.', () => limiter.status().addresses);
  metrics.watch('limiter_degraded', '1 while the shared count is unreachable.', () =>
    Number(limiter.status().degraded),
  );
  metrics.countUp(
    'denials_dropped',
    'Denials not recorded, because too many arrived at once.',
    () => denials.dropped,
  );
  metrics.countUp(
    'audit_dropped',
    'Refused writes not recorded, because too many arrived at once.',
    () => audit.dropped,
  );

  let draining = false;
  const readiness = new DatabaseReadiness(db, checkStarvation, (error) =>
    log.error({ err: error }, 'the readiness check of the database failed'),
  );
  const health: Health = {
    async check() {
      const rate = limiter.status();
      return {
        server: draining ? { status: 'down', detail: 'shutting down' } : { status: 'ok' },
        ...(await readiness.check()),
        notifications: describeListener(listener),
        rate_limit: rate.degraded
          ? { status: 'degraded', detail: 'counting locally, stricter than usual' }
          : { status: 'ok', detail: rate.store },
      };
    },
  };
  const worker =
    options.works === true ? openWorker(services, () => current, listener, options.leaseSeconds) : null;
  await listener.start();
  void limiter.countSharers?.();
  worker?.start();

  const reconfigure = (config: ProviderConfig): void => {
    Object.assign(services, configured(config));
    current = { ...services };
  };
  return {
    services,
    health,
    current: () => current,
    reconfigure,
    moveTo(address) {
      baseUrl = address;
      reconfigure(services.provider);
    },
    drain: () => {
      draining = true;
      waiters.close();
    },
    async close() {
      await worker?.close();
      await Promise.all([activity.close(), denials.close(), audit.close(), guesses.close()]);
      await Promise.all([limiter.close(), listener.close(), ports.close()]);
      await db.destroy();
    },
  };
}
