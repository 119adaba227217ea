/**
 * Opens the PostgreSQL connection pool and the Kysely instance on top of it. Each `store.ts` adds its own
 * table types to `Tables` by declaration merging, so a new resource changes only its own folder.
 */
import { Kysely, type KyselyConfig, type Transaction } from 'kysely';
import pg from 'pg';
import { PooledDialect } from './driver.ts';
import { NamingClient } from './naming-client.ts';

// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging in each store.ts
export interface Tables {}

/** A connection pool or a transaction: functions that take a `Db` run in either. */
export type Db = Kysely<Tables>;
export type Tx = Transaction<Tables>;

export interface Connection {
  readonly connectionString?: string;
  readonly host?: string;
  readonly port?: number;
  readonly user?: string;
  readonly database?: string;
  readonly maxConnections?: number;
  readonly applicationName?: string;
}

const INT8 = 20;
const types: pg.CustomTypesConfig = {
  // Counters and sequences stay far below 2^53. A string in place of a number would be a trap for callers.
  getTypeParser: ((oid: number, format: 'text' | 'binary') =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) as pg.CustomTypesConfig['getTypeParser'],
};

export function clientConfig(connection: Connection): pg.ClientConfig {
  const { maxConnections: _, applicationName, ...where } = connection;
  return {
    ...where,
    types,
    application_name: applicationName ?? 'hostplane',
    connectionTimeoutMillis: 3_000,
    statement_timeout: 15_000,
    idle_in_transaction_session_timeout: 30_000,
    keepAlive: true,
  };
}

export function openPool(connection: Connection): pg.Pool {
  const pool = new pg.Pool({
    ...clientConfig(connection),
    max: connection.maxConnections ?? 10,
    Client: NamingClient,
  });
  // The next query reports a connection that died between two queries, idle or in a transaction. Without
  // these listeners the `error` event would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

export function openDatabase(pool: pg.Pool, options: Pick<KyselyConfig, 'log'> = {}): Db {
  return new Kysely<Tables>({ dialect: new PooledDialect(pool), ...options });
}
