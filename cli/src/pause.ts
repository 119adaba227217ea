import { setTimeout as delay } from 'node:timers/promises';

/** Waits; throws an AbortError as soon as the signal is aborted. */
export const pause = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
  delay(milliseconds, undefined, signal === undefined ? {} : { signal });
