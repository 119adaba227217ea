/** Starts a PostgreSQL for one test run. Durability is switched off for speed, because its data is thrown away. */
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { prepareBinaries } from '../store/embedded/binaries.ts';
import { ensureCluster, SUPERUSER } from '../store/embedded/cluster.ts';
import { settle } from '../store/embedded/data-folder.ts';
import { type Launch, launch, stop } from '../store/embedded/postmaster.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from './folder.ts';

export interface ServerAddress {
  readonly host: string;
  readonly port: number;
  readonly user: string;
}

export interface TestPostgres extends ServerAddress {
  /** Stops the server with this signal, as an operator would, and starts it again on the same data. */
  restart(signal: 'SIGINT' | 'SIGQUIT'): Promise<void>;
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** Where the data is kept; default: a new temporary folder. */
  readonly folder?: string;
  /** The folder of the PostgreSQL programs; default: the embedded ones. */
  readonly programs?: string;
  readonly settings?: Readonly<Record<string, string>>;
  /** Receives the folder of the programs and returns another folder, whose `postgres` is started instead. */
  readonly disguise?: (programs: string) => Promise<string>;
}

const FORGETFUL = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '200',
  shared_buffers: '64MB',
  max_wal_size: '1GB',
  checkpoint_timeout: '1h',
  autovacuum: 'off',
  timezone: 'UTC',
  log_min_messages: 'log',
};

/** The migrated database that each test file copies. */
export const TEMPLATE = 'hostplane_template';

const SYSTEM = '/usr/lib/postgresql';

/** Debian has one folder per major version. Prefers 15, the oldest supported version, then the oldest installed one. */
export function findSystemPostgres(): { major: string; bin: string } | undefined {
  let majors: string[] = [];
  try {
    majors = readdirSync(SYSTEM).filter((name) => readdirSync(`${SYSTEM}/${name}/bin`).includes('initdb'));
  } catch {
    return undefined;
  }
  const major = majors.find((name) => name === '15') ?? majors.sort((a, b) => Number(a) - Number(b))[0];
  return major ? { major, bin: `${SYSTEM}/${major}/bin` } : undefined;
}

export async function startPostgres(options: PostgresOptions = {}): Promise<TestPostgres> {
  const folder = options.folder ?? (await makeTemporaryFolder());
  const place = await settle(folder);
  const bin = options.programs ?? (await prepareBinaries(place));
  await ensureCluster(place, bin);
  const started = (await options.disguise?.(bin)) ?? bin;
  const run = async (): Promise<Launch> => {
    const launched = await launch(place, started, { ...FORGETFUL, ...options.settings });
    await untilReady({ host: place.socketFolder, port: launched.port, user: SUPERUSER }, launched);
    return launched;
  };
  let { child, port } = await run();
  return {
    host: place.socketFolder,
    port,
    user: SUPERUSER,
    async restart(signal) {
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
      ({ child, port } = await run());
    },
    async stop() {
      if (child.pid) await stop(child.pid, place.cluster);
      if (options.folder === undefined) await removeTemporaryFolder(folder);
    },
  };
}

async function untilReady(server: ServerAddress, { failure, readLog }: Launch): Promise<void> {
  while (await administer(server, 'select 1').catch((error) => error)) {
    if (failure()) throw new Error(`PostgreSQL did not start: ${await readLog()}`, { cause: failure() });
    await sleep(20);
  }
}

export async function administer(server: ServerAddress, statement: string): Promise<void> {
  const client = new pg.Client({ ...server, database: 'postgres' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
