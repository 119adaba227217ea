/**
 * How transactions meet. Most take no time: nothing else happens meanwhile. One at a time may linger before its commit,
 * invisible and with all its locks, until its time has passed or somebody has to wait for it.
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
  /** What follows from it, when it has happened. */
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

  /** Nothing is under way any more. */
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

  /** Whoever has to wait for it finds it done. What follows from the two follows when both have happened. */
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
