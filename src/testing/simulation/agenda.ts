/**
 * All pending events of a simulated world, and its clock. One event runs at a time. If several are due, one is picked
 * at random, so the seed alone decides every interleaving.
 */
import type { Chance } from './chance.ts';

/** An owner of events, which wait while it is paused. */
export interface Standing {
  readonly pausedUntil: number;
}

interface Item {
  at: number;
  readonly of: Standing | null;
  readonly hurries: boolean;
  readonly run: () => Promise<void> | void;
}

/** Later than any `now()` of the database that the simulation uses. */
const BEGINNING = Date.UTC(2100, 0, 1);

export class Agenda {
  readonly #chance: Chance;
  readonly #items = new Set<Item>();
  /** Milliseconds since the simulation started. */
  elapsed = 0;
  /** How far the wall clock was moved since then, in milliseconds. */
  moved = 0;

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  now(): Date {
    return new Date(BEGINNING + Math.floor(this.elapsed) + this.moved);
  }

  /** Returns a function that removes the event. */
  add(of: Standing | null, inMs: number, run: Item['run'], hurries = false): () => void {
    const item = { at: this.elapsed + Math.max(0, inMs), of, run, hurries };
    this.#items.add(item);
    return () => void this.#items.delete(item);
  }

  forget(of: Standing): void {
    for (const item of this.#items) if (item.of === of) this.#items.delete(item);
  }

  /** Makes all events that carry a delay due within this time. */
  hurry(withinMs: number): void {
    for (const item of this.#items) if (item.hurries) item.at = Math.min(item.at, this.elapsed + withinMs);
  }

  /** Returns false if no event is left. */
  async step(): Promise<boolean> {
    const at = (item: Item): number => Math.max(item.at, item.of?.pausedUntil ?? 0);
    let soonest = Number.POSITIVE_INFINITY;
    for (const item of this.#items) soonest = Math.min(soonest, at(item));
    if (soonest === Number.POSITIVE_INFINITY) return false;
    this.elapsed = Math.max(this.elapsed, soonest);
    const due = [...this.#items].filter((item) => at(item) <= this.elapsed);
    const item = this.#chance.pick(due);
    this.#items.delete(item);
    await item.run();
    // Code that just received an answer runs on until it waits again.
    await new Promise((resolve) => setImmediate(resolve));
    return true;
  }
}
