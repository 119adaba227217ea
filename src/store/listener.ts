/**
 * The process's single LISTEN connection. While it is down, caches that depend on notifications cannot be
 * trusted, so subscribers learn when it goes down and comes back, not only the payloads of notifications.
 */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { endConnection } from './connection-watch.ts';
import { type Connection, clientConfig } from './database.ts';
import type { PresenceLock } from './presence.ts';

export interface Subscriber {
  heard(payload: string): void;
  /** Called once connected: the subscriber receives every notification committed from now on. */
  up(): void;
  down(): void;
}

const RETRY_MS = 250;
const DEAF_RETRY_MS = 5_000;
const HEARTBEAT_MS = 5_000;
/** How long a notification of another connection may take to arrive here. */
const PROOF_MS = 3_000;
const PROOF_CHANNEL = 'hostplane_proof';

export class Listener {
  readonly #connection: Connection;
  /** After this time a silent connection is asked, and in this time it must answer. */
  readonly #beatMs: number;
  readonly #presence: PresenceLock | undefined;
  readonly #subscribers = new Map<string, Subscriber[]>();
  #client: pg.Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #up = false;
  #deaf = false;

  /** Holds the lock `presence` while connected, so that other processes can count this one. */
  constructor(connection: Connection, presence?: PresenceLock) {
    this.#connection = connection;
    this.#beatMs = Math.min(HEARTBEAT_MS, connection.answerMs ?? HEARTBEAT_MS);
    this.#presence = presence;
  }

  get isUp(): boolean {
    return this.#up;
  }

  /**
   * PostgreSQL accepts LISTEN, but no notification arrives. So it is behind a connection pooler in transaction mode,
   * which gives every transaction another connection.
   */
  get isDeaf(): boolean {
    return this.#deaf;
  }

  /** Call this before `start`: the listener sends LISTEN for each channel when it connects. */
  subscribe(channel: string, subscriber: Subscriber): void {
    this.#subscribers.set(channel, [...(this.#subscribers.get(channel) ?? []), subscriber]);
  }

  async start(): Promise<void> {
    const client = new pg.Client(this.#config());
    this.#client = client;
    client.on('error', () => this.#lost(client));
    client.on('end', () => this.#lost(client));
    client.on('notification', ({ channel, payload }) => {
      for (const subscriber of this.#subscribers.get(channel) ?? []) subscriber.heard(payload ?? '');
    });
    let hears: boolean;
    try {
      await client.connect();
      if (this.#presence) await client.query('select pg_advisory_lock_shared($1, $2)', [...this.#presence]);
      for (const channel of [PROOF_CHANNEL, ...this.#subscribers.keys()])
        await client.query(`listen ${pg.escapeIdentifier(channel)}`);
      hears = await this.#hears(client);
    } catch {
      this.#lost(client);
      return;
    }
    if (this.#closed || this.#client !== client) return;
    this.#deaf = !hears;
    if (!hears) {
      this.#lost(client, DEAF_RETRY_MS);
      return;
    }
    this.#up = true;
    for (const subscriber of this.#all()) subscriber.up();
    this.#beat(client);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    if (this.#client !== undefined) await endConnection(this.#client);
  }

  #config(): pg.ClientConfig {
    const applicationName = `${this.#connection.applicationName ?? 'hostplane'} listen`;
    return { ...clientConfig({ ...this.#connection, applicationName }), query_timeout: this.#beatMs };
  }

  /** Sends a notification through a second connection, and returns whether it arrived. */
  async #hears(client: pg.Client): Promise<boolean> {
    const token = randomUUID();
    let timer: NodeJS.Timeout | undefined;
    const heard = new Promise<boolean>((resolve) => {
      timer = setTimeout(resolve, PROOF_MS, false);
      client.on('notification', ({ payload }) => payload === token && resolve(true));
      client.on('end', () => resolve(false));
    });
    const other = new pg.Client(this.#config());
    other.on('error', () => undefined);
    try {
      await other.connect();
      await other.query('select pg_notify($1, $2)', [PROOF_CHANNEL, token]);
      return await heard;
    } finally {
      clearTimeout(timer);
      void endConnection(other);
    }
  }

  /**
   * Sends a heartbeat query. A connection can die without an error event; then notifications would be lost
   * unnoticed.
   */
  #beat(client: pg.Client): void {
    this.#timer = setTimeout(async () => {
      try {
        await client.query('select 1');
        if (this.#client === client && !this.#closed) this.#beat(client);
      } catch {
        this.#lost(client);
      }
    }, this.#beatMs);
    this.#timer.unref();
  }

  #lost(client: pg.Client, retryMs = RETRY_MS): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    clearTimeout(this.#timer);
    void endConnection(client);
    if (this.#up) {
      this.#up = false;
      for (const subscriber of this.#all()) subscriber.down();
    }
    if (this.#closed) return;
    this.#timer = setTimeout(() => void this.start(), retryMs);
    this.#timer.unref();
  }

  #all(): Subscriber[] {
    return [...this.#subscribers.values()].flat();
  }
}
