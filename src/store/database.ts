/**
 * Opens the PostgreSQL connection pool and the Kysely instance on top of it. Each `store.ts` adds its own
 * table types to `Tables` by declaration merging, so a new resource changes only its own folder.
 */
import { Kysely, type KyselyConfig, type Transaction } from 'kysely';
import pg from 'pg';
import { ConnectionWatch } from './connection-watch.ts';
import { PooledDialect } from './driver.ts';
import { NamingClient } from './naming-client.ts';
import { Unavailable } from './unavailable.ts';
import { readUrlFile } from './url-file.ts';

// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging in each store.ts
export interface Tables {}

/** A connection pool or a transaction: functions that take a `Db` run in either. */
export type Db = Kysely<Tables>;
export type Tx = Transaction<Tables>;

export interface Connection {
  readonly connectionString?: string;
  /** The file from which `connectionString` comes. It is read again for every connection. */
  readonly urlFile?: string;
  readonly host?: string;
  readonly port?: number;
  readonly user?: string;
  readonly database?: string;
  readonly maxConnections?: number;
  readonly applicationName?: string;
  /** PostgreSQL's own limit for a statement; 0: none. */
  readonly statementMs?: number;
  /** Default: somewhat longer than PostgreSQL's own limit for a statement, so that PostgreSQL can report that one. */
  readonly answerMs?: number;
  /** Default: none, because migrations take as long as they need. */
  readonly transactionMs?: number;
}

/** For migrations: changing a table of millions of rows takes longer than any statement of a call. */
export const UNLIMITED = { statementMs: 0, answerMs: Number.POSITIVE_INFINITY } as const;

/** The connection to the database that the operator named, or null without one. */
export function namedDatabase(given: {
  readonly url: string | null;
  readonly url_file: string | null;
}): Connection | null {
  if (given.url === null) return null;
  return { connectionString: given.url, ...(given.url_file === null ? {} : { urlFile: given.url_file }) };
}

const CONNECT_MS = 3_000;
/** PostgreSQL ends a statement that takes longer. */
export const STATEMENT_MS = 15_000;
const ANSWER_MS = 17_000;
/** The limit for the transactions of calls and workers. */
export const TRANSACTION_MS = 25_000;
/** Node sends ten probes, one each second, after this time without a packet. */
const KEEPALIVE_MS = 10_000;

const INT8 = 20;
const types: pg.CustomTypesConfig = {
  // Counters and sequences stay far below 2^53. A string in place of a number would be a trap for callers.
  getTypeParser: ((oid: number, format: 'text' | 'binary') =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) as pg.CustomTypesConfig['getTypeParser'],
};

export function clientConfig(connection: Connection): pg.ClientConfig {
  const { host, port, user, database, connectionString, urlFile, applicationName, statementMs } = connection;
  const url = connectionString === undefined ? undefined : readUrlFile(urlFile, connectionString);
  return {
    ...(url === undefined ? { host, port, user, database } : { connectionString: url }),
    types,
    application_name: applicationName ?? 'hostplane',
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: statementMs ?? STATEMENT_MS,
    idle_in_transaction_session_timeout: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_MS,
  };
}

type Connected = (error: Error) => void;

/**
 * Each connection reads the URL again, so that a changed password needs no restart. Whatever keeps a connection from
 * being opened (a wrong password, a missing role or database, TLS, a full server), the database is unavailable.
 */
function clientClass(connection: Connection): new () => pg.Client {
  return class extends NamingClient {
    constructor() {
      super(clientConfig(connection));
    }

    override connect = ((connected: Connected) => {
      super.connect((error: Error | null) =>
        connected((error && new Unavailable(error.message, error)) as Error),
      );
    }) as unknown as pg.Client['connect'];
  };
}

export function openPool(connection: Connection): pg.Pool {
  const { maxConnections, answerMs = ANSWER_MS, transactionMs = Number.POSITIVE_INFINITY } = connection;
  const pool = new pg.Pool({
    connectionTimeoutMillis: CONNECT_MS,
    max: maxConnections ?? 10,
    Client: clientClass(connection),
  });
  const watch = new ConnectionWatch({ answerMs, transactionMs });
  // The next query reports a connection that died between two queries, idle or in a transaction. Without
  // these listeners the `error` event would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    watch.add(client);
  });
  return pool;
}

export function openDatabase(pool: pg.Pool, options: Pick<KyselyConfig, 'log'> = {}): Db {
  return new Kysely<Tables>({ dialect: new PooledDialect(pool), ...options });
}
