/**
 * Follows the lifecycle events of the engine: one stream for all watchers, reopened whenever it breaks. Events during
 * an interruption are lost, so after each reconnect the watchers are notified about every machine.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import type { Watcher } from '../../engine.ts';
import type { Ref } from '../instance.ts';
import type { Client } from './client.ts';
import { idOf, refOfPath } from './names.ts';

interface Event {
  readonly type: string;
  readonly project?: string;
  readonly metadata?: {
    readonly action?: string;
    readonly source?: string;
    /** For a rename: the previous name. */
    readonly context?: { readonly old_name?: string } | null;
  };
}

/**
 * Events that can occur without a request of ours. All other changes are our own, or are found by the scheduled
 * reconciliation.
 */
const TELLING =
  /^instance-(started|stopped|shutdown|restarted|paused|resumed|deleted|renamed|restored|rebuilt)$/;

const SOONEST_MS = 100;
const LATEST_MS = 5000;
/**
 * Interval of pings. An engine that is cut off does not close the connection, so a missing answer counts as a broken
 * connection.
 */
const BEAT_MS = 10_000;

const isOurs = ({ account, id }: Ref): boolean => account.startsWith('acc_') && id.startsWith('vm_');

export class EventStream {
  readonly #client: Client;
  readonly #watchers = new Set<Watcher>();
  #ending: AbortController | null = null;
  #running: Promise<void> = Promise.resolve();

  constructor(client: Client) {
    this.#client = client;
  }

  watch(watcher: Watcher): () => void {
    // The same function may be registered twice, so each registration gets its own wrapper.
    const own: Watcher = (ref) => watcher(ref);
    this.#watchers.add(own);
    if (this.#ending === null) this.#begin();
    return () => {
      this.#watchers.delete(own);
      if (this.#watchers.size === 0) this.#end();
    };
  }

  async close(): Promise<void> {
    this.#watchers.clear();
    this.#end();
    await this.#running;
  }

  #begin(): void {
    this.#ending = new AbortController();
    this.#running = this.#goOn(this.#ending.signal);
  }

  #end(): void {
    this.#ending?.abort();
    this.#ending = null;
  }

  async #goOn(signal: AbortSignal): Promise<void> {
    let pause = SOONEST_MS;
    for (let wasOpen = false; !signal.aborted; ) {
      const socket = this.#client.openSocket('/1.0/events', { type: 'lifecycle', 'all-projects': 'true' });
      const isOpen = await this.#follow(socket, signal, () => {
        if (wasOpen) void this.#nudgeAll(signal);
      });
      wasOpen ||= isOpen;
      pause = isOpen ? SOONEST_MS : Math.min(pause * 2, LATEST_MS);
      await wait(pause, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Returns when the connection breaks; true if it was ever open. */
  async #follow(socket: WebSocket, signal: AbortSignal, onOpen: () => void): Promise<boolean> {
    let isOpen = false;
    let isAlive = true;
    const beat = setInterval(() => {
      if (!isAlive) return socket.terminate();
      isAlive = false;
      if (isOpen) socket.ping();
    }, BEAT_MS);
    const end = (): void => socket.terminate();
    signal.addEventListener('abort', end, { once: true });
    socket.on('pong', () => {
      isAlive = true;
    });
    socket.on('open', () => {
      isOpen = true;
      onOpen();
    });
    socket.on('message', (text: Buffer) => {
      isAlive = true;
      this.#hear(text.toString());
    });
    await new Promise<void>((resolve) => {
      socket.on('error', () => socket.terminate());
      socket.on('close', () => resolve());
    });
    clearInterval(beat);
    signal.removeEventListener('abort', end);
    return isOpen;
  }

  #hear(text: string): void {
    const { metadata, project } = JSON.parse(text) as Event;
    if (!TELLING.test(metadata?.action ?? '')) return;
    const path = metadata?.source ?? '';
    const ref = refOfPath(path.includes('?') || project === undefined ? path : `${path}?project=${project}`);
    if (ref === null) return;
    this.#nudge(ref);
    const before = metadata?.context?.old_name;
    if (before !== undefined) this.#nudge({ ...ref, id: idOf(before) });
  }

  #nudge(ref: Ref): void {
    if (isOurs(ref)) for (const watcher of this.#watchers) watcher(ref);
  }

  async #nudgeAll(signal: AbortSignal): Promise<void> {
    const query = { 'all-projects': 'true' };
    const paths = await this.#client
      .ask<readonly string[]>('GET', '/1.0/instances', { query, signal })
      .catch(() => []);
    for (const path of paths) {
      const ref = refOfPath(path);
      if (ref !== null) this.#nudge(ref);
    }
  }
}
