/**
 * Claims due operations and runs a bounded number of them at a time. The poller wakes the runner when a notification
 * arrives, when the next operation is due, and at a long interval, in case a notification was lost.
 */
import { randomBytes } from 'node:crypto';
import type { Subscriber } from '../store/listener.ts';
import { SLOTS, type SlotCounts, Slots } from './claims/slots.ts';
import { Execution, type ExecutionContext } from './execution.ts';
import { type DueMs, Poller } from './poller.ts';
import { type Claimed, LEASE_SECONDS } from './runner-store.ts';

const AFTER_FAULT_SECONDS = 5;
/**
 * How soon to look again for operations that are due but could not be claimed. Usually their groups are full, and the
 * end of an operation wakes the runner earlier.
 */
const LOOK_AGAIN_MS = 1000;

export interface RunnerOptions {
  readonly slots?: SlotCounts;
  readonly owner?: string;
  /** Must equal the lease that the store gives. */
  readonly leaseSeconds?: number;
  /** Called for each claimed operation, with the time since it became due. */
  readonly claimed?: (operation: Claimed, delaySeconds: number) => void;
}

export class Runner implements Subscriber {
  readonly #context: ExecutionContext;
  readonly #slotCounts: SlotCounts;
  readonly #owner: string;
  readonly #renewMs: number;
  readonly #claimed: NonNullable<RunnerOptions['claimed']>;
  readonly #running = new Map<string, { execution: Execution; ended: Promise<void> }>();
  /** The operations of cancel requests that arrived since the last claim began: it may have read them before. */
  readonly #heardWhileClaiming = new Set<string>();
  readonly #poller: Poller;
  #callOffRenewal: () => void = () => undefined;

  constructor(context: ExecutionContext, options: RunnerOptions = {}) {
    this.#context = context;
    this.#slotCounts = options.slots ?? SLOTS;
    this.#claimed = options.claimed ?? (() => undefined);
    this.#owner = options.owner ?? `${process.pid}-${randomBytes(6).toString('hex')}`;
    this.#renewMs = ((options.leaseSeconds ?? LEASE_SECONDS) * 1000) / 3;
    this.#poller = new Poller({
      environment: context.environment,
      deafMs: 1000,
      shortestMs: 20,
      work: () => this.#claim(),
      failed: (error) => context.log.warn({ err: error }, 'operations could not be claimed'),
    });
  }

  get running(): number {
    return this.#running.size;
  }

  /** The slots with the operations that run now. */
  get slots(): Slots {
    const slots = new Slots(this.#slotCounts, this.#context.kindOf);
    for (const { execution } of this.#running.values()) slots.add(execution.held);
    return slots;
  }

  start(): void {
    this.#poller.start();
    this.#scheduleRenewal();
  }

  heard(operationId: string): void {
    if (operationId !== '') {
      this.#heardWhileClaiming.add(operationId);
      this.#running.get(operationId)?.execution.interrupt('cancelled');
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
      const callOff = this.#context.environment.after(patienceMs, resolve);
      void ended.then(callOff);
    });
    for (const { execution } of this.#running.values()) execution.stopAfterStep();
    await Promise.race([ended, outOfPatience]);
    for (const { execution } of this.#running.values()) execution.interrupt('closing');
    await ended;
    this.#callOffRenewal();
  }

  /** Claims due operations, and returns how to find out when the next one is due. */
  async #claim(): Promise<DueMs | (() => Promise<DueMs>)> {
    this.#heardWhileClaiming.clear();
    const { slots } = this;
    // All slots are taken; the next operation to end triggers another claim.
    if (slots.openLanes.length === 0) return null;
    const claimed = await this.#context.store.claim(this.#owner, slots);
    for (const operation of claimed) {
      const execution = new Execution(this.#context, operation);
      if (this.#heardWhileClaiming.has(operation.id)) execution.interrupt('cancelled');
      this.#carryOut(execution);
      this.#claimed(operation, (operation.read_at.getTime() - operation.run_at.getTime()) / 1000);
    }
    return async () => {
      const { ms, isDueNow } = await this.#context.store.lookAhead();
      if (!isDueNow) return ms;
      // What was claimed may have left room for more.
      return claimed.length > 0 ? 0 : Math.min(LOOK_AGAIN_MS, ms ?? LOOK_AGAIN_MS);
    };
  }

  #carryOut(execution: Execution): void {
    const { id } = execution.held;
    const ended = this.#perform(execution).then(() => {
      // This worker may have claimed the same operation again under a new attempt.
      if (this.#running.get(id)?.execution === execution) this.#running.delete(id);
      this.#poller.wake();
    });
    this.#running.set(id, { execution, ended });
  }

  async #perform(execution: Execution): Promise<void> {
    const { store, log } = this.#context;
    try {
      const isHeld = await execution.run();
      if (isHeld) await store.giveBack(this.#owner, [execution.held], 0);
    } catch (error) {
      // Nothing of this step was committed. If giving the lease back fails too, the lease expires.
      log.warn({ err: error, operation_id: execution.held.id }, 'operation interrupted');
      await store.giveBack(this.#owner, [execution.held], AFTER_FAULT_SECONDS).catch(() => undefined);
    }
  }

  #scheduleRenewal(): void {
    this.#callOffRenewal = this.#context.environment.after(this.#renewMs, () => {
      void this.#renew().finally(() => {
        if (this.#poller.isOpen || this.#running.size > 0) this.#scheduleRenewal();
      });
    });
  }

  async #renew(): Promise<void> {
    const performances = [...this.#running.values()].map(({ execution }) => execution);
    if (performances.length === 0) return;
    try {
      const renewed = await this.#context.store.renew(
        this.#owner,
        performances.map(({ held }) => held),
      );
      for (const execution of performances) {
        const { id } = execution.held;
        if (this.#running.get(id)?.execution !== execution) continue;
        const lease = renewed.get(id);
        if (lease === undefined) execution.interrupt('lost');
        // The notification of the request was lost.
        else if (lease.isUnwanted) execution.interrupt('cancelled');
      }
    } catch (error) {
      this.#context.log.warn({ err: error }, 'leases could not be renewed');
    }
  }
}
