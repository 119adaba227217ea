/**
 * All calls of this process that wait for notifications, behind its one LISTEN connection. A watch is one object, in a
 * set for each of its topics, plus one timer while it waits. It is opened before its call reads the database, so a
 * notification between the read and the wait is kept. When notifications were lost, all watches wake and read again.
 */
import type { Subscriber } from '../../store/listener.ts';
import type { Departure } from './client-gone.ts';

declare module '../services.ts' {
  interface Services {
    readonly waiters: Waiters;
  }
}

const BLIND_MS = 1_000;
/** Watches woken per turn of the event loop. Between turns other requests run, and garbage can be collected. */
export const WOKEN_AT_ONCE = 512;
const NOTHING: readonly string[] = [];

export const newsKey = (channel: string, payload: string): string => `${channel} ${payload}`;

/** A notification key and the watches that wait for it. */
interface Topic {
  readonly key: string;
  readonly watches: Set<Watch>;
}

/** One waiting call. Thousands may exist at once, so it is a single small object. */
export class Watch {
  readonly #waiters: Waiters;
  readonly topics: readonly Topic[];
  #heard = NOTHING;
  #resolve: ((heard: readonly string[]) => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #departure: Departure | undefined;

  constructor(waiters: Waiters, topics: readonly Topic[]) {
    this.#waiters = waiters;
    this.topics = topics;
  }

  /** Returns the keys notified since the last wait. Empty: time over, client disconnected, or process stopping. */
  wait(milliseconds: number, departure?: Departure): Promise<readonly string[]> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
      if (this.#heard.length > 0 || this.#waiters.isClosed || departure?.hasLeft) {
        this.wake();
        return;
      }
      this.#departure = departure;
      departure?.notify(this);
      this.#timer = setTimeout(wake, milliseconds, this);
    });
  }

  close(): void {
    this.#waiters.forget(this);
  }

  /** Takes an array of one key, which all watches without other notifications share. */
  hear(news: readonly [string]): void {
    if (this.#heard === NOTHING) this.#heard = news;
    else if (!this.#heard.includes(news[0])) this.#heard = [...this.#heard, news[0]];
  }

  /** Does not wake a watch that has already received the notification and waits for the next one. */
  rouse(): void {
    if (this.#heard.length > 0) this.wake();
  }

  wake(): void {
    const resolve = this.#resolve;
    if (resolve === undefined) return;
    this.#resolve = undefined;
    clearTimeout(this.#timer);
    this.#departure?.notify(undefined);
    const heard = this.#heard;
    this.#heard = NOTHING;
    resolve(heard);
  }
}

const wake = (watch: Watch): void => watch.wake();

interface SharedLook {
  readonly news: number;
  readonly found: Promise<unknown>;
  isOver: boolean;
}

export class Waiters {
  readonly #topics = new Map<string, Topic>();
  readonly #looks = new Map<string, SharedLook>();
  #sleepers: Watch[] = [];
  #news = 0;
  #isHearing = false;
  #blind: NodeJS.Timeout | undefined;
  #isClosed = false;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The subscriber of one channel of the listener. */
  on(channel: string): Subscriber {
    return {
      heard: (payload) => this.#tell(newsKey(channel, payload)),
      // All channels share one connection, so the first channel that reports a change reports it for all.
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
    const watch = new Watch(
      this,
      keys.map((key) => this.#topicOf(key)),
    );
    for (const { watches } of watch.topics) watches.add(watch);
    this.#size++;
    if (!this.#isHearing) this.#lookBlindly();
    return watch;
  }

  forget(watch: Watch): void {
    this.#size--;
    for (const { key, watches } of watch.topics) {
      watches.delete(watch);
      if (watches.size === 0) this.#topics.delete(key);
    }
  }

  /**
   * Watches that were woken by the same notification and have the same question share one read. Use it only after a
   * wake-up: a read that started before a new caller came may be older than data that the caller has already seen.
   */
  lookTogether<T>(name: string, look: () => Promise<T>): Promise<T> {
    const running = this.#looks.get(name);
    if (running !== undefined && running.news === this.#news) return running.found as Promise<T>;
    const found = look();
    const entry = { news: this.#news, found, isOver: false };
    this.#looks.set(name, entry);
    const finish = (): void => {
      entry.isOver = true;
      // Kept while watches of the same notification are still to be woken, so that they find it.
      if (this.#sleepers.length === 0 && this.#looks.get(name) === entry) this.#looks.delete(name);
    };
    found.then(finish, finish);
    return found;
  }

  /** Ends all waits; later waits end at once. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#blind);
    for (const { watches } of this.#topics.values()) for (const watch of watches) watch.wake();
  }

  #lookBlindly(): void {
    if (this.#isClosed || this.#blind !== undefined) return;
    this.#blind = setInterval(() => this.#tellAll(), BLIND_MS);
    this.#blind.unref();
  }

  #topicOf(key: string): Topic {
    const known = this.#topics.get(key) ?? { key, watches: new Set() };
    this.#topics.set(key, known);
    return known;
  }

  #tell(key: string): void {
    this.#news++;
    const topic = this.#topics.get(key);
    if (topic === undefined) return;
    const news = [topic.key] as const;
    for (const watch of topic.watches) watch.hear(news);
    this.#wake(topic.watches);
  }

  #tellAll(): void {
    this.#news++;
    const told = new Set<Watch>();
    for (const { key, watches } of this.#topics.values()) {
      const news = [key] as const;
      for (const watch of watches) {
        watch.hear(news);
        told.add(watch);
      }
    }
    this.#wake(told);
  }

  #wake(watches: Iterable<Watch>): void {
    const isWaking = this.#sleepers.length > 0;
    for (const watch of watches) this.#sleepers.push(watch);
    if (!isWaking) this.#wakeSome();
  }

  #wakeSome(): void {
    const now = this.#sleepers.splice(0, WOKEN_AT_ONCE);
    for (const watch of now) watch.rouse();
    if (this.#sleepers.length > 0) {
      setImmediate(() => this.#wakeSome());
      return;
    }
    for (const [name, { isOver }] of this.#looks) if (isOver) this.#looks.delete(name);
  }
}
