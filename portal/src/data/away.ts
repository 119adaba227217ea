/** Whether the server answers: what reads its events knows first. */
import { useSyncExternalStore } from 'react';

let isAway = false;
const listeners = new Set<() => void>();

/** Returns whether this is news. */
export function setAway(now: boolean): boolean {
  if (now === isAway) return false;
  isAway = now;
  for (const listener of listeners) listener();
  return true;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useIsAway = (): boolean => useSyncExternalStore(subscribe, () => isAway);
