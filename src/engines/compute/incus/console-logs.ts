import type { Ref } from '../instance.ts';

/**
 * Stores the console output that was read from running machines. Only the last `KEPT_BYTES` are kept, because no read
 * returns more.
 */
export interface ConsoleLogs {
  find(ref: Ref): Promise<string>;
  /** Replaces the stored text. */
  keep(ref: Ref, text: string): Promise<void>;
  /** Returns the whole stored text, including the appended part. */
  append(ref: Ref, text: string): Promise<string>;
  forget(ref: Ref): Promise<void>;
}

export const KEPT_BYTES = 256 * 1024;
