/**
 * Sends the mails of the outbox, a bounded number at a time. It sleeps until a notification arrives or a mail is due,
 * and polls only at a long interval. A mail is sent first and recorded after. If the worker dies in between, the lease
 * expires and the mail is sent again under the same Message-ID.
 */
import { randomBytes } from 'node:crypto';
import type { Services } from '../kernel/services.ts';
import { type Environment, REAL } from '../operations/environment.ts';
import type { Subscriber } from '../store/listener.ts';
import { ATTEMPT_MS, deliver, isRefused } from './delivery.ts';
import { DELAYS } from './retries.ts';
import { claimDue, endSent, endTried, giveBack, type MailRow, nextDue } from './store.ts';

const PATROL_MS = 30_000;
const DEAF_PATROL_MS = 5_000;
const AFTER_FAULT_MS = 1_000;
const SHORTEST_WAIT_MS = 50;
const SLOTS = 4;
const LONGEST_ERROR = 300;
/** Longer than an attempt takes. */
const LEASE_SECONDS = (2 * ATTEMPT_MS) / 1000;

export interface MailSenderOptions {
  readonly environment?: Environment;
  readonly leaseSeconds?: number;
}

type Stage = Pick<Services, 'db' | 'log' | 'provider' | 'metrics'>;

function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/\p{Cc}+/gu, ' ').slice(0, LONGEST_ERROR);
}

export class MailSender implements Subscriber {
  readonly #stage: Stage;
  readonly #environment: Environment;
  readonly #owner = `${process.pid}-${randomBytes(6).toString('hex')}`;
  readonly #sending = new Set<Promise<void>>();
  readonly #interrupt = new AbortController();
  #callOff: () => void = () => undefined;
  #looking: Promise<void> | null = null;
  #lookAgain = false;
  #hears = false;
  #isOpen = false;

  readonly #leaseSeconds: number;

  /** `stage.provider` is read for every mail, because a reload replaces it. */
  constructor(stage: Stage, { environment = REAL, leaseSeconds = LEASE_SECONDS }: MailSenderOptions = {}) {
    this.#stage = stage;
    this.#environment = environment;
    this.#leaseSeconds = leaseSeconds;
  }

  get sending(): number {
    return this.#sending.size;
  }

  start(): void {
    this.#isOpen = true;
    this.#look();
  }

  heard(): void {
    this.#look();
  }

  up(): void {
    this.#hears = true;
    this.#look();
  }

  down(): void {
    this.#hears = false;
    this.#lookIn(DEAF_PATROL_MS);
  }

  /** Gives mails in flight this much time, then gives them back: other workers send them again. */
  async close(patienceMs = 5000): Promise<void> {
    this.#isOpen = false;
    this.#callOff();
    await this.#looking;
    const callOff = this.#environment.after(patienceMs, () => this.#interrupt.abort());
    await Promise.all(this.#sending);
    callOff();
    if (this.#interrupt.signal.aborted) await giveBack(this.#stage.db, this.#owner).catch(() => undefined);
  }

  /** Makes one attempt for every mail that is due now, and returns when all are done. */
  async settle(): Promise<void> {
    while (await this.#claim()) await Promise.all(this.#sending);
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
        this.#stage.log.warn({ err: error }, 'mails could not be read; retrying');
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
    if (this.#isOpen) this.#callOff = this.#environment.after(milliseconds, () => this.#look());
  }

  async #work(): Promise<number> {
    await this.#claim();
    const patrol = this.#hears ? PATROL_MS : DEAF_PATROL_MS;
    // All slots are taken; the next mail to end triggers another look.
    if (this.#sending.size >= SLOTS) return patrol;
    const due = await nextDue(this.#stage.db, this.#environment.now());
    return due === null ? patrol : Math.min(patrol, Math.max(SHORTEST_WAIT_MS, Math.ceil(due)));
  }

  /** Returns false if nothing was due. */
  async #claim(): Promise<boolean> {
    const limit = SLOTS - this.#sending.size;
    if (limit <= 0) return false;
    const claimed = await claimDue(this.#stage.db, {
      owner: this.#owner,
      leaseSeconds: this.#leaseSeconds,
      limit,
      now: this.#environment.now(),
    });
    for (const mail of claimed) this.#send(mail);
    return claimed.length > 0;
  }

  #send(mail: MailRow): void {
    const sending = this.#attempt(mail)
      // The attempt was not recorded: its lease expires and the mail is sent again.
      .catch((error: unknown) =>
        this.#stage.log.warn({ err: error, mail_id: mail.id }, 'the end of a mail was not recorded'),
      )
      .finally(() => {
        this.#sending.delete(sending);
        this.#look();
      });
    this.#sending.add(sending);
  }

  async #attempt(mail: MailRow): Promise<void> {
    const { db, log, provider, metrics } = this.#stage;
    const { signal } = this.#interrupt;
    try {
      await deliver(mail, provider, signal);
    } catch (error) {
      // The attempt was interrupted and may or may not have arrived, so it is sent again.
      if (signal.aborted) return;
      const delay = isRefused(error) ? undefined : DELAYS[mail.attempts - 1];
      const reason = reasonOf(error);
      const waitSeconds = delay ?? null;
      await endTried(db, mail.id, this.#owner, { error: reason, waitSeconds, now: this.#environment.now() });
      const facts = { mail_id: mail.id, template: mail.template, attempt: mail.attempts, reason };
      if (delay !== undefined) {
        log.warn({ ...facts, retry_in_seconds: delay }, 'a mail could not be sent and will be tried again');
        return;
      }
      metrics.alarms.inc({ alarm: 'mail_failed' });
      log.error(facts, 'a mail could not be sent; see: hostplane mail list');
      return;
    }
    if (!(await endSent(db, mail.id, this.#owner, this.#environment.now())))
      log.warn({ mail_id: mail.id }, 'a mail took longer than its lease and may be sent twice');
  }
}
