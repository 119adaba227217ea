/**
 * Kysely's driver for `pg`, with one addition: a statement that is marked as later travels with the next one instead of
 * waiting for its own answer (`send-later.ts`).
 */
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  PostgresDialect,
  PostgresDriver,
  type QueryResult,
} from 'kysely';
import type pg from 'pg';
import type { NamingClient } from './naming-client.ts';

type Client = NamingClient & pg.PoolClient;
export type Later<R = unknown> = CompiledQuery<R> & { readonly later?: 'read' | 'unread' };
/** The rows of a statement that is sent later arrive with the answer to the next one. */
export type LaterResult<R> = QueryResult<R> & { readonly arriving?: Promise<R[]> };

const CHANGES: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

/** The stack of an error from PostgreSQL begins at the socket; this adds who sent the statement. */
function withCaller(error: unknown, { stack = '' }: Error): unknown {
  if (error instanceof Error) error.stack += `\n${stack.slice(stack.indexOf('\n') + 1)}`;
  return error;
}

class Connection implements DatabaseConnection {
  readonly client: Client;

  constructor(client: Client) {
    this.client = client;
  }

  async executeQuery<R>({ sql, parameters, later }: Later): Promise<LaterResult<R>> {
    if (later === 'read')
      return { rows: [], arriving: this.client.readLater(sql, parameters) as Promise<R[]> };
    if (later === 'unread') {
      this.client.later(sql, parameters);
      return { rows: [] };
    }
    const { command, rowCount, rows } = await this.#query(sql, parameters);
    // A text of several statements, as in migrations, has an array of results, which nobody reads.
    if (rows === undefined) return { rows: [] };
    return { rows: rows as R[], ...(CHANGES.has(command) ? { numAffectedRows: BigInt(rowCount ?? 0) } : {}) };
  }

  async #query(text: string, values: readonly unknown[]): Promise<pg.QueryResult> {
    try {
      return await this.client.query(text, values as unknown[]);
    } catch (error) {
      throw withCaller(error, new Error());
    }
  }

  // biome-ignore lint/correctness/useYield: the interface requires it, but nothing here reads with a cursor.
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('Rows are not streamed: read them in pages.');
  }
}

class PooledDriver extends PostgresDriver {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    super({ pool });
    this.#pool = pool;
  }

  override async acquireConnection(): Promise<Connection> {
    return new Connection((await this.#pool.connect()) as Client);
  }

  override async releaseConnection(connection: DatabaseConnection): Promise<void> {
    (connection as Connection).client.release();
  }
}

export class PooledDialect extends PostgresDialect {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    super({ pool });
    this.#pool = pool;
  }

  override createDriver(): Driver {
    return new PooledDriver(this.#pool);
  }
}
