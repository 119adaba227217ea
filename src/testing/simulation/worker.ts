/**
 * One worker of a simulated world: a real runner on a real store. The agenda controls every call, answer, timer and
 * notification. The worker may be killed between any two of them, be paused for longer than its lease, or stop
 * receiving notifications.
 */
import type { PostgresPoolClient } from 'kysely';
import pino from 'pino';
import type { Registry } from '../../kernel/registry.ts';
import type { Services } from '../../kernel/services.ts';
import type { SlotCounts } from '../../operations/claims/slots.ts';
import type { Environment } from '../../operations/environment.ts';
import { Runner } from '../../operations/runner.ts';
import type { Held, RunnerStore } from '../../operations/runner-store.ts';
import { DatabaseRunnerStore } from '../../operations/store.ts';
import type { Agenda, Standing } from './agenda.ts';
import type { Chance } from './chance.ts';
import type { Faults } from './faults.ts';
import type { SimulationHome } from './home.ts';
import type { Outcome, Traffic } from './traffic.ts';
import { openOn, type Wire } from './wire.ts';

/** What a worker uses of its world, and what it reports to the world. */
export interface Surroundings {
  readonly chance: Chance;
  readonly agenda: Agenda;
  readonly faults: Faults;
  readonly home: SimulationHome;
  readonly traffic: Traffic;
  readonly registry: Registry;
  record(line: string): void;
  describe(call: string, args: readonly unknown[]): string;
  /** Reports the store's answer to a worker that claimed to hold this operation. */
  moved(held: Held, answer: unknown): void;
  /** Called after each store call or engine call, so that the world checks its guarantees. */
  happened(): Promise<void>;
  /** Reports that the database rejected a call without an injected fault. */
  refused(call: string, error: unknown): void;
  crashed(worker: Worker): void;
  /** Called before an effect on the engine is requested; returns a function to call when the effect happens. */
  touching(worker: Worker, machine: string): () => void;
}

/** The database returns claimed operations in any order; sorting makes the world reproducible. */
const inOrder = (claimed: Held[]): Held[] => claimed.sort((a, b) => (a.id < b.id ? -1 : 1));

const silent = pino({ level: 'silent' });

const unavailable = (): Outcome<never> => ({
  ok: false,
  error: Object.assign(new Error('connection terminated'), { code: '08006' }),
});

export class Worker implements Standing {
  readonly name: string;
  readonly #world: Surroundings;
  readonly #runner: Runner;
  readonly #environment: Environment;
  pausedUntil = 0;
  isGone = false;
  isDeaf = false;

  constructor(name: string, slots: SlotCounts, world: Surroundings) {
    this.name = name;
    this.#world = world;
    const { agenda, chance, registry } = world;
    this.#environment = {
      now: () => agenda.now(),
      monotonic: () => agenda.elapsed,
      after: (ms, work) => (this.isGone ? () => undefined : agenda.add(this, ms, work)),
      random: chance.next,
    };
    this.#runner = new Runner(
      {
        store: this.#openStore(),
        environment: this.#environment,
        db: openOn(this.#openEngine()),
        log: silent,
        // The simulated operations use no services.
        services: {} as Services,
        kindOf: (type) => registry.kinds.get(type),
      },
      { slots, owner: name },
    );
    this.#runner.start();
    this.#runner.up();
  }

  #openStore(): RunnerStore {
    const { home, registry } = this.#world;
    const open = (wire: Wire) => new DatabaseRunnerStore(wire.db, registry, this.#environment);
    const stores = new Map([home.wire, home.slow].map((wire) => [wire, open(wire)]));
    const names = [
      'claim',
      'renew',
      'advance',
      'end',
      'giveBack',
      'children',
      'cancelChildren',
      'lookAhead',
    ] as const satisfies readonly (keyof RunnerStore)[];
    const calls = names.map((name) => {
      const real = (wire: Wire, args: readonly unknown[]): Promise<unknown> => {
        const store = stores.get(wire)!;
        const answer = (store[name] as (...args: unknown[]) => Promise<unknown>).apply(store, [...args]);
        return name === 'claim' ? (answer as Promise<Held[]>).then(inOrder) : answer;
      };
      return [name, (...args: unknown[]) => this.#call(name, args, (wire) => real(wire, args))] as const;
    });
    return Object.fromEntries(calls) as unknown as RunnerStore;
  }

  /**
   * The effects of steps on the engine: each statement is a separate call, and none takes longer than a runner waits
   * for a step.
   */
  #openEngine(): PostgresPoolClient {
    const query = (text: string, values: readonly unknown[]): Promise<unknown> => {
      if (text.trimStart().startsWith('select'))
        return this.#call('look', [], (wire) => wire.query(text, values));
      const machine = String(values[0]);
      const touch = this.#world.touching(this, machine);
      return this.#call('effect', [machine], (wire) => {
        touch();
        return wire.query(text, values);
      });
    };
    return { query, release: () => undefined } as unknown as PostgresPoolClient;
  }

  #call<T>(name: string, args: readonly unknown[], work: (wire: Wire) => Promise<T>): Promise<T> {
    const { agenda, faults } = this.#world;
    return new Promise<T>((resolve, reject) => {
      if (this.isGone) return;
      const wait = name === 'effect' ? faults.engineLatency() : faults.latency();
      const answer = (outcome: Outcome<T>): void =>
        outcome.ok ? resolve(outcome.value) : reject(outcome.error);
      agenda.add(this, wait, () => this.#carryOut(name, args, work, answer), true);
    });
  }

  async #carryOut<T>(
    name: string,
    args: readonly unknown[],
    work: (wire: Wire) => Promise<T>,
    answer: (outcome: Outcome<T>) => void,
  ): Promise<void> {
    const { faults, traffic } = this.#world;
    const what = this.#world.describe(name, args);
    const fault = faults.ofCall();
    if (fault === 'crash-before') return this.crash(`before ${what}`);
    if (fault === 'lost-before') {
      this.#say(`${what}: never arrived`);
      return answer(unavailable());
    }
    if (fault === 'pause') this.pause(faults.pause());
    await traffic.carryOut(work, async (outcome) => {
      this.#say(`${what}${fault === 'none' ? '' : ` (${fault})`}${outcome.ok ? '' : ': refused'}`);
      if (outcome.ok && (name === 'advance' || name === 'end'))
        this.#world.moved(args[0] as Held, outcome.value);
      await this.#world.happened();
      if (!outcome.ok) this.#world.refused(what, outcome.error);
      if (this.isGone) return;
      if (fault === 'crash-after') return this.crash(`after ${what}`);
      this.#deliver(name, () => answer(fault === 'lost-after' ? unavailable() : outcome));
    });
  }

  #deliver(name: string, answer: () => void): void {
    const { agenda, faults } = this.#world;
    const wait = name === 'effect' ? 0 : faults.answerDelay();
    if (wait === 0 && this.pausedUntil <= agenda.elapsed) answer();
    else agenda.add(this, wait, answer, true);
  }

  #say(what: string): void {
    this.#world.record(`${this.name} ${what}`);
  }

  hear(payload: string, label: string): void {
    if (this.isGone || this.isDeaf) return;
    this.#say(`hears ${label}`);
    this.#runner.heard(payload);
  }

  crash(when: string): void {
    this.#say(`dies ${when}`);
    this.#leave();
  }

  pause(ms: number): void {
    this.#say(`stands still for ${ms} ms`);
    this.pausedUntil = this.#world.agenda.elapsed + ms;
  }

  loseHearing(): void {
    this.#say('is deaf');
    this.isDeaf = true;
    this.#runner.down();
  }

  regainHearing(): void {
    if (this.isGone || !this.isDeaf) return;
    this.#say('hears again');
    this.isDeaf = false;
    this.#runner.up();
  }

  close(patienceMs: number): void {
    this.#say('closes');
    void this.#runner.close(patienceMs).then(() => {
      if (this.isGone) return;
      this.#say('has closed');
      this.#leave();
    });
  }

  #leave(): void {
    this.isGone = true;
    this.#world.agenda.forget(this);
    this.#world.crashed(this);
  }
}
