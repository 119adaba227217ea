/** The argument of `call.hold`: what a read waits for. */
export interface Holding<T> {
  /** The notifications to wait for: keys from `channels.ts`. */
  readonly keys: readonly string[];
  /** Reads the value, and may continue from the previous one. It must not write: other calls may share the result. */
  look(before?: T): Promise<T>;
  isDone(value: T): boolean;
  /** A name for the next read. Calls that are woken together and have the same name share one read. */
  question?(before: T): string;
}
