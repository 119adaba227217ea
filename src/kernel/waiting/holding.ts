/** What a read waits for, as its handler describes it (`call.hold`). */
export interface Holding<T> {
  /** What may change: keys of `channels.ts`. */
  readonly keys: readonly string[];
  /** Given what it found before, it may go on from there. Changes nothing: others may be shown what it finds. */
  look(before?: T): Promise<T>;
  isDone(value: T): boolean;
  /** Names the next look: those who were woken together and would ask the same ask it once. */
  question?(before: T): string;
}
