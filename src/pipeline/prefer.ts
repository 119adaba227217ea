/** The header `Prefer` (RFC 7240), of which one preference is ours: `wait=N`. */
import type { FieldError } from '../kernel/problems/problem.ts';

export const LONGEST_WAIT_SECONDS = 60;

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const WORD = `(?:${TOKEN}|"(?:[^"\\\\]|\\\\.)*")`;
const PARAMETER = `${TOKEN}(?:[ \\t]*=[ \\t]*${WORD})?`;
// No two parts that may be empty stand side by side: a header made to be read slowly is read as fast as any other.
const PREFERENCE = new RegExp(
  `[ \\t]*(?:(${TOKEN})(?:[ \\t]*=[ \\t]*(${WORD}))?(?:[ \\t]*;(?:[ \\t]*${PARAMETER})?)*[ \\t]*)?(?:,|$)`,
  'y',
);

/** By their names in small letters; of one that is repeated the first counts. Null: not a list of preferences. */
export function parsePreferences(header: string): Map<string, string> | null {
  const found = new Map<string, string>();
  PREFERENCE.lastIndex = 0;
  while (PREFERENCE.lastIndex < header.length) {
    const match = PREFERENCE.exec(header);
    if (match === null) return null;
    const [, name, word = ''] = match;
    const value = word.startsWith('"') ? word.slice(1, -1).replaceAll(/\\(.)/g, '$1') : word;
    if (name !== undefined && !found.has(name.toLowerCase())) found.set(name.toLowerCase(), value);
  }
  return found;
}

const fault = (code: FieldError['code'], detail: string): FieldError => ({
  pointer: 'header/Prefer',
  code,
  detail,
});

/** Seconds, a fault, or null where no wait is asked for. */
export function readPreferredWait(header: string | undefined): number | FieldError | null {
  if (header === undefined) return null;
  const preferences = parsePreferences(header);
  if (preferences === null) return fault('invalid_format', 'Write it as in RFC 7240: Prefer: wait=30.');
  const text = preferences.get('wait');
  if (text === undefined) return null;
  if (!/^\d+$/.test(text)) return fault('invalid_format', 'wait takes whole seconds: Prefer: wait=30.');
  const seconds = Number(text);
  const isInRange = seconds >= 1 && seconds <= LONGEST_WAIT_SECONDS;
  return isInRange ? seconds : fault('out_of_range', `wait takes 1 to ${LONGEST_WAIT_SECONDS} seconds.`);
}
