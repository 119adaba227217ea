/**
 * The one connection by which a process takes part in the embedded database. It holds a shared advisory lock
 * while it is open. A process that can turn this lock into an exclusive one is the last and stops PostgreSQL.
 * The server process also holds a second lock, so that a data folder never has two servers. PostgreSQL
 * releases both locks when the connection ends, even if the process is killed.
 */
import pg from 'pg';
import { SUPERUSER } from './cluster.ts';
import { errorCode, ServerTaken } from './fault.ts';
import type { Postmaster } from './postmaster.ts';

export const DATABASE = 'hostplane';

/** Two-part keys of `pg_advisory_lock`; the first part spells "host" in ASCII. */
const AT_HOME = [0x686f7374, 1] as const;
const SERVER = [0x686f7374, 2] as const;

export interface ServerInfo {
  /** Shown to a second server that tries to use the data folder, for example the base URL of this one. */
  readonly address?: string;
}

export type Entry =
  | { readonly kind: 'entered'; readonly session: Session }
  /** No PostgreSQL listens at the socket. */
  | { readonly kind: 'absent' }
  /** PostgreSQL is starting, stopping, or about to be stopped by the last process. */
  | { readonly kind: 'busy'; readonly reason: string };

export async function enter(postmaster: Postmaster): Promise<Entry> {
  if (!postmaster.socketFolder) return { kind: 'absent' };
  let client: pg.Client | undefined;
  try {
    client = await connect(postmaster, DATABASE).catch(async (error) => {
      if (errorCode(error) !== '3D000') throw error;
      await createDatabase(postmaster);
      return connect(postmaster, DATABASE);
    });
    const { rows } = await client.query('select pg_try_advisory_lock_shared($1, $2) as held', [...AT_HOME]);
    if (rows[0].held) return { kind: 'entered', session: new Session(client) };
    await client.end();
    return { kind: 'busy', reason: 'another process is switching it off' };
  } catch (error) {
    await client?.end().catch(() => undefined);
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ECONNREFUSED') return { kind: 'absent' };
    if (isPassing(error)) return { kind: 'busy', reason: error.message };
    throw error;
  }
}

export class Session {
  readonly #client: pg.Client;
  /** Resolves with the cause, as far as it is known, when the connection is lost. */
  readonly lost: Promise<Error>;

  constructor(client: pg.Client) {
    this.#client = client;
    this.lost = new Promise((resolve) => {
      client.on('error', resolve);
      client.on('end', () => resolve(new Error('the connection ended')));
    });
  }

  async claimServer(folder: string, info: ServerInfo): Promise<void> {
    const { rows } = await this.#client.query('select pg_try_advisory_lock($1, $2) as held', [...SERVER]);
    if (!rows[0].held) throw new ServerTaken(describeHolder(folder, await this.#findServer()));
    const name = `hostplane serve pid=${process.pid}${info.address ? ` at ${info.address}` : ''}`;
    await this.#client.query("select set_config('application_name', $1, false)", [name.slice(0, 63)]);
  }

  /** True if no other process is connected; from then on no other process can enter. */
  async isLast(): Promise<boolean> {
    await this.#client.query('select pg_advisory_unlock_shared($1, $2)', [...AT_HOME]);
    const { rows } = await this.#client.query('select pg_try_advisory_lock($1, $2) as held', [...AT_HOME]);
    return rows[0].held;
  }

  async end(): Promise<void> {
    await this.#client.end().catch(() => undefined);
  }

  async #findServer(): Promise<string> {
    const { rows } = await this.#client.query(
      `select a.application_name as name from pg_locks l join pg_stat_activity a on a.pid = l.pid
        where l.locktype = 'advisory' and l.classid = $1 and l.objid = $2 and l.granted
          and l.database = (select oid from pg_database where datname = current_database())`,
      [...SERVER],
    );
    return rows[0]?.name ?? '';
  }
}

function describeHolder(folder: string, name: string): string {
  const [, pid, address] = /pid=(\d+)(?: at (\S+))?/.exec(name) ?? [];
  const holder = pid ? `process ${pid}${address ? ` at ${address}` : ''}` : 'another process';
  return (
    `A Hostplane server already runs on the data folder ${folder}: ${holder}. ` +
    `Use that one, or stop it first${pid ? ` (kill ${pid})` : ''}, or give this one a folder of its own with HOSTPLANE_DATA.`
  );
}

async function connect(postmaster: Postmaster, database: string): Promise<pg.Client> {
  const client = new pg.Client({
    host: postmaster.socketFolder,
    port: postmaster.port,
    user: SUPERUSER,
    database,
    ssl: false,
    application_name: `hostplane pid=${process.pid}`,
  });
  // A broken connection is reported by the rejection of a query or by `lost`.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function createDatabase(postmaster: Postmaster): Promise<void> {
  const client = await connect(postmaster, 'postgres');
  try {
    await client.query(`create database ${DATABASE}`);
  } catch (error) {
    // Two first starts ran at once and the other process created the database.
    if (!['42P04', '23505', '55006'].includes(errorCode(error) ?? '')) throw error;
  } finally {
    await client.end();
  }
}

/** The second pattern matches a connection that broke after it was established and before the first query. */
const BROKEN = /^(Connection terminated|Client has encountered a connection error)/;

/**
 * True if the error is temporary and worth a retry: starting up, shutting down, out of connections, or broken
 * off.
 */
function isPassing(error: unknown): error is Error {
  const passing = ['57P01', '57P02', '57P03', '53300', 'ECONNRESET', 'EPIPE', 'EAGAIN'];
  if (!(error instanceof Error)) return false;
  return passing.includes(errorCode(error) ?? '') || BROKEN.test(error.message);
}
