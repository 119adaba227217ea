/**
 * Checks whether the database can be read and written, and whether operations wait in it. Everyone may ask for it (`/readyz`), so at most one check runs
 * at a time, all who ask meanwhile share its result, and the result is kept for a second.
 */
import { sql } from 'kysely';
import { type Db, STATEMENT_MS } from './database.ts';
import { isUnavailable } from './unavailable.ts';

export interface Condition {
  readonly status: 'ok' | 'degraded' | 'down';
  readonly detail?: string;
}

export interface Readiness {
  readonly database: Condition;
  readonly writes: Condition;
  readonly operations: Condition;
}

const FRESH_MS = 1_000;
const PATIENCE_MS = 3_000;
const OK: Condition = { status: 'ok' };
const NEEDS_DATABASE: Condition = { status: 'down', detail: 'needs the database' };
const UNKNOWN: Condition = { status: 'degraded', detail: 'needs the database' };
const NO_ANSWER: Readiness = {
  database: { status: 'down', detail: 'no answer; see the log' },
  writes: NEEDS_DATABASE,
  operations: UNKNOWN,
};
const TEMPORARY_FILES_LIMITED = '53400';

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? '');

/**
 * Whether the settings that we send when we connect are in effect. A pooler may ignore them; then neither a slow
 * statement nor a forgotten transaction is ended by PostgreSQL.
 */
export async function keepsSettings(db: Db): Promise<boolean> {
  const { rows } = await sql<{ ms: number }>`
    select extract(epoch from current_setting('statement_timeout')::interval) * 1000 as ms`.execute(db);
  return Number(rows[0]?.ms) === STATEMENT_MS;
}

/**
 * Throws if nothing can be written. More rows than fit into its memory make PostgreSQL write a temporary file,
 * because on a full disk small changes still succeed, in space that was reserved before. The row lock is a write that
 * read-only databases refuse. It skips a locked row, so that it never waits.
 */
export async function tryWriting(db: Db): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await sql`select 1 from instance for update skip locked`.execute(tx);
    await sql`select set_config('work_mem', '64kB', true)`.execute(tx);
    await sql`
      with filler as materialized (select repeat(md5(n::text), 32) as text from generate_series(1, 1000) as n)
      select count(text) from filler`
      .execute(tx)
      .catch((error: unknown) => {
        // Our role may write no temporary file of this size, which says nothing about the disk.
        if (codeOf(error) !== TEMPORARY_FILES_LIMITED) throw error;
      });
  });
}

/** Contains no text of PostgreSQL, because everyone may read it. */
function describeRefusedWrite(error: unknown): string {
  switch (codeOf(error)) {
    case '25006':
      return 'read-only: this is a standby, or default_transaction_read_only is on';
    case '53100':
      return 'the disk of the database is full';
    default:
      return `a write failed${codeOf(error) === '' ? '' : ` (${codeOf(error)})`}; see the log`;
  }
}

function describeRefusedConnection(error: unknown): string {
  const code = codeOf(error);
  return /^[0-9A-Z]{5}$/.test(code) ? `not reachable (${code}); see the log` : 'no answer; see the log';
}

export class DatabaseReadiness {
  readonly #db: Db;
  readonly #checkOperations: (db: Db) => Promise<Condition>;
  readonly #failed: (error: unknown) => void;
  #probe: Promise<Readiness> | null = null;
  #answer: Promise<Readiness> | null = null;
  #last: { readonly value: Readiness; readonly at: number } | null = null;

  constructor(db: Db, checkOperations: (db: Db) => Promise<Condition>, failed: (error: unknown) => void) {
    this.#db = db;
    this.#checkOperations = checkOperations;
    this.#failed = failed;
  }

  check(): Promise<Readiness> {
    if (this.#last !== null && performance.now() - this.#last.at < FRESH_MS)
      return Promise.resolve(this.#last.value);
    this.#answer ??= this.#ask().finally(() => {
      this.#answer = null;
    });
    return this.#answer;
  }

  /** Waits only a short time: a database that is cut off answers nothing for much longer. */
  async #ask(): Promise<Readiness> {
    this.#probe ??= this.#look().finally(() => {
      this.#probe = null;
    });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<Readiness>((resolve) => {
      timer = setTimeout(resolve, PATIENCE_MS, NO_ANSWER);
    });
    const value = await Promise.race([this.#probe, late]);
    clearTimeout(timer);
    this.#last = { value, at: performance.now() };
    return value;
  }

  async #look(): Promise<Readiness> {
    let database = OK;
    try {
      if (!(await keepsSettings(this.#db)))
        database = {
          status: 'degraded',
          detail: 'the settings of our connections are ignored; connect to PostgreSQL without a pooler',
        };
    } catch (error) {
      this.#failed(error);
      const detail = isUnavailable(error) ? describeRefusedConnection(error) : 'not usable; see the log';
      return { database: { status: 'down', detail }, writes: NEEDS_DATABASE, operations: UNKNOWN };
    }
    return { database, writes: await this.#tryWriting(), operations: await this.#lookAtOperations() };
  }

  async #tryWriting(): Promise<Condition> {
    try {
      await tryWriting(this.#db);
      return OK;
    } catch (error) {
      this.#failed(error);
      return { status: 'down', detail: describeRefusedWrite(error) };
    }
  }

  async #lookAtOperations(): Promise<Condition> {
    try {
      return await this.#checkOperations(this.#db);
    } catch (error) {
      this.#failed(error);
      return UNKNOWN;
    }
  }
}
