/**
 * A real PostgreSQL that needs no administrator. The first start creates it, later starts find it again, all
 * Hostplane processes of one data folder share it, and the last of them stops it. A process adopts a
 * PostgreSQL that a killed process left running, and restarts one that dies while the process uses it.
 */
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Attachment, attach } from './attachment.ts';
import { SUPERUSER } from './cluster.ts';
import { type Place, settle } from './data-folder.ts';
import { EmbeddedFault, ServerTaken } from './fault.ts';
import { stop } from './postmaster.ts';
import { DATABASE, type ServerInfo } from './session.ts';
import { MODEST } from './settings.ts';

export { EmbeddedFault, type ServerInfo, ServerTaken };

export type EmbeddedEvent =
  /** The database is unreachable. The pool reconnects by itself when the database is back. */
  | { readonly kind: 'lost'; readonly error: Error }
  | { readonly kind: 'retrying'; readonly error: Error; readonly delay: number }
  | { readonly kind: 'restored'; readonly pid: number }
  /** Another server claimed the data folder while this process had no connection: this process must stop. */
  | { readonly kind: 'superseded'; readonly error: Error };

export interface EmbeddedOptions {
  readonly folder: string;
  readonly settings?: Record<string, string>;
  readonly onEvent?: (event: EmbeddedEvent) => void;
}

export interface Embedded {
  /** Connection settings for `pg`. */
  readonly connection: { host: string; port: number; user: string; database: string };
  /** The folder with the cluster, its log and, if the path is not too long, its socket. */
  readonly home: string;
  /** The process id of PostgreSQL. It changes when PostgreSQL is restarted. */
  readonly pid: number;
  /** True if PostgreSQL was already running. */
  readonly adopted: boolean;
  /**
   * Makes this process the only server of the data folder. Throws `ServerTaken`, naming the process, if there
   * is one.
   */
  claimServer(info?: ServerInfo): Promise<void>;
  /** Disconnects this process; the last process to close stops PostgreSQL. Close the pool first. */
  close(): Promise<void>;
}

const LONGEST_DELAY = 10_000;

export async function openEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const place = await settle(options.folder);
  const leaving = new AbortController();
  const join = () => attach(place, { ...MODEST, ...options.settings }, leaving.signal);
  return new Presence(options, place, leaving, join, await join());
}

class Presence implements Embedded {
  readonly connection;
  readonly home: string;
  readonly adopted: boolean;
  readonly #options: EmbeddedOptions;
  readonly #place: Place;
  readonly #leaving: AbortController;
  readonly #join: () => Promise<Attachment>;
  #current: Attachment;
  #claim: ServerInfo | undefined;
  #restoring: Promise<void> | undefined;
  #closed: Promise<void> | undefined;

  constructor(
    options: EmbeddedOptions,
    place: Place,
    leaving: AbortController,
    join: () => Promise<Attachment>,
    first: Attachment,
  ) {
    const { socketFolder, port } = first.postmaster;
    this.connection = { host: socketFolder, port, user: SUPERUSER, database: DATABASE };
    this.home = place.home;
    this.adopted = first.adopted;
    this.#options = options;
    this.#place = place;
    this.#leaving = leaving;
    this.#join = join;
    this.#current = first;
    this.#watch();
  }

  get pid(): number {
    return this.#current.postmaster.pid;
  }

  async claimServer(info: ServerInfo = {}): Promise<void> {
    await this.#current.session.claimServer(resolve(this.#options.folder), info);
    this.#claim = info;
  }

  close(): Promise<void> {
    this.#closed ??= this.#leave();
    return this.#closed;
  }

  async #leave(): Promise<void> {
    this.#leaving.abort();
    await this.#restoring;
    const { session, postmaster } = this.#current;
    const isLast = await session.isLast().catch(() => false);
    if (isLast) await stop(postmaster.pid, this.#place.cluster);
    await session.end();
  }

  #watch(): void {
    void this.#current.session.lost.then((error) => {
      if (this.#leaving.signal.aborted) return;
      this.#report({ kind: 'lost', error });
      this.#restoring = this.#restore();
    });
  }

  async #restore(): Promise<void> {
    const { signal } = this.#leaving;
    for (let delay = 100; !signal.aborted; delay = Math.min(delay * 2, LONGEST_DELAY)) {
      try {
        this.#current = await this.#join();
        if (this.#claim) await this.#current.session.claimServer(resolve(this.#options.folder), this.#claim);
        this.#watch();
        return this.#report({ kind: 'restored', pid: this.pid });
      } catch (cause) {
        const error = cause instanceof Error ? cause : new Error(String(cause));
        if (error instanceof ServerTaken) return this.#report({ kind: 'superseded', error });
        if (signal.aborted) return;
        this.#report({ kind: 'retrying', error, delay });
        await sleep(delay, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  #report(event: EmbeddedEvent): void {
    this.#options.onEvent?.(event);
  }
}
