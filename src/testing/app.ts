/** Starts the real app on a new database. Tests call it in process, through the whole request pipeline. */
import { mkdtempSync } from 'node:fs';
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import type pino from 'pino';
import { loadConfiguration } from '../configuration.ts';
import { enginePorts } from '../engine-ports.ts';
import { BackupStore } from '../engines/objects/settings.ts';
import type { Port } from '../engines/port.ts';
import { families } from '../families/index.ts';
import { createLog } from '../kernel/log.ts';
import type { RateLimitStore } from '../kernel/rate-limit/port.ts';
import type { Endpoint } from '../kernel/record.ts';
import { buildRegistry, type Registry } from '../kernel/registry.ts';
import type { Services } from '../kernel/services.ts';
import { faultsOf } from '../kernel/validation.ts';
import { fillDefaults } from '../provider/draft.ts';
import type { ProviderConfig } from '../provider/schema.ts';
import { openServices, type RunningServices } from '../services.ts';
import { createServer, type ServerOptions } from '../surfaces/http/server.ts';
import type { Act } from '../surfaces/portal/act.ts';
import { serveCalls } from '../surfaces/portal/call.ts';
import { serveActs } from '../surfaces/portal/routes.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { newFolderPath } from './folder.ts';
import { guardEngines, outsideTransactions } from './guarded-engines.ts';
import { createWidgetsTable, workshop } from './widgets.ts';

/** Enlarges the IPv4 pools: the demo pools have too few public addresses for all machines of a test file. */
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
  /** All log lines so far. */
  readonly logged: string[];
  /** Each call has a new client address unless the options set one, so that no test hits the rate limit by accident. */
  call(options: InjectOptions & { key?: string }): Promise<LightMyRequestResponse>;
  /** The calls to engines that were made while a transaction was open. If there are any, `close` fails. */
  readonly engineCallsInTransactions: ReadonlySet<string>;
  close(): Promise<void>;
}

export interface TestAppOptions {
  readonly provider?: (config: ProviderConfig) => ProviderConfig;
  readonly limiter?: RateLimitStore;
  readonly server?: ServerOptions;
  readonly database?: TestDatabase;
  /** Also runs the worker (operations, webhooks, schedules). Default: off; nothing runs unless a test runs it. */
  readonly works?: boolean;
  /** False: other processes do not count this one among those that share the rate limit. */
  readonly serves?: boolean;
  /** Also serves the acts of the portal, and the calls of people. */
  readonly portal?: boolean;
  /** Adds the routes of further surfaces. */
  readonly serve?: (app: FastifyInstance, services: Services) => void;
  /** Default: the ports of the product. */
  readonly ports?: readonly Port[];
}

/** Reading the file takes a tenth of a second, and most test files do it. */
let read: ProviderConfig | undefined;

/** A new copy at each call, which the caller may change. */
export function defaultProvider(): ProviderConfig {
  read ??= readProvider();
  return structuredClone(read);
}

function readProvider(): ProviderConfig {
  const loaded = loadConfiguration({ env: {} });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  return roomy(atOnce(loaded.config));
}

/** The setting of the provider's file for a store in a folder. */
export const folderStore = (folder: string): BackupStore =>
  fillDefaults(BackupStore, { driver: 'folder', folder }) as BackupStore;

/** One folder for the files of all sandboxes in this process. It is removed after all tests: Vitest kills the process. */
let sandboxFolder: string | undefined;

/** Gives each location the sandbox of every port, in which nothing takes time. */
export function atOnce(config: ProviderConfig, ports: readonly Port[] = enginePorts): ProviderConfig {
  sandboxFolder ??= mkdtempSync(newFolderPath());
  const folder = sandboxFolder;
  const settings = ports.flatMap(({ member, Settings, sandbox }) =>
    sandbox === undefined ? [] : [[member, fillDefaults(Settings, sandbox.settings(folder))] as const],
  );
  const locations = config.catalogue.locations.map((location) => ({
    ...location,
    ...Object.fromEntries(settings),
  }));
  return { ...config, catalogue: { ...config.catalogue, locations } };
}

/** Fails the test if an answer has a status or a body that its endpoint record does not declare. */
function checkAnswer(endpoint: Endpoint, status: number, body: string | null): void {
  if (status === 304) return;
  const schema = endpoint.answers[status as keyof Endpoint['answers']];
  if (schema === undefined) throw new Error(`${endpoint.id} answered ${status}, which it does not declare.`);
  const faults =
    schema === null ? (body === null ? [] : ['a body']) : faultsOf(schema, JSON.parse(body ?? 'null'));
  if (faults.length > 0) throw new Error(`${endpoint.id} ${status}: ${JSON.stringify(faults)} in ${body}`);
}

function checkAct(act: Act, answer: unknown): void {
  const faults = faultsOf(act.answer, answer);
  if (faults.length > 0) throw new Error(`${act.id}: ${JSON.stringify(faults)} in ${JSON.stringify(answer)}`);
}

/**
 * The longest delay a timer accepts. Key activity is written, with its events, only when a test requests it, so that
 * the events do not appear in the middle of another test.
 */
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
    serves: options.serves ?? true,
    activityMs: NEVER_MS,
    ...(options.ports ? { ports: options.ports } : {}),
  });
  const engineCallsInTransactions = guardEngines(registry, running.services);
  if (!options.database) await createWidgetsTable(running.services.db);
  const app = createServer(running.services, { witness: checkAnswer, ...options.server });
  if (options.portal) {
    serveActs(app, running.services, { witness: checkAct });
    serveCalls(app);
  }
  options.serve?.(app, running.services);
  await app.ready();
  return {
    app,
    services: running.services,
    running,
    registry,
    database,
    logged,
    engineCallsInTransactions,
    call: ({ key, headers, ...rest }) =>
      // `inject` sends the request only when it is awaited.
      outsideTransactions(async () =>
        app.inject({
          remoteAddress: freshAddress(),
          ...rest,
          headers: { ...(key === undefined ? {} : { 'x-api-key': key }), ...headers },
        }),
      ),
    async close() {
      await app.close();
      await running.close();
      if (!options.database) await database.drop();
      if (engineCallsInTransactions.size > 0)
        throw new Error(
          `In a transaction, engines were called: ${[...engineCallsInTransactions].join(', ')}.`,
        );
    },
  };
}
