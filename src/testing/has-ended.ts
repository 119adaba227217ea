import { readFileSync } from 'node:fs';

/** A zombie process, which has ended but was not reaped yet, has no arguments any more. */
export function hasEnded(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8') === '';
  } catch {
    return true;
  }
}
