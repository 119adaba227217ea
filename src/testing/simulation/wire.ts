/**
 * A database connection that records notifications on the work channel. The simulation decides which worker receives
 * them, and when.
 */
import type { Socket } from 'node:net';
import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely';
import type pg from 'pg';
import { WORK_CHANNEL } from '../../kernel/operations/store.ts';
import { type Connection, clientConfig, type Db, type Tables } from '../../store/database.ts';
import { NamingClient } from '../../store/naming-client.ts';

type Answer = pg.QueryResult<never>;
const NOTHING = { command: '', rowCount: 0, rows: [] } as unknown as Answer;

/** A statement that writes in a `with` clause; PostgreSQL reports it as a select. */
const WRITES_FIRST = /^\s*with .* as \(\s*(insert|update|delete) /s;

/** The statement that starts an operation also notifies the workers, and says so in its row. */
const isNotified = ({ rows }: Answer): boolean => {
  const [row] = rows as readonly { readonly notified?: unknown }[];
  return row?.notified !== undefined && row.notified !== null;
};

/** Stops a transaction right before its commit. */
export class Hold {
  #reach: () => void = () => undefined;
  #release: () => void = () => undefined;
  readonly #released = new Promise<void>((resolve) => {
    this.#release = resolve;
  });
  readonly reached = new Promise<void>((resolve) => {
    this.#reach = resolve;
  });
  isReached = false;

  stop(): Promise<void> {
    this.isReached = true;
    this.#reach();
    return this.#released;
  }

  release(): void {
    this.#release();
  }
}

export class Wire {
  readonly db: Db;
  readonly #client: pg.Client;
  /** Notifications of the open transaction. */
  #said: string[] = [];
  #saidAtSavepoint = 0;
  #state: 'idle' | 'beginning' | 'open' = 'idle';
  /** Committed notifications since the last `takeWords`. */
  #committed: string[] = [];
  #writes = false;
  #hasChanged = false;
  #hold: Hold | null = null;

  private constructor(client: pg.Client) {
    this.#client = client;
    this.db = openOn({ query: this.query, release: () => undefined } as unknown as PostgresPoolClient);
  }

  static async open(connection: Connection): Promise<Wire> {
    const client = new NamingClient({ ...clientConfig(connection), pipeline: true } as pg.ClientConfig);
    client.on('error', () => undefined);
    await client.connect();
    return new Wire(client);
  }

  close(): Promise<void> {
    return this.#client.end();
  }

  /** Returns the committed payloads in order, each only once. */
  takeWords(): string[] {
    return this.#committed.splice(0);
  }

  /** Returns whether any row was written since the last call. */
  takeChange(): boolean {
    const hasChanged = this.#hasChanged;
    this.#hasChanged = false;
    return hasChanged;
  }

  /** The next transaction stops before its commit. */
  hold(): Hold {
    const hold = new Hold();
    this.#hold = hold;
    return hold;
  }

  /** Cancels `hold` after work without a transaction, so that the next transaction is not stopped. */
  letGo(): void {
    this.#hold = null;
  }

  /** Whether its current statement waits for a transaction of `by`. */
  async isBlocked(by: Wire, watch: Wire): Promise<boolean> {
    const text = 'select $2::int = any(pg_blocking_pids($1::int)) as is_blocked';
    const { rows } = (await watch.query(text, [this.#pid, by.#pid])) as unknown as {
      rows: { is_blocked: boolean }[];
    };
    return rows[0]?.is_blocked === true;
  }

  get #pid(): number {
    return (this.#client as unknown as { processID: number }).processID;
  }

  readonly query = async (text: string, values: readonly unknown[]): Promise<Answer> => {
    if (text === 'begin') {
      this.#state = 'beginning';
      return NOTHING;
    }
    if (text === 'commit') await this.#hold?.stop();
    this.#hold = text === 'commit' ? null : this.#hold;
    this.#note(text, values);
    // The notification is only recorded: no connection listens for it.
    if (text.startsWith('select pg_notify(')) return NOTHING;
    const answer = await this.#send(text, values);
    const hasWritten = answer.command !== 'SELECT' || WRITES_FIRST.test(text);
    if (hasWritten && (answer.rowCount ?? 0) > 0) this.#writes = true;
    if (isNotified(answer)) this.#said.push('');
    if (this.#state === 'idle') this.#end();
    return answer;
  };

  /** `begin` is sent in one packet with the first statement. */
  async #send(text: string, values: readonly unknown[]): Promise<Answer> {
    const send = (): Promise<Answer> => this.#client.query(text, [...values]) as unknown as Promise<Answer>;
    if (this.#state !== 'beginning') return send();
    this.#state = 'open';
    const { stream } = (this.#client as unknown as { connection: { stream: Socket } }).connection;
    stream.cork();
    const both = Promise.all([this.#client.query('begin'), send()]);
    stream.uncork();
    return (await both)[1] as Answer;
  }

  #note(text: string, values: readonly unknown[]): void {
    if (text === 'rollback') this.#said = [];
    if (text.startsWith('savepoint ')) this.#saidAtSavepoint = this.#said.length;
    if (text.startsWith('rollback to ')) this.#said.length = this.#saidAtSavepoint;
    if (text.startsWith('select pg_notify(') && values[0] === WORK_CHANNEL)
      this.#said.push(String(values[1] ?? ''));
    if (text === 'rollback' || text === 'commit') this.#state = 'idle';
    if (text === 'rollback') this.#writes = false;
    if (this.#state === 'idle') this.#committed.push(...this.#said.splice(0));
  }

  /** Written rows count as a change only after the commit. */
  #end(): void {
    this.#hasChanged ||= this.#writes;
    this.#writes = false;
  }
}

export function openOn(client: PostgresPoolClient): Db {
  const pool = { connect: () => Promise.resolve(client), end: () => Promise.resolve() };
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}
