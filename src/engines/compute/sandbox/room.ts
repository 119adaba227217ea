/**
 * The way of every call through the room: trouble on order first, then the work, in transactions of the room's own,
 * then the time it takes. What a call changed is written before it waits, so whoever repeats it waits for the rest.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Image as CatalogueImage } from '../../../provider/catalogue.ts';
import { isUnavailable } from '../../../store/unavailable.ts';
import type { Watcher } from '../../engine.ts';
import { EngineRefused, EngineUnreachable } from '../../errors.ts';
import type { Ref } from '../instance.ts';
import { type Task, TIMES } from './durations.ts';
import type { CallName, Effect } from './faults.ts';
import { type Machine, type Moment, restsAt } from './state.ts';
import type { HostSpec, Name, RoomStore } from './store.ts';

export interface Furniture {
  readonly hosts: readonly HostSpec[];
  readonly images: readonly CatalogueImage[];
  /** 1: as long as it would really take; 0: at once. */
  readonly pace: number;
}

interface Visit<T> {
  readonly call: CallName;
  readonly target: Name | null;
  readonly signal: AbortSignal | undefined;
  /** What a liar answers; left out where only the truth has the right shape. */
  readonly lie?: { readonly value: T };
  readonly asksGuest?: boolean;
  work(isDeaf: boolean): Promise<T>;
}

export type Change = (store: RoomStore, machine: Machine, now: Moment) => Promise<Machine | null>;

export const nameOf = ({ account, id }: Ref): Name => ({ project: account, id });

export const missing = (what: string, id: string): EngineRefused =>
  new EngineRefused('not_found', `The engine has no ${what} ${id}.`);

export class Room {
  readonly location: string;
  readonly store: RoomStore;
  readonly furniture: Furniture;
  readonly watchers = new Set<Watcher>();
  /** Nudges come back through the database; otherwise only this process hears of its own. */
  readonly #isHeard: boolean;
  #furnished: Promise<void> | null = null;
  #late = new Set<Promise<unknown>>();

  constructor(location: string, store: RoomStore, furniture: Furniture, isHeard: boolean) {
    this.location = location;
    this.store = store;
    this.furniture = furniture;
    this.#isHeard = isHeard;
  }

  takes(task: Task): number {
    return Math.round(TIMES[task] * this.furniture.pace);
  }

  async visit<T>(visit: Visit<T>): Promise<T> {
    const { signal } = visit;
    signal?.throwIfAborted();
    try {
      return await this.#visit(visit);
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (!isUnavailable(error)) throw error;
      throw new EngineUnreachable('The database of the sandbox does not answer.', { cause: error });
    }
  }

  async #visit<T>({ call, target, signal, lie, asksGuest = false, work }: Visit<T>): Promise<T> {
    await this.#furnish();
    const effect = await this.store.strike(call, target?.id ?? null, asksGuest);
    switch (effect?.kind) {
      case undefined:
        return work(false);
      case 'fail':
        throw new EngineRefused(effect.code, effect.detail);
      case 'unreachable':
        throw new EngineUnreachable('The sandbox was told not to answer.');
      case 'hang':
        return this.#hang(signal);
      case 'slow':
        await this.pause(effect.seconds * 1000, signal);
        return work(false);
      case 'fail_after':
        await work(false);
        throw new EngineUnreachable('The sandbox was told not to answer after its work.');
      case 'late':
        return this.#finishLate(effect, work, signal);
      case 'lie':
        if (lie !== undefined) return lie.value;
        throw new EngineRefused('engine_failed', `The sandbox cannot lie about ${call}.`);
      case 'lose':
        if (target !== null) await this.lose(target);
        return work(false);
      case 'ignore_shutdown':
        return work(true);
    }
  }

  async #hang(signal: AbortSignal | undefined): Promise<never> {
    return new Promise((_, reject) => {
      if (signal?.aborted) reject(signal.reason);
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  }

  async #finishLate<T>(
    { seconds }: Extract<Effect, { kind: 'late' }>,
    work: (isDeaf: boolean) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<never> {
    const late = wait(seconds * 1000).then(() => work(false));
    // Its outcome is nobody's: that is the point.
    const quiet = late.catch(() => undefined).finally(() => this.#late.delete(quiet));
    this.#late.add(quiet);
    await this.pause(seconds * 1000, signal);
    throw new EngineUnreachable('The sandbox was told to answer too late.');
  }

  async #furnish(): Promise<void> {
    this.#furnished ??= this.store.furnish(this.furniture.hosts);
    try {
      await this.#furnished;
    } catch (error) {
      this.#furnished = null;
      throw error;
    }
  }

  async pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
    if (milliseconds <= 0) return;
    await wait(milliseconds, undefined, signal === undefined ? {} : { signal });
  }

  /** Once nothing else is under way there; returns when what was changed holds. False: there is no such machine. */
  async change(name: Name, signal: AbortSignal | undefined, change: Change): Promise<boolean> {
    for (;;) {
      const step = await this.store.transact(async (store) => {
        const machine = await store.lock('machine', name);
        if (machine === null) return null;
        const now = await store.now();
        if (restsAt(machine) > now) return { isDone: false, ms: restsAt(machine) - now };
        const changed = await change(store, machine, now);
        if (changed === null) return { isDone: true, ms: 0 };
        await store.update('machine', name, changed);
        return { isDone: true, ms: restsAt(changed) - now };
      });
      if (step === null) return false;
      await this.pause(step.ms, signal);
      if (step.isDone) return true;
    }
  }

  async changePresent(name: Name, signal: AbortSignal | undefined, change: Change): Promise<void> {
    if (!(await this.change(name, signal, change))) throw missing('machine', name.id);
  }

  /** Gone without a word to whoever used it. */
  async lose(name: Name): Promise<boolean> {
    const isLost = await this.store.transact(async (store) => {
      const machine = await store.lock('machine', name);
      if (machine === null) return false;
      await store.delete('machine', name);
      await store.release(machine);
      return true;
    });
    if (isLost) await this.tell(name);
    return isLost;
  }

  async tell(name: Name): Promise<void> {
    await this.store.tell(name);
    if (!this.#isHeard) this.nudge(name);
  }

  nudge({ project, id }: Name): void {
    for (const watcher of this.watchers) watcher({ account: project, id });
  }

  async close(): Promise<void> {
    this.watchers.clear();
    await Promise.all(this.#late);
  }
}
