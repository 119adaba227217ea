/**
 * All who wait for news in this process, behind its one LISTEN connection. A watch is a few entries in a map and, while
 * somebody waits, one timer. It begins before its owner looks at the database, so news that comes between the look and
 * the wait is kept, not missed. When notifications were lost, everybody looks again.
 */
import type { Subscriber } from '../../store/listener.ts';
import type { Departure } from './departure.ts';

const BLIND_MS = 1_000;
/** So many are woken in one turn of the event loop: what they leave behind is cleared away before the next come. */
const AT_ONCE = 128;
const NOTHING: readonly string[] = [];

export const newsKey = (channel: string, payload: string): string => `${channel} ${payload}`;

export interface Watch {
  /** What was heard since the last wait; empty when the time is over, the waiter left or the process stops. */
  wait(milliseconds: number, departure?: Departure): Promise<readonly string[]>;
  close(): void;
}

interface Waiter {
  hear(key: string): void;
  wake(): void;
}

interface SharedLook {
  readonly news: number;
  readonly found: Promise<unknown>;
  isOver: boolean;
}

export class Waiters {
  readonly #byKey = new Map<string, Set<Waiter>>();
  /** With the keys of each. */
  readonly #all = new Map<Waiter, readonly string[]>();
  readonly #looks = new Map<string, SharedLook>();
  #sleepers: Waiter[] = [];
  #news = 0;
  #isHearing = false;
  #blind: NodeJS.Timeout | undefined;
  #isClosed = false;

  get size(): number {
    return this.#all.size;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** What the listener tells of a channel. */
  on(channel: string): Subscriber {
    return {
      heard: (payload) => this.#tell(newsKey(channel, payload)),
      // All channels come and go with the one connection: whoever is first to say so says it for all.
      up: () => {
        if (this.#isHearing) return;
        this.#isHearing = true;
        clearInterval(this.#blind);
        this.#blind = undefined;
        this.#tellAll();
      },
      down: () => {
        if (!this.#isHearing) return;
        this.#isHearing = false;
        this.#lookBlindly();
        this.#tellAll();
      },
    };
  }

  watch(keys: readonly string[]): Watch {
    let heard = NOTHING;
    let end: (() => void) | undefined;
    const waiter: Waiter = {
      hear(key) {
        if (!heard.includes(key)) heard = [...heard, key];
      },
      wake: () => end?.(),
    };
    this.#all.set(waiter, keys);
    if (!this.#isHearing) this.#lookBlindly();
    for (const key of keys) this.#waitersFor(key).add(waiter);
    return {
      wait: (milliseconds, departure) =>
        new Promise((resolve) => {
          const finish = (): void => {
            clearTimeout(timer);
            departure?.notify(undefined);
            end = undefined;
            resolve(heard);
            heard = NOTHING;
          };
          const timer = setTimeout(finish, milliseconds);
          end = finish;
          if (heard.length > 0 || this.#isClosed || departure?.hasLeft) finish();
          else departure?.notify(finish);
        }),
      close: () => this.#forget(waiter),
    };
  }

  /**
   * Those who were woken by the same news and would ask the same question ask it once. Only for who was woken: a look
   * that began before somebody came may not show what that somebody knows already.
   */
  lookTogether<T>(name: string, look: () => Promise<T>): Promise<T> {
    const running = this.#looks.get(name);
    if (running !== undefined && running.news === this.#news) return running.found as Promise<T>;
    const found = look();
    const entry = { news: this.#news, found, isOver: false };
    this.#looks.set(name, entry);
    const finish = (): void => {
      entry.isOver = true;
      // Those of the same news who are still to be woken find it here.
      if (this.#sleepers.length === 0 && this.#looks.get(name) === entry) this.#looks.delete(name);
    };
    found.then(finish, finish);
    return found;
  }

  /** Ends all waits, and those that would still begin. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#blind);
    for (const waiter of this.#all.keys()) waiter.wake();
  }

  #lookBlindly(): void {
    if (this.#isClosed || this.#blind !== undefined) return;
    this.#blind = setInterval(() => this.#tellAll(), BLIND_MS);
    this.#blind.unref();
  }

  #waitersFor(key: string): Set<Waiter> {
    const known = this.#byKey.get(key) ?? new Set();
    this.#byKey.set(key, known);
    return known;
  }

  #tell(key: string): void {
    this.#news++;
    const waiters = this.#byKey.get(key);
    if (waiters === undefined) return;
    for (const waiter of waiters) waiter.hear(key);
    this.#wake(waiters);
  }

  #tellAll(): void {
    this.#news++;
    for (const [waiter, keys] of this.#all) for (const key of keys) waiter.hear(key);
    this.#wake(this.#all.keys());
  }

  #wake(waiters: Iterable<Waiter>): void {
    const isWaking = this.#sleepers.length > 0;
    for (const waiter of waiters) this.#sleepers.push(waiter);
    if (!isWaking) this.#wakeSome();
  }

  #wakeSome(): void {
    const now = this.#sleepers.splice(0, AT_ONCE);
    for (const waiter of now) waiter.wake();
    if (this.#sleepers.length > 0) {
      setImmediate(() => this.#wakeSome());
      return;
    }
    for (const [name, { isOver }] of this.#looks) if (isOver) this.#looks.delete(name);
  }

  #forget(waiter: Waiter): void {
    for (const key of this.#all.get(waiter) ?? []) {
      const others = this.#byKey.get(key);
      others?.delete(waiter);
      if (others?.size === 0) this.#byKey.delete(key);
    }
    this.#all.delete(waiter);
  }
}
