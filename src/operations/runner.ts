/**
 * Claims due operations and runs a bounded number of them at a time. The poller wakes the runner when a notification
 * arrives, when the next operation is due, and at a long interval, in case a notification was lost.
 */
import { randomBytes } from 'node:crypto';
import type { Subscriber } from '../store/listener.ts';
import { Performance, type Stage } from './execution.ts';
import { Poller } from './poller.ts';
import { LEASE_SECONDS } from './runner-store.ts';

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
  /** The operations of cancel requests that arrived since the last claim began: it may have read them before. */
  readonly #heardWhileClaiming = new Set<string>();
  readonly #poller: Poller;
  #callOffRenewal: () => void = () => undefined;

  constructor(stage: Stage, options: RunnerOptions = {}) {
    this.#stage = stage;
    this.#slots = options.slots ?? 32;
    this.#owner = options.owner ?? `${process.pid}-${randomBytes(6).toString('hex')}`;
    this.#renewMs = ((options.leaseSeconds ?? LEASE_SECONDS) * 1000) / 3;
    this.#poller = new Poller({
      environment: stage.environment,
      deafMs: 1000,
      shortestMs: 20,
      work: () => this.#claim(),
      failed: (error) => stage.log.warn({ err: error }, 'operations could not be claimed'),
    });
  }

  get running(): number {
    return this.#running.size;
  }

  start(): void {
    this.#poller.start();
    this.#scheduleRenewal();
  }

  heard(operationId: string): void {
    if (operationId !== '') {
      this.#heardWhileClaiming.add(operationId);
      this.#running.get(operationId)?.performance.interrupt('cancelled');
    }
    this.#poller.wake();
  }

  up(): void {
    this.#poller.up();
  }

  down(): void {
    this.#poller.down();
  }

  /**
   * Gives the current steps this much time to end, then abandons them: another worker continues from the last
   * commit.
   */
  async close(patienceMs = 5000): Promise<void> {
    // A claim that is under way may still add operations to this worker.
    await this.#poller.close();
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

  /** Claims due operations and returns the milliseconds until the next one is due, if it is known. */
  async #claim(): Promise<number | null> {
    this.#heardWhileClaiming.clear();
    const free = this.#slots - this.#running.size;
    // All slots are taken; the next operation to end triggers another claim.
    if (free <= 0) return null;
    const { store } = this.#stage;
    const claimed = await store.claim(this.#owner, free);
    for (const operation of claimed) {
      const performance = new Performance(this.#stage, operation);
      if (this.#heardWhileClaiming.has(operation.id)) performance.interrupt('cancelled');
      this.#carryOut(performance);
    }
    return claimed.length === free ? null : store.nextDue();
  }

  #carryOut(performance: Performance): void {
    const { id } = performance.held;
    const ended = this.#perform(performance).then(() => {
      // This worker may have claimed the same operation again under a new attempt.
      if (this.#running.get(id)?.performance === performance) this.#running.delete(id);
      this.#poller.wake();
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
        if (this.#poller.isOpen || this.#running.size > 0) this.#scheduleRenewal();
      });
    });
  }

  async #renew(): Promise<void> {
    const performances = [...this.#running.values()].map(({ performance }) => performance);
    if (performances.length === 0) return;
    try {
      const renewed = await this.#stage.store.renew(
        this.#owner,
        performances.map(({ held }) => held),
      );
      for (const performance of performances) {
        const { id } = performance.held;
        if (this.#running.get(id)?.performance !== performance) continue;
        const lease = renewed.get(id);
        if (lease === undefined) performance.interrupt('lost');
        // The notification of the request was lost.
        else if (lease.isUnwanted) performance.interrupt('cancelled');
      }
    } catch (error) {
      this.#stage.log.warn({ err: error }, 'leases could not be renewed');
    }
  }
}
