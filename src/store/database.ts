/**
 * The one door to PostgreSQL. Tables are typed where they are owned: each `store.ts` adds its own to `Tables`
 * by declaration merging, so a new resource touches its own folder only.
 */
import { Kysely, PostgresDialect, type Transaction } from 'kysely';
import pg from 'pg';
import { NamingClient } from './naming-client.ts';

// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging in each store.ts
export interface Tables {}

/** A pool or a transaction: whoever takes a `Db` works in either. */
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
  // Counters and sequences stay far below 2^53; a string where a number is meant is a trap for callers.
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
  // A connection that dies between two queries, idle or in a transaction, is told by the next query; without
  // listeners its event would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

export function openDatabase(pool: pg.Pool): Db {
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}
