import type { Ref } from '../instance.ts';

/** What a machine that runs was heard to print; the end of it, as much as there ever is to read. */
export interface ConsoleLogs {
  find(ref: Ref): Promise<string>;
  /** In place of all that was kept. */
  keep(ref: Ref, text: string): Promise<void>;
  /** Returns all that is kept now. */
  append(ref: Ref, text: string): Promise<string>;
  forget(ref: Ref): Promise<void>;
}

export const KEPT_BYTES = 256 * 1024;
