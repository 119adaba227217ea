/** The real app on a database of its own, called in process over the whole pipeline. */
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import type pino from 'pino';
import { families } from '../families/index.ts';
import { createLog } from '../kernel/log.ts';
import type { RateLimitStore } from '../kernel/rate-limit/port.ts';
import type { Endpoint } from '../kernel/record.ts';
import { buildRegistry, type Registry } from '../kernel/registry.ts';
import type { Services } from '../kernel/services.ts';
import { faultsOf } from '../kernel/validation.ts';
import { readDefaultText } from '../provider/default.ts';
import { loadProvider } from '../provider/load.ts';
import type { ProviderConfig } from '../provider/schema.ts';
import { openServices, type RunningServices } from '../services.ts';
import { createServer, type ServerOptions } from '../surfaces/http/server.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { createWidgetsTable, workshop } from './widgets.ts';

/** With public addresses for more machines than any provider's first pool has. */
function roomy(config: ProviderConfig): ProviderConfig {
  const address_pools = config.catalogue.address_pools.map((pool, i) =>
    pool.purpose === 'single' && !pool.cidr.includes(':') ? { ...pool, cidr: `10.${100 + i}.0.0/16` } : pool,
  );
  return { ...config, catalogue: { ...config.catalogue, address_pools } };
}

export interface TestApp {
  readonly app: FastifyInstance;
  readonly services: Services;
  readonly running: RunningServices;
  readonly registry: Registry;
  readonly database: TestDatabase;
  /** Every line that was logged. */
  readonly logged: string[];
  /** Each call comes from an address of its own unless it names one, so that only the limiter's tests meet the limit. */
  call(options: InjectOptions & { key?: string }): Promise<LightMyRequestResponse>;
  close(): Promise<void>;
}

export interface TestAppOptions {
  readonly provider?: (config: ProviderConfig) => ProviderConfig;
  readonly limiter?: RateLimitStore;
  readonly server?: ServerOptions;
  readonly database?: TestDatabase;
  /** Whether operations, webhooks and schedules are carried out, as in the product. Else nothing moves by itself. */
  readonly works?: boolean;
}

export function defaultProvider(): ProviderConfig {
  const loaded = loadProvider({ env: {}, defaultText: readDefaultText() });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  return roomy(atOnce(loaded.config));
}

/** Machines that boot at once: nobody learns anything from waiting for them. */
function atOnce(config: ProviderConfig): ProviderConfig {
  const locations = config.catalogue.locations.map((location) => ({
    ...location,
    compute: location.compute === null ? null : { ...location.compute, pace: 0 },
  }));
  return { ...config, catalogue: { ...config.catalogue, locations } };
}

/** No answer of any test may differ from what its record declares. */
function checkAnswer(endpoint: Endpoint, status: number, body: string | null): void {
  if (status === 304) return;
  if (status === 200 && body?.startsWith('{"dry_run":true')) return;
  const schema = endpoint.answers[status as keyof Endpoint['answers']];
  if (schema === undefined) throw new Error(`${endpoint.id} answered ${status}, which it does not declare.`);
  const faults =
    schema === null ? (body === null ? [] : ['a body']) : faultsOf(schema, JSON.parse(body ?? 'null'));
  if (faults.length > 0) throw new Error(`${endpoint.id} ${status}: ${JSON.stringify(faults)} in ${body}`);
}

/** The longest that a timer takes. What tests do with keys is told in the feed when they ask for it, and not in between. */
const NEVER_MS = 2 ** 31 - 1;

let lastAddress = 0;
export function freshAddress(): string {
  lastAddress++;
  return `10.${(lastAddress >> 16) & 255}.${(lastAddress >> 8) & 255}.${lastAddress & 255}`;
}

export async function createTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const database = options.database ?? (await createTestDatabase());
  const registry = buildRegistry([...families, workshop]);
  const provider = (options.provider ?? ((config) => config))(defaultProvider());
  const logged: string[] = [];
  const log = createLog(registry, 'debug', {
    write: (line: string) => void logged.push(line),
  } as pino.DestinationStream);
  const running = await openServices({
    provider,
    registry,
    connection: database.connection,
    log,
    baseUrl: 'https://api.example.test',
    secretKey: Buffer.alloc(32, 'for tests only'),
    ...(options.limiter ? { limiter: options.limiter } : {}),
    works: options.works ?? false,
    activityMs: NEVER_MS,
  });
  if (!options.database) await createWidgetsTable(running.services.db);
  const app = createServer(running.services, { witness: checkAnswer, ...options.server });
  await app.ready();
  return {
    app,
    services: running.services,
    running,
    registry,
    database,
    logged,
    call: ({ key, headers, ...rest }) =>
      app.inject({
        remoteAddress: freshAddress(),
        ...rest,
        headers: { ...(key === undefined ? {} : { 'x-api-key': key }), ...headers },
      }),
    async close() {
      await app.close();
      await running.close();
      if (!options.database) await database.drop();
    },
  };
}
