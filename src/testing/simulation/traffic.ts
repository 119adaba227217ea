/**
 * Simulates concurrent transactions. Most run without anything else happening meanwhile. One transaction at a time
 * may be delayed before its commit: it is invisible and holds its locks until its delay is over or another
 * transaction waits for it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Agenda } from './agenda.ts';
import type { Faults } from './faults.ts';
import type { SimulationHome } from './home.ts';
import type { Wire } from './wire.ts';

export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: unknown };

interface Lingering {
  release(): void;
  /** Handles the outcome after the commit. */
  conclude(): Promise<void>;
}

const settled = <T>(work: Promise<T>): Promise<Outcome<T>> =>
  work.then(
    (value) => ({ ok: true, value }),
    (error: unknown) => ({ ok: false, error }),
  );

const LOOK_EVERY_MS = 2;

export class Traffic {
  readonly #home: SimulationHome;
  readonly #agenda: Agenda;
  readonly #faults: Faults;
  readonly #record: (line: string) => void;
  #lingering: Lingering | null = null;

  constructor(home: SimulationHome, agenda: Agenda, faults: Faults, record: (line: string) => void) {
    this.#home = home;
    this.#agenda = agenda;
    this.#faults = faults;
    this.#record = record;
  }

  async carryOut<T>(
    work: (wire: Wire) => Promise<T>,
    conclude: (outcome: Outcome<T>) => Promise<void>,
  ): Promise<void> {
    const delay = this.#lingering === null ? this.#faults.commitDelay() : null;
    if (delay !== null) return this.#linger(delay, work, conclude);
    const outcome = settled(work(this.#home.wire));
    if (this.#lingering !== null) await this.#giveWay(this.#lingering, outcome);
    await conclude(await outcome);
  }

  /** Commits the delayed transaction, if there is one. */
  async finish(): Promise<void> {
    const lingering = this.#lingering;
    lingering?.release();
    await lingering?.conclude();
  }

  async #linger<T>(
    delay: number,
    work: (wire: Wire) => Promise<T>,
    conclude: (outcome: Outcome<T>) => Promise<void>,
  ): Promise<void> {
    const { slow } = this.#home;
    const hold = slow.hold();
    const outcome = settled(work(slow));
    await Promise.race([hold.reached, outcome]);
    if (!hold.isReached) {
      slow.letGo();
      return conclude(await outcome);
    }
    this.#record(`a commit takes ${delay} ms`);
    const callOff = this.#agenda.add(null, delay, () => this.finish(), true);
    this.#lingering = {
      release: () => {
        callOff();
        this.#lingering = null;
        hold.release();
      },
      conclude: async () => conclude(await outcome),
    };
  }

  /**
   * If the new transaction is blocked by the delayed one, the delayed one commits. Both outcomes are handled after
   * both transactions have ended.
   */
  async #giveWay(lingering: Lingering, outcome: Promise<unknown>): Promise<void> {
    const { wire, slow, watch } = this.#home;
    for (;;) {
      const isDone = await Promise.race([outcome.then(() => true), sleep(LOOK_EVERY_MS).then(() => false)]);
      if (isDone) return;
      if (await wire.isBlocked(slow, watch)) break;
    }
    this.#record('it is waited for');
    lingering.release();
    await outcome;
    await lingering.conclude();
  }
}
