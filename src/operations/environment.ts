/** The clock and the random numbers of the runner, passed in so that a simulation can replace them. */
export interface Environment {
  /** The time that queries use instead of the database's clock; null uses the database's clock. */
  now(): Date | null;
  /** Milliseconds from an arbitrary start; only differences matter. */
  monotonic(): number;
  /** Runs `work` after a delay. Returns a function that cancels it. */
  after(milliseconds: number, work: () => void): () => void;
  /** Returns a random number from 0 to 1. */
  random(): number;
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const REAL: Environment = {
  now: () => null,
  monotonic: () => performance.now(),
  after(milliseconds, work) {
    const timer = setTimeout(work, Math.min(Math.max(0, milliseconds), LONGEST_TIMER_MS));
    return () => clearTimeout(timer);
  },
  random: Math.random,
};
