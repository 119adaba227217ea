/** Parses the header `Prefer` (RFC 7240). The API supports `wait=N` and those below. */
import type { FieldError } from '../kernel/problems/problem.ts';

export const LONGEST_WAIT_SECONDS = 60;

/** Every call takes these preferences. */
export const TEXT_ERRORS = 'errors=text';
export const MISSING_MARKED = 'missing=marked';
export const REFUSALS_ANSWERED = 'refusals=answered';

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const WORD = `(?:${TOKEN}|"(?:[^"\\\\]|\\\\.)*")`;
const PARAMETER = `${TOKEN}(?:[ \\t]*=[ \\t]*${WORD})?`;
// The pattern never has two adjacent parts that may both be empty, so a hostile header cannot cause slow backtracking.
const PREFERENCE = new RegExp(
  `[ \\t]*(?:(${TOKEN})(?:[ \\t]*=[ \\t]*(${WORD}))?(?:[ \\t]*;(?:[ \\t]*${PARAMETER})?)*[ \\t]*)?(?:,|$)`,
  'y',
);

/**
 * Maps lower-case names to values; the first of a repeated preference counts. Null if the header cannot be parsed.
 */
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

/** Returns the seconds, a field error, or null if the header requests no wait. */
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

function prefers(preference: string): (header: string | undefined) => boolean {
  const [name = '', value] = preference.split('=');
  return (header) => header !== undefined && parsePreferences(header)?.get(name) === value;
}

/** Whether problems shall be written for a person who reads them as they are, because a program prints them so. */
export const prefersText = prefers(TEXT_ERRORS);

/** Whether a call to what does not exist shall answer 200, because the program that calls cannot go on after a 404. */
export const prefersMark = prefers(MISSING_MARKED);

/** Whether a dry run shall answer 200 with the problem if the call would be refused: for who asks so, that is an answer. */
export const prefersAnswers = prefers(REFUSALS_ANSWERED);
