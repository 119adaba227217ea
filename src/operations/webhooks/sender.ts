/**
 * Turns events into messages and sends due messages, a bounded number at a time. The poller wakes the sender as it
 * does the operation runner.
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
import { Poller } from '../poller.ts';
import { type AttemptContext, makeAttempt } from './attempts/attempt.ts';
import { type Claimed, claimDue, type DueDelivery, giveBack, nextDue } from './attempts/store.ts';
import { fanOut, MOST_PENDING } from './fan-out/fan-out.ts';

const TIMEOUT_MS = 15_000;
/** When to look again while an account has more due than its share. The end of an attempt causes a look as well. */
const SHARE_MS = 1_000;

/** The dependencies that a process passes in. */
export interface SenderContext {
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
  readonly #context: AttemptContext;
  readonly #log: Logger;
  readonly #environment: Environment;
  readonly #poller: Poller;
  readonly #slots: number;
  readonly #mostPending: number;
  readonly #sending = new Set<Promise<void>>();
  /** How many of the slots each account holds. */
  readonly #held = new Map<string, number>();
  readonly #interrupt = new AbortController();
  /** Accounts with new events; `null` if any account may have some. */
  #news: Set<string> | null = null;

  constructor(context: SenderContext, options: SenderOptions = {}) {
    const environment = options.environment ?? REAL;
    this.#environment = environment;
    this.#log = context.log;
    this.#slots = options.slots ?? 50;
    this.#mostPending = options.mostPending ?? MOST_PENDING;
    this.#context = {
      ...context,
      owner: `${process.pid}-${randomBytes(6).toString('hex')}`,
      timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
      now: () => environment.now(),
      random: () => environment.random(),
    };
    this.#poller = new Poller({
      environment,
      deafMs: 5_000,
      shortestMs: 50,
      work: () => this.#work(),
      failed: (error) => {
        this.#log.warn({ err: error }, 'webhooks could not be processed; retrying');
        this.#news = null;
      },
      afterLongWait: () => {
        this.#news = null;
      },
    });
  }

  get sending(): number {
    return this.#sending.size;
  }

  start(): void {
    this.#poller.start();
  }

  heard(accountId: string): void {
    this.#news?.add(accountId);
    this.#poller.wake();
  }

  up(): void {
    this.#news = null;
    this.#poller.up();
  }

  down(): void {
    this.#poller.down();
  }

  /**
   * Gives messages in flight this much time to arrive, then gives them back: other senders send them again.
   */
  async close(patienceMs = 5000): Promise<void> {
    await this.#poller.close();
    if (this.#sending.size === 0) return;
    const callOff = this.#environment.after(patienceMs, () => this.#interrupt.abort());
    await Promise.all(this.#sending);
    callOff();
    if (this.#interrupt.signal.aborted)
      await giveBack(this.#context.db, this.#context.owner).catch(() => undefined);
  }

  /** Processes everything that is due now, and returns when it is done. */
  async settle(): Promise<void> {
    let wait: number | null;
    do {
      await fanOut(this.#fanOutStage(), null);
      await this.#claim();
      // A finished attempt may have written new events.
      wait = this.#sending.size > 0 ? 0 : await nextDue(this.#context.db, this.#context.now());
      await Promise.all(this.#sending);
    } while (wait !== null && wait <= 0);
  }

  #fanOutStage() {
    const { db, registry, now } = this.#context;
    return { db, registry, now, mostPending: this.#mostPending };
  }

  async #work(): Promise<number | null> {
    const accounts = this.#news === null ? null : [...this.#news];
    this.#news = new Set();
    if (accounts === null || accounts.length > 0) await fanOut(this.#fanOutStage(), accounts);
    const { db, now } = this.#context;
    const wait = await nextDue(db, now());
    if (wait === null || wait > 0) return wait;
    const left = await this.#claim();
    // If all slots are taken, the next attempt to end causes another claim.
    if (left === 'full') return null;
    const next = await nextDue(db, now());
    return left === 'shares' && next !== null ? Math.max(next, SHARE_MS) : next;
  }

  /** Says why it claimed no more: all slots are taken, accounts have their shares, or no more was due. */
  async #claim(): Promise<'full' | 'shares' | 'none'> {
    const { db, owner, now } = this.#context;
    const limit = this.#slots - this.#sending.size;
    if (limit <= 0) return 'full';
    let isHeldBack = false;
    const choose = (due: readonly DueDelivery[]): readonly string[] => {
      const chosen = this.#share(due, limit);
      isHeldBack = chosen.length < due.length;
      return chosen;
    };
    const claimed = await transact(db, (tx) => claimDue(tx, { owner, limit, now: now(), choose }));
    for (const one of claimed) this.#send(one);
    if (claimed.length >= limit) return 'full';
    return isHeldBack ? 'shares' : 'none';
  }

  /**
   * An account gets another slot only while it holds fewer than are free. So whatever its receivers do, half of the
   * slots are left for the others, and half of those for the others after the next.
   */
  #share(due: readonly DueDelivery[], slots: number): string[] {
    const held = new Map(this.#held);
    const chosen: string[] = [];
    for (const { id, account_id } of due) {
      const own = held.get(account_id) ?? 0;
      if (own >= slots - chosen.length) continue;
      held.set(account_id, own + 1);
      chosen.push(id);
    }
    return chosen;
  }

  #hold(accountId: string, slots: 1 | -1): void {
    const held = (this.#held.get(accountId) ?? 0) + slots;
    if (held === 0) this.#held.delete(accountId);
    else this.#held.set(accountId, held);
  }

  #send(claimed: Claimed): void {
    const { account_id } = claimed.delivery;
    this.#hold(account_id, 1);
    const sending = makeAttempt(this.#context, claimed, this.#interrupt.signal)
      // The attempt was not recorded: its lease expires and the message is sent again.
      .catch((error: unknown) =>
        this.#log.warn({ err: error, delivery_id: claimed.delivery.id }, 'webhook delivery not recorded'),
      )
      .finally(() => {
        this.#sending.delete(sending);
        this.#hold(account_id, -1);
        this.#poller.wake();
      });
    this.#sending.add(sending);
  }
}
