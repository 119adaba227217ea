/**
 * Kysely's driver for `pg`, with one addition: `sendLater` lets a statement of a transaction, whose result nobody reads,
 * travel with the next one instead of waiting for its own answer.
 */
import {
  type Compilable,
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  PostgresDialect,
  PostgresDriver,
  type QueryResult,
  type RawBuilder,
} from 'kysely';
import type pg from 'pg';
import type { Db } from './database.ts';
import type { NamingClient } from './naming-client.ts';

type Client = NamingClient & pg.PoolClient;
type Later = CompiledQuery & { readonly isLater?: true };

/**
 * Sends the statement together with the next one of the transaction, and before it. If it fails, the next one is not
 * executed and fails with its error. Outside a transaction it is executed at once.
 */
export async function sendLater(db: Db, statement: Compilable | RawBuilder<unknown>): Promise<void> {
  const query: Later = { ...statement.compile(db), ...(db.isTransaction ? { isLater: true } : {}) };
  await db.executeQuery(query);
}

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

  async executeQuery<R>({ sql, parameters, isLater }: Later): Promise<QueryResult<R>> {
    if (isLater) {
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
