/**
 * A real PostgreSQL that needs no administrator: made on the first start, found again on the next, shared by
 * every Hostplane process of one data folder and switched off by the last of them. A server left running by
 * a killed process is taken over, and one that dies while we are here is started again.
 */
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Attachment, attach } from './attachment.ts';
import { SUPERUSER } from './cluster.ts';
import { EmbeddedFault, ServerTaken } from './fault.ts';
import { type Place, settle } from './place.ts';
import { stop } from './postmaster.ts';
import { DATABASE, type ServerInfo } from './session.ts';
import { MODEST } from './settings.ts';

export { EmbeddedFault, type ServerInfo, ServerTaken };

export type EmbeddedEvent =
  /** The database went away. The pool reconnects by itself when it is back. */
  | { readonly kind: 'lost'; readonly error: Error }
  | { readonly kind: 'retrying'; readonly error: Error; readonly delay: number }
  | { readonly kind: 'restored'; readonly pid: number }
  /** Another server took the data folder while we had no connection: this one must stop. */
  | { readonly kind: 'superseded'; readonly error: Error };

export interface EmbeddedOptions {
  readonly folder: string;
  readonly settings?: Record<string, string>;
  readonly onEvent?: (event: EmbeddedEvent) => void;
}

export interface Embedded {
  /** What `pg` needs to connect. */
  readonly connection: { host: string; port: number; user: string; database: string };
  /** The folder with the cluster, its log and, if the path is not too long, its socket. */
  readonly home: string;
  /** The process id of PostgreSQL; another one after it was started again. */
  readonly pid: number;
  /** True if it was running already. */
  readonly adopted: boolean;
  /** Makes this process the one server of the data folder, or says which process is. */
  claimServer(info?: ServerInfo): Promise<void>;
  /** Leaves; the last one out stops PostgreSQL. Close the pool first. */
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
