import { useSyncExternalStore } from 'react';
import { ago, formatTime } from '../data/words.ts';

/** One clock for all times on the page. */
let now = Date.now();
const listeners = new Set<() => void>();
let timer: number | undefined;

const subscribe = (listener: () => void): (() => void) => {
  // Nobody moved the clock while the page showed no time.
  if (listeners.size === 0) now = Date.now();
  listeners.add(listener);
  timer ??= window.setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, 10_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
};

export const useNow = (): number => useSyncExternalStore(subscribe, () => now);

export function Ago({ time }: { time: string }) {
  const moment = useNow();
  return (
    <time dateTime={time} title={formatTime(time)}>
      {ago(time, Math.max(moment, 0))}
    </time>
  );
}
