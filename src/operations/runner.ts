/**
 * Claims due operations and runs a bounded number of them at a time. The runner sleeps until a notification
 * arrives or the next operation is due. It also polls at a long interval, in case a notification was lost.
 */
import { randomBytes } from 'node:crypto';
import type { Subscriber } from '../store/listener.ts';
import { Performance, type Stage } from './execution.ts';
import { LEASE_SECONDS } from './runner-store.ts';

/**
 * How often the runner polls without a notification: while the listener is connected, and while it is not.
 */
const PATROL_MS = 30_000;
const DEAF_PATROL_MS = 1000;
const AFTER_FAULT_MS = 1000;
const SHORTEST_WAIT_MS = 20;
const AFTER_FAULT_SECONDS = 5;

export interface RunnerOptions {
  readonly slots?: number;
  readonly owner?: string;
  /** Must equal the lease that the store gives. */
  readonly leaseSeconds?: number;
}

export class Runner implements Subscriber {
  readonly #stage: Stage;
  readonly #slots: number;
  readonly #owner: string;
  readonly #renewMs: number;
  readonly #running = new Map<string, { performance: Performance; ended: Promise<void> }>();
  #callOff: () => void = () => undefined;
  #callOffRenewal: () => void = () => undefined;
  #looking: Promise<void> | null = null;
  #lookAgain = false;
  #hears = false;
  #isOpen = false;

  constructor(stage: Stage, options: RunnerOptions = {}) {
    this.#stage = stage;
    this.#slots = options.slots ?? 32;
    this.#owner = options.owner ?? `${process.pid}-${randomBytes(6).toString('hex')}`;
    this.#renewMs = ((options.leaseSeconds ?? LEASE_SECONDS) * 1000) / 3;
  }

  get running(): number {
    return this.#running.size;
  }

  start(): void {
    this.#isOpen = true;
    this.#look();
    this.#scheduleRenewal();
  }

  heard(operationId: string): void {
    if (operationId !== '') this.#running.get(operationId)?.performance.interrupt('cancelled');
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

  /**
   * Gives the current steps this much time to end, then abandons them: another worker continues from the last
   * commit.
   */
  async close(patienceMs = 5000): Promise<void> {
    this.#isOpen = false;
    this.#callOff();
    // A claim that is under way may still add operations to this worker.
    await this.#looking;
    const ended = Promise.all([...this.#running.values()].map((each) => each.ended));
    const outOfPatience = new Promise<void>((resolve) => {
      const callOff = this.#stage.environment.after(patienceMs, resolve);
      void ended.then(callOff);
    });
    for (const { performance } of this.#running.values()) performance.stopAfterStep();
    await Promise.race([ended, outOfPatience]);
    for (const { performance } of this.#running.values()) performance.interrupt('closing');
    await ended;
    this.#callOffRenewal();
  }

  /** Runs one claim at a time. A notification that arrives during a claim triggers another one. */
  #look(): void {
    if (!this.#isOpen) return;
    if (this.#looking !== null) {
      this.#lookAgain = true;
      return;
    }
    this.#lookAgain = false;
    this.#callOff();
    this.#looking = this.#claim().then(
      (waitMs) => this.#looked(waitMs),
      (error: unknown) => {
        this.#stage.log.warn({ err: error }, 'operations could not be claimed');
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
    if (this.#isOpen) this.#callOff = this.#stage.environment.after(milliseconds, () => this.#look());
  }

  /** Claims due operations and returns the milliseconds to wait until the next claim. */
  async #claim(): Promise<number> {
    const patrol = this.#hears ? PATROL_MS : DEAF_PATROL_MS;
    const free = this.#slots - this.#running.size;
    // All slots are taken; the next operation to end triggers another claim.
    if (free <= 0) return patrol;
    const { store } = this.#stage;
    const claimed = await store.claim(this.#owner, free);
    for (const operation of claimed) this.#carryOut(new Performance(this.#stage, operation));
    if (claimed.length === free) return patrol;
    const due = await store.nextDue();
    // An operation that is already due and was not claimed is locked by another worker that claims at this
    // moment.
    return due === null ? patrol : Math.min(patrol, Math.max(SHORTEST_WAIT_MS, Math.ceil(due)));
  }

  #carryOut(performance: Performance): void {
    const { id } = performance.held;
    const ended = this.#perform(performance).then(() => {
      // This worker may have claimed the same operation again under a new attempt.
      if (this.#running.get(id)?.performance === performance) this.#running.delete(id);
      this.#look();
    });
    this.#running.set(id, { performance, ended });
  }

  async #perform(performance: Performance): Promise<void> {
    const { store, log } = this.#stage;
    try {
      const isHeld = await performance.run();
      if (isHeld) await store.giveBack(this.#owner, [performance.held], 0);
    } catch (error) {
      // Nothing of this step was committed. If giving the lease back fails too, the lease expires.
      log.warn({ err: error, operation_id: performance.held.id }, 'operation interrupted');
      await store.giveBack(this.#owner, [performance.held], AFTER_FAULT_SECONDS).catch(() => undefined);
    }
  }

  #scheduleRenewal(): void {
    this.#callOffRenewal = this.#stage.environment.after(this.#renewMs, () => {
      void this.#renew().finally(() => {
        if (this.#isOpen || this.#running.size > 0) this.#scheduleRenewal();
      });
    });
  }

  async #renew(): Promise<void> {
    const performances = [...this.#running.values()].map(({ performance }) => performance);
    if (performances.length === 0) return;
    try {
      const kept = await this.#stage.store.renew(
        this.#owner,
        performances.map(({ held }) => held),
      );
      for (const performance of performances) {
        const isCurrent = this.#running.get(performance.held.id)?.performance === performance;
        if (isCurrent && !kept.has(performance.held.id)) performance.interrupt('lost');
      }
    } catch (error) {
      this.#stage.log.warn({ err: error }, 'leases could not be renewed');
    }
  }
}
