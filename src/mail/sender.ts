/**
 * Sends the mails of the outbox, a bounded number at a time. The poller wakes the sender when a notification arrives and
 * when a mail is due. A mail is sent first and recorded after. If the worker dies in between, the lease
 * expires and the mail is sent again under the same Message-ID.
 */
import { randomBytes } from 'node:crypto';
import type { Services } from '../kernel/services.ts';
import { type Environment, REAL } from '../operations/environment.ts';
import { Poller } from '../operations/poller.ts';
import type { Subscriber } from '../store/listener.ts';
import { transact } from '../store/transaction.ts';
import { ATTEMPT_MS, deliver, isRefused } from './delivery.ts';
import { type Composers, compose, isRequest } from './requests.ts';
import { DELAYS } from './retries.ts';
import { claimDue, endSent, endTried, giveBack, type MailRow, nextDue } from './store.ts';

const SLOTS = 4;
const LONGEST_ERROR = 300;
/** Longer than an attempt takes. */
const LEASE_SECONDS = (2 * ATTEMPT_MS) / 1000;

export interface MailSenderOptions {
  /** Write the mails of requests; without them, requests wait for a worker that has them. */
  readonly composers?: Composers;
  readonly environment?: Environment;
  readonly leaseSeconds?: number;
  /** The time for one attempt. */
  readonly attemptMs?: number;
}

type MailContext = Pick<Services, 'db' | 'log' | 'provider' | 'metrics'>;

function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/\p{Cc}+/gu, ' ').slice(0, LONGEST_ERROR);
}

export class MailSender implements Subscriber {
  readonly #context: MailContext;
  readonly #environment: Environment;
  readonly #owner = `${process.pid}-${randomBytes(6).toString('hex')}`;
  readonly #sending = new Set<Promise<void>>();
  readonly #interrupt = new AbortController();
  readonly #leaseSeconds: number;
  readonly #composers: Composers;
  readonly #attemptMs: number;
  readonly #poller: Poller;

  /** `context.provider` is read for every mail, because a reload replaces it. */
  constructor(context: MailContext, options: MailSenderOptions = {}) {
    const { environment = REAL, leaseSeconds = LEASE_SECONDS, attemptMs = ATTEMPT_MS } = options;
    const { composers = {} as Composers } = options;
    this.#context = context;
    this.#composers = composers;
    this.#environment = environment;
    this.#leaseSeconds = leaseSeconds;
    this.#attemptMs = attemptMs;
    this.#poller = new Poller({
      environment,
      deafMs: 5_000,
      shortestMs: 50,
      work: () => this.#work(),
      failed: (error) => context.log.warn({ err: error }, 'mails could not be read; retrying'),
    });
  }

  get sending(): number {
    return this.#sending.size;
  }

  start(): void {
    this.#poller.start();
  }

  heard(): void {
    this.#poller.wake();
  }

  up(): void {
    this.#poller.up();
  }

  down(): void {
    this.#poller.down();
  }

  /** Gives mails in flight this much time, then gives them back: other workers send them again. */
  async close(patienceMs = 5000): Promise<void> {
    await this.#poller.close();
    const callOff = this.#environment.after(patienceMs, () => this.#interrupt.abort());
    await Promise.all(this.#sending);
    callOff();
    if (this.#interrupt.signal.aborted) await giveBack(this.#context.db, this.#owner).catch(() => undefined);
  }

  /** Makes one attempt for every mail that is due now, and returns when all are done. */
  async settle(): Promise<void> {
    while (await this.#claim()) await Promise.all(this.#sending);
  }

  async #work(): Promise<number | null> {
    await this.#claim();
    // If all slots are taken, the next mail to end causes another claim.
    return this.#sending.size >= SLOTS ? null : nextDue(this.#context.db, this.#environment.now());
  }

  /** Returns false if nothing was due. */
  async #claim(): Promise<boolean> {
    const limit = SLOTS - this.#sending.size;
    if (limit <= 0) return false;
    const claimed = await claimDue(this.#context.db, {
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
        this.#context.log.warn({ err: error, mail_id: mail.id }, 'the end of a mail was not recorded'),
      )
      .finally(() => {
        this.#sending.delete(sending);
        this.#poller.wake();
      });
    this.#sending.add(sending);
  }

  async #attempt(mail: MailRow): Promise<void> {
    const { db, log, provider, metrics } = this.#context;
    const { signal } = this.#interrupt;
    try {
      // The mails that a request leads to are due at once, and claimed next.
      if (isRequest(mail)) return await transact(db, (tx) => compose(tx, this.#composers, mail, this.#owner));
      await deliver(mail, provider, { signal, totalMs: this.#attemptMs });
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
      log.error(facts, 'a mail could not be sent; see: hostplane admin mail list');
      return;
    }
    if (!(await endSent(db, mail.id, this.#owner, this.#environment.now())))
      log.warn({ mail_id: mail.id }, 'a mail took longer than its lease and may be sent twice');
  }
}
