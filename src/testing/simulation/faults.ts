/**
 * Decides which faults occur in a simulated world, and how often. Each world has its own mixture, so some worlds have
 * a single kind of fault.
 */
import type { Chance } from './chance.ts';

export type CallFault = 'none' | 'crash-before' | 'crash-after' | 'lost-before' | 'lost-after' | 'pause';

const callFaults: readonly CallFault[] = [
  'crash-before',
  'crash-after',
  'lost-before',
  'lost-after',
  'pause',
];

const LONGEST_LATENCY_MS = 20;
/** Shorter than the time that a runner gives a step to stop. */
const LONGEST_EFFECT_MS = 5000;

export class Faults {
  readonly #chance: Chance;
  readonly #ofCall: ReadonlyMap<CallFault, number>;
  readonly #delays: number;
  readonly #deafness: number;
  readonly #jumps: number;
  readonly #closing: number;
  readonly #slowness: number;
  readonly #loses: number;
  readonly #repeats: number;
  #isCalm = false;

  constructor(chance: Chance) {
    this.#chance = chance;
    const often = (most: number): number => (chance.happens(0.4) ? 0 : chance.next() * most);
    this.#ofCall = new Map(callFaults.map((fault) => [fault, often(fault === 'pause' ? 0.06 : 0.03)]));
    this.#delays = often(0.1);
    this.#deafness = often(0.01);
    this.#jumps = chance.happens(0.7) ? 0 : chance.next() * 0.01;
    this.#closing = often(0.01);
    this.#slowness = often(0.15);
    this.#loses = often(0.6);
    this.#repeats = often(0.3);
  }

  get isCalm(): boolean {
    return this.#isCalm;
  }

  calm(): void {
    this.#isCalm = true;
  }

  #happens(probability: number): boolean {
    return !this.#isCalm && probability > 0 && this.#chance.happens(probability);
  }

  ofCall(): CallFault {
    for (const [fault, probability] of this.#ofCall) if (this.#happens(probability)) return fault;
    return 'none';
  }

  /** The delay before a call reaches the database; sometimes longer than a lease. */
  latency(): number {
    return this.#happens(this.#delays) ? this.#chance.between(1000, 45_000) : this.shortLatency();
  }

  shortLatency(): number {
    return this.#chance.between(0, LONGEST_LATENCY_MS);
  }

  /** Engines are slow at times even without faults. */
  engineLatency(): number {
    return this.#chance.happens(0.3) ? this.#chance.between(0, LONGEST_EFFECT_MS) : this.shortLatency();
  }

  answerDelay(): number {
    return this.#happens(this.#delays) ? this.#chance.between(1, 45_000) : 0;
  }

  /** How long a commit is delayed; null means no delay. */
  commitDelay(): number | null {
    return this.#happens(this.#slowness) ? this.#chance.between(1, 2000) : null;
  }

  pause(): number {
    return this.#chance.between(5000, 90_000);
  }

  hasLostHearing(): boolean {
    return this.#happens(this.#deafness);
  }

  closes(): boolean {
    return this.#happens(this.#closing);
  }

  /** How far the wall clock is moved; almost always 0. */
  clockJump(): number {
    if (!this.#happens(this.#jumps)) return 0;
    return this.#chance.pick([-3_600_000, 3_600_000, -45_000, 45_000]);
  }

  /** The delays after which a notification arrives: it may arrive once, twice, late or never. */
  hearings(): number[] {
    const times: number[] = [];
    if (!this.#happens(this.#loses)) times.push(this.latency());
    if (this.#happens(this.#repeats)) times.push(this.latency());
    return times;
  }
}
