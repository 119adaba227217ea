/**
 * Everything that is still to happen in a simulated world, and its clock. One thing happens at a time, and of those that
 * could happen now chance takes one: the seed alone decides every interleaving.
 */
import type { Chance } from './chance.ts';

/** Whose things wait while it stands still. */
export interface Standing {
  readonly pausedUntil: number;
}

interface Item {
  at: number;
  readonly of: Standing | null;
  readonly hurries: boolean;
  readonly run: () => Promise<void> | void;
}

/** Later than any `now()` of the database the worlds live in. */
const BEGINNING = Date.UTC(2100, 0, 1);

export class Agenda {
  readonly #chance: Chance;
  readonly #items = new Set<Item>();
  /** Milliseconds since the world began. */
  elapsed = 0;
  /** How far the clock on the wall was moved since. */
  moved = 0;

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  now(): Date {
    return new Date(BEGINNING + Math.floor(this.elapsed) + this.moved);
  }

  /** Returns what calls it off. */
  add(of: Standing | null, inMs: number, run: Item['run'], hurries = false): () => void {
    const item = { at: this.elapsed + Math.max(0, inMs), of, run, hurries };
    this.#items.add(item);
    return () => void this.#items.delete(item);
  }

  forget(of: Standing): void {
    for (const item of this.#items) if (item.of === of) this.#items.delete(item);
  }

  /** From now on nothing that is under way takes long. */
  hurry(withinMs: number): void {
    for (const item of this.#items) if (item.hurries) item.at = Math.min(item.at, this.elapsed + withinMs);
  }

  /** False: nothing is left. */
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
    // Whoever was answered goes on until he waits again.
    await new Promise((resolve) => setImmediate(resolve));
    return true;
  }
}
