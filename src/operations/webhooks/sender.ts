/**
 * Turns events into messages and sends due messages, a bounded number at a time. Like the operation runner,
 * the sender sleeps until a notification arrives or a message is due, and polls only at a long interval.
 */
import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { Egress } from '../../kernel/net/egress.ts';
import type { Registry } from '../../kernel/registry.ts';
import type { Seal } from '../../kernel/secrets/seal.ts';
import type { Db } from '../../store/database.ts';
import type { Subscriber } from '../../store/listener.ts';
import { transact } from '../../store/transaction.ts';
import { type Environment, REAL } from '../environment.ts';
import { type AttemptStage, makeAttempt } from './attempts/attempt.ts';
import { type Claimed, claimDue, giveBack, nextDue } from './attempts/store.ts';
import { fanOut, MOST_PENDING } from './fan-out/fan-out.ts';

const PATROL_MS = 30_000;
const DEAF_PATROL_MS = 5_000;
const AFTER_FAULT_MS = 1000;
const SHORTEST_WAIT_MS = 50;
const TIMEOUT_MS = 15_000;

/** The dependencies that a process passes in. */
export interface SenderStage {
  readonly db: Db;
  readonly registry: Registry;
  readonly secrets: Seal;
  readonly egress: Egress;
  readonly log: Logger;
}

export interface SenderOptions {
  readonly environment?: Environment;
  readonly slots?: number;
  readonly timeoutMs?: number;
  readonly mostPending?: number;
}

export class WebhookSender implements Subscriber {
  readonly #stage: AttemptStage;
  readonly #log: Logger;
  readonly #environment: Environment;
  readonly #slots: number;
  readonly #mostPending: number;
  readonly #sending = new Set<Promise<void>>();
  readonly #interrupt = new AbortController();
  /** Accounts with new events; `null` if any account may have some. */
  #news: Set<string> | null = null;
  #callOff: () => void = () => undefined;
  #looking: Promise<void> | null = null;
  #lookAgain = false;
  #hears = false;
  #isOpen = false;

  constructor(stage: SenderStage, options: SenderOptions = {}) {
    const environment = options.environment ?? REAL;
    this.#environment = environment;
    this.#log = stage.log;
    this.#slots = options.slots ?? 50;
    this.#mostPending = options.mostPending ?? MOST_PENDING;
    this.#stage = {
      ...stage,
      owner: `${process.pid}-${randomBytes(6).toString('hex')}`,
      timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
      now: () => environment.now(),
      random: () => environment.random(),
    };
  }

  get sending(): number {
    return this.#sending.size;
  }

  start(): void {
    this.#isOpen = true;
    this.#look();
  }

  heard(accountId: string): void {
    this.#news?.add(accountId);
    this.#look();
  }

  up(): void {
    this.#hears = true;
    this.#news = null;
    this.#look();
  }

  down(): void {
    this.#hears = false;
    this.#lookIn(DEAF_PATROL_MS);
  }

  /**
   * Gives messages in flight this much time to arrive, then gives them back: other senders send them again.
   */
  async close(patienceMs = 5000): Promise<void> {
    this.#isOpen = false;
    this.#callOff();
    await this.#looking;
    if (this.#sending.size === 0) return;
    const callOff = this.#environment.after(patienceMs, () => this.#interrupt.abort());
    await Promise.all(this.#sending);
    callOff();
    if (this.#interrupt.signal.aborted)
      await giveBack(this.#stage.db, this.#stage.owner).catch(() => undefined);
  }

  /** Processes everything that is due now, and returns when it is done. */
  async settle(): Promise<void> {
    let wait: number | null;
    do {
      await fanOut(this.#fanOutStage(), null);
      await this.#claim();
      // A finished attempt may have written new events.
      wait = this.#sending.size > 0 ? 0 : await nextDue(this.#stage.db, this.#stage.now());
      await Promise.all(this.#sending);
    } while (wait !== null && wait <= 0);
  }

  #fanOutStage() {
    const { db, registry, now } = this.#stage;
    return { db, registry, now, mostPending: this.#mostPending };
  }

  #look(): void {
    if (!this.#isOpen) return;
    if (this.#looking !== null) {
      this.#lookAgain = true;
      return;
    }
    this.#lookAgain = false;
    this.#callOff();
    this.#looking = this.#work().then(
      (waitMs) => this.#looked(waitMs),
      (error: unknown) => {
        this.#log.warn({ err: error }, 'webhooks could not be processed; retrying');
        this.#news = null;
        this.#looked(AFTER_FAULT_MS);
      },
    );
  }

  #looked(waitMs: number): void {
    this.#looking = null;
    if (this.#lookAgain) this.#look();
    else this.#lookIn(waitMs);
  }

  #lookIn(milliseconds: number): void {
    this.#callOff();
    if (!this.#isOpen) return;
    this.#callOff = this.#environment.after(milliseconds, () => {
      // A notification may have been lost, so a poll checks all accounts for new events.
      if (milliseconds >= DEAF_PATROL_MS) this.#news = null;
      this.#look();
    });
  }

  async #work(): Promise<number> {
    const accounts = this.#news === null ? null : [...this.#news];
    this.#news = new Set();
    if (accounts === null || accounts.length > 0) await fanOut(this.#fanOutStage(), accounts);
    const patrol = this.#hears ? PATROL_MS : DEAF_PATROL_MS;
    // All slots are taken; the next attempt to end triggers another claim.
    if (!(await this.#claim())) return patrol;
    const due = await nextDue(this.#stage.db, this.#stage.now());
    return due === null ? patrol : Math.min(patrol, Math.max(SHORTEST_WAIT_MS, Math.ceil(due)));
  }

  /** Returns false if all slots are taken. */
  async #claim(): Promise<boolean> {
    const { db, owner, now } = this.#stage;
    const limit = this.#slots - this.#sending.size;
    if (limit <= 0) return false;
    const claimed = await transact(db, (tx) => claimDue(tx, { owner, limit, now: now() }));
    for (const one of claimed) this.#send(one);
    return claimed.length < limit;
  }

  #send(claimed: Claimed): void {
    const sending = makeAttempt(this.#stage, claimed, this.#interrupt.signal)
      // The attempt was not recorded: its lease expires and the message is sent again.
      .catch((error: unknown) =>
        this.#log.warn({ err: error, delivery_id: claimed.delivery.id }, 'webhook delivery not recorded'),
      )
      .finally(() => {
        this.#sending.delete(sending);
        this.#look();
      });
    this.#sending.add(sending);
  }
}
