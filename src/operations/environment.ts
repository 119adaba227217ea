/** Time and chance, handed in: a simulation replaces them and nothing else. */
export interface Environment {
  /** What the database's clock is to say; null leaves it to the database itself. */
  now(): Date | null;
  /** Milliseconds; only differences matter. */
  monotonic(): number;
  /** Returns what calls it off. */
  after(milliseconds: number, work: () => void): () => void;
  /** From 0 to 1. */
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
