/**
 * The process's single LISTEN connection. While it is down, caches that depend on notifications cannot be
 * trusted, so subscribers learn when it goes down and comes back, not only the payloads of notifications.
 */
import pg from 'pg';
import { type Connection, clientConfig } from './database.ts';
import type { PresenceLock } from './presence.ts';

export interface Subscriber {
  heard(payload: string): void;
  /** Called once connected: the subscriber receives every notification committed from now on. */
  up(): void;
  down(): void;
}

const RETRY_MS = 250;
const HEARTBEAT_MS = 5_000;

export class Listener {
  readonly #connection: Connection;
  readonly #presence: PresenceLock | undefined;
  readonly #subscribers = new Map<string, Subscriber[]>();
  #client: pg.Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #up = false;

  /** Holds the lock `presence` while connected, so that other processes can count this one. */
  constructor(connection: Connection, presence?: PresenceLock) {
    this.#connection = connection;
    this.#presence = presence;
  }

  get isUp(): boolean {
    return this.#up;
  }

  /** Call this before `start`: the listener sends LISTEN for each channel when it connects. */
  subscribe(channel: string, subscriber: Subscriber): void {
    this.#subscribers.set(channel, [...(this.#subscribers.get(channel) ?? []), subscriber]);
  }

  async start(): Promise<void> {
    const client = new pg.Client({
      ...clientConfig({
        ...this.#connection,
        applicationName: `${this.#connection.applicationName ?? 'hostplane'} listen`,
      }),
      query_timeout: HEARTBEAT_MS,
    });
    this.#client = client;
    client.on('error', () => this.#lost(client));
    client.on('end', () => this.#lost(client));
    client.on('notification', ({ channel, payload }) => {
      for (const subscriber of this.#subscribers.get(channel) ?? []) subscriber.heard(payload ?? '');
    });
    try {
      await client.connect();
      if (this.#presence) await client.query('select pg_advisory_lock_shared($1, $2)', [...this.#presence]);
      for (const channel of this.#subscribers.keys())
        await client.query(`listen ${pg.escapeIdentifier(channel)}`);
    } catch {
      this.#lost(client);
      return;
    }
    if (this.#closed || this.#client !== client) return;
    this.#up = true;
    for (const subscriber of this.#all()) subscriber.up();
    this.#beat(client);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#client?.end().catch(() => undefined);
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
    }, HEARTBEAT_MS);
    this.#timer.unref();
  }

  #lost(client: pg.Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    clearTimeout(this.#timer);
    void client.end().catch(() => undefined);
    if (this.#up) {
      this.#up = false;
      for (const subscriber of this.#all()) subscriber.down();
    }
    if (this.#closed) return;
    this.#timer = setTimeout(() => void this.start(), RETRY_MS);
    this.#timer.unref();
  }

  #all(): Subscriber[] {
    return [...this.#subscribers.values()].flat();
  }
}
