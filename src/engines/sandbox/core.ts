/**
 * Runs every call to a sandbox: first a matching fault rule, then the work in transactions of the sandbox, then a pause
 * as long as the work takes. The work is committed before the pause, so a repeated call waits only for the rest of it.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Subscriber } from '../../store/listener.ts';
import { isUnavailable } from '../../store/unavailable.ts';
import type { Ref, Watcher } from '../engine.ts';
import { EngineRefused, EngineUnreachable } from '../errors.ts';
import { type CommonEffect, isCommon } from './faults.ts';
import type { SandboxPort } from './sandbox-port.ts';
import type { Moment, Name, StateStore } from './store.ts';

export interface SandboxCoreOptions<P extends SandboxPort> {
  readonly store: StateStore<P['states']>;
  readonly fixtures: P['fixtures'];
  /** The duration of each task at pace 1, in milliseconds. */
  readonly times: Readonly<Record<P['task'], number>>;
  /** A factor for all durations. With 0, tasks take no time. */
  readonly pace: number;
  /** The PostgreSQL notification channel of the sandboxes of this port. */
  readonly channel: string;
  /** Receives the nudges of other processes. The core subscribes at once, so the listener must not be started yet. */
  readonly listener?: { subscribe(channel: string, subscriber: Subscriber): void } | undefined;
  /** Writes the fixtures that are stored in tables; runs before the first call. */
  prepare?(): Promise<void>;
  /** Removes the object and all its traces in this transaction. Returns false if the object does not exist. */
  remove(store: StateStore<P['states']>, name: Name): Promise<boolean>;
}

interface SandboxCall<P extends SandboxPort, T> {
  readonly call: P['call'];
  readonly target: Name | null;
  readonly signal: AbortSignal | undefined;
  /** The answer under the effect `lie`. Left out if no false answer has the right type. */
  readonly lie?: { readonly value: T };
  /** The port's own effects that this call can have. */
  readonly ownEffects?: readonly P['effect'][];
  /** `struck`: the port's own effect that a fault rule chose for this call. The work has to produce this effect. */
  work(struck: P['effect'] | null): Promise<T>;
}

/** The object that a call names. `account` is null for objects of the provider. */
interface Target {
  readonly account: string | null;
  readonly id: string;
}

export interface Change<P extends SandboxPort, K extends keyof P['states'] & string> {
  /** Returns the moment from which no task is in progress on the object. */
  restsAt(state: P['states'][K]): Moment;
  /** Returns the new state, or null if nothing has to change. */
  apply(store: StateStore<P['states']>, state: P['states'][K], now: Moment): Promise<P['states'][K] | null>;
}

export const nameOf = ({ account, id }: Target): Name => ({ project: account ?? '', id });

export const missing = (what: string, id: string): EngineRefused =>
  new EngineRefused('not_found', `The engine has no ${what} ${id}.`);

export class SandboxCore<P extends SandboxPort> {
  readonly store: StateStore<P['states']>;
  readonly fixtures: P['fixtures'];
  readonly pace: number;
  readonly #options: SandboxCoreOptions<P>;
  readonly #watchers = new Set<Watcher>();
  #prepared: Promise<void> | null = null;
  #late = new Set<Promise<unknown>>();

  constructor(options: SandboxCoreOptions<P>) {
    const { store, fixtures, pace, listener, channel } = options;
    this.#options = options;
    this.store = store;
    this.fixtures = fixtures;
    this.pace = pace;
    listener?.subscribe(channel, {
      heard: (payload) => this.#heard(payload),
      up: () => undefined,
      down: () => undefined,
    });
  }

  takes(task: P['task']): number {
    return Math.round(this.#options.times[task] * this.pace);
  }

  /** For calls that change a state. Under the effect `lie`, the call answers that the change is done. */
  perform(
    call: P['call'],
    ref: Target,
    signal: AbortSignal | undefined,
    work: () => Promise<unknown>,
  ): Promise<void> {
    const lie = { value: undefined };
    return this.run<void>({
      call,
      target: nameOf(ref),
      signal,
      lie,
      work: async () => void (await work()),
    });
  }

  /** For calls that return the state of an object. Under the effect `lie`, the call answers that it does not exist. */
  observe<T>(
    call: P['call'],
    ref: Target,
    signal: AbortSignal | undefined,
    work: () => Promise<T | null>,
  ): Promise<T | null> {
    return this.run<T | null>({ call, target: nameOf(ref), signal, lie: { value: null }, work });
  }

  /** For calls that cannot have the effect `lie`, because no false answer has the right type. */
  read<T>(
    call: P['call'],
    ref: Ref | null,
    signal: AbortSignal | undefined,
    work: () => Promise<T>,
  ): Promise<T> {
    return this.run<T>({ call, target: ref && nameOf(ref), signal, work });
  }

  async run<T>(run: SandboxCall<P, T>): Promise<T> {
    const { signal } = run;
    signal?.throwIfAborted();
    try {
      return await this.#run(run);
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (!isUnavailable(error)) throw error;
      throw new EngineUnreachable('The database of the sandbox does not answer.', { cause: error });
    }
  }

  async #run<T>(run: SandboxCall<P, T>): Promise<T> {
    await this.#prepare();
    const { call, target, ownEffects = [], work } = run;
    const effect = await this.store.strike<P['effect']>(call, target, ownEffects);
    if (effect === null) return work(null);
    return isCommon(effect) ? this.#suffer(effect, run) : work(effect.kind);
  }

  async #suffer<T>(effect: CommonEffect, { call, target, signal, lie, work }: SandboxCall<P, T>): Promise<T> {
    switch (effect.kind) {
      case 'fail':
        throw new EngineRefused(effect.code, effect.detail);
      case 'unreachable':
        throw new EngineUnreachable(
          'A fault rule of the sandbox prevented the work and the answer of this call.',
        );
      case 'hang':
        return this.#hang(signal);
      case 'slow':
        await this.pause(effect.seconds * 1000, signal);
        return work(null);
      case 'fail_after':
        await work(null);
        throw new EngineUnreachable('A fault rule of the sandbox prevented the answer of this call.');
      case 'late':
        return this.#finishLate(effect.seconds, () => work(null), signal);
      case 'lie':
        if (lie !== undefined) return lie.value;
        throw new EngineRefused('engine_failed', `The effect lie cannot be used for the call ${call}.`);
      case 'lose':
        if (target !== null) await this.lose(target);
        return work(null);
    }
  }

  async #hang(signal: AbortSignal | undefined): Promise<never> {
    return new Promise((_, reject) => {
      if (signal?.aborted) reject(signal.reason);
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  }

  async #finishLate(
    seconds: number,
    work: () => Promise<unknown>,
    signal: AbortSignal | undefined,
  ): Promise<never> {
    const late = wait(seconds * 1000).then(work);
    // No caller waits for this work any more, so its error is ignored.
    const quiet = late.catch(() => undefined).finally(() => this.#late.delete(quiet));
    this.#late.add(quiet);
    await this.pause(seconds * 1000, signal);
    throw new EngineUnreachable(
      'A fault rule of the sandbox delayed the work of this call and prevented its answer.',
    );
  }

  async #prepare(): Promise<void> {
    this.#prepared ??= this.#options.prepare?.() ?? Promise.resolve();
    try {
      await this.#prepared;
    } catch (error) {
      this.#prepared = null;
      throw error;
    }
  }

  async pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
    if (milliseconds <= 0) return;
    await wait(milliseconds, undefined, signal === undefined ? {} : { signal });
  }

  /**
   * Waits until no task is in progress on the object, changes the object, and returns when the change is in effect.
   * Returns false if the object does not exist.
   */
  async change<K extends keyof P['states'] & string>(
    kind: K,
    name: Name,
    signal: AbortSignal | undefined,
    { restsAt, apply }: Change<P, K>,
  ): Promise<boolean> {
    for (;;) {
      const step = await this.store.transact(async (store) => {
        const state = await store.lock(kind, name);
        if (state === null) return null;
        const now = await store.now();
        if (restsAt(state) > now) return { isDone: false, ms: restsAt(state) - now };
        const changed = await apply(store, state, now);
        if (changed === null) return { isDone: true, ms: 0 };
        await store.update(kind, name, changed);
        return { isDone: true, ms: restsAt(changed) - now };
      });
      if (step === null) return false;
      await this.pause(step.ms, signal);
      if (step.isDone) return true;
    }
  }

  /** Removes an object without a call of its users, and nudges the watchers. */
  async lose(name: Name): Promise<boolean> {
    const isLost = await this.store.transact((store) => this.#options.remove(store, name));
    if (isLost) await this.tell(name);
    return isLost;
  }

  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  /** Nudges the watchers of all processes. A core with a listener receives its own notification from it. */
  async tell(name: Name): Promise<void> {
    await this.store.notify(this.#options.channel, name);
    if (this.#options.listener === undefined) this.#nudge(name);
  }

  #heard(payload: string): void {
    const [location, project = '', id = ''] = JSON.parse(payload) as string[];
    if (location === this.store.location) this.#nudge({ project, id });
  }

  #nudge({ project, id }: Name): void {
    for (const watcher of this.#watchers) watcher({ account: project, id });
  }

  async close(): Promise<void> {
    this.#watchers.clear();
    await Promise.all(this.#late);
  }
}
