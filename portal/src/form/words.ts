/** How a schema is said to people. */
import { spoken } from '../data/words.ts';
import type { Schema } from './document.ts';

export const labelOf = (name: string, schema: Schema): string => String(schema['x-label'] ?? spoken(name));

/** As a head over values, which say their unit themselves: `memory_mb` is "Memory", `created_at` is "Created". */
export const headOf = (name: string, schema: Schema): string =>
  labelOf(name.replace(/_(ids?|at|bytes|gb|mb)$/, ''), schema);

/** What only those who write the request themselves have to know. */
const OF_REQUESTS = [
  /A merge patch of [^.]*\. Null removes all\./g,
  /Members you leave out stay unchanged\./g,
];

/** A field without a value is empty, whatever a program would send. */
const withoutRequests = (text: string): string =>
  OF_REQUESTS.reduce((rest, words) => rest.replaceAll(words, ''), text)
    .replaceAll(/Empty or null\b/g, 'Empty')
    .replaceAll(/Default: null, /g, 'Default: ')
    .replaceAll(/\bnull\b/g, 'empty')
    .replaceAll(/\bNull\b/g, 'Empty')
    .trim();

/** Names of members as their fields are labelled: `ip_id` is "IP". */
const plain = (text: unknown): string =>
  withoutRequests(String(text ?? ''))
    .replaceAll(/`([a-z\d]+(?:_[a-z\d]+)+)`/g, (_, name: string) => spoken(name.replace(/_ids?$/, '')))
    .replaceAll('`', '');

/** Larger limits are those of the storage; nobody comes near them. */
const HUGE = 2 ** 31 - 1;

function rangeOf({ minimum, maximum }: Schema): string {
  const most = Number(maximum ?? HUGE) < HUGE ? maximum : undefined;
  if (minimum === undefined) return most === undefined ? '' : `At most ${most}.`;
  return most === undefined ? `At least ${minimum}.` : `From ${minimum} to ${most}.`;
}

/** "For a backup: whether …" is shown only for a backup. */
function without(condition: RegExp, text: string): string {
  const rest = text.replace(condition, '');
  return rest === text ? text : `${rest.slice(0, 1).toUpperCase()}${rest.slice(1)}`;
}

export const hintOf = (schema: Schema): string =>
  [
    schema['x-when'] === undefined
      ? plain(schema['description'])
      : without(/^For an? [\w ]+: /, plain(schema['description'])),
    rangeOf(schema),
  ]
    .filter(Boolean)
    .join(' ');

export function unitOf(schema: Schema): string | undefined {
  const unit = schema['x-unit'];
  return unit === undefined ? undefined : String(unit).replace(/^currency\//, 'per ');
}

/** The values of an enumeration, each with what it means. */
export function valuesOf(schema: Schema): readonly { value: string | number; note: string }[] {
  const { enum: values = [], not } = schema as { enum?: (string | number)[]; not?: { enum?: unknown[] } };
  const notes = schema['x-enum-descriptions'] as readonly string[] | undefined;
  return values
    .map((value, i) => ({ value, note: plain(notes?.[i]) }))
    .filter(({ value }) => !not?.enum?.includes(value));
}

const orders = new Map([
  ['created_at', 'Oldest first'],
  ['-created_at', 'Newest first'],
  ['updated_at', 'Changed longest ago first'],
  ['-updated_at', 'Changed last first'],
]);

/** How the order of a list is said: `-name` is "Name, descending". */
export function orderOf(sort: string): string {
  const said = orders.get(sort);
  if (said !== undefined) return said;
  const isDescending = sort.startsWith('-');
  return `${spoken(sort.replace(/^-/, ''))}, ${isDescending ? 'descending' : 'ascending'}`;
}

/** Times are typed in the zone of the person, and sent in UTC. */
export function localTime(iso: unknown): string {
  const time = new Date(typeof iso === 'string' ? iso : Number.NaN);
  if (Number.isNaN(time.getTime())) return '';
  const shifted = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}

export function utcTime(local: string): string | undefined {
  const time = new Date(local);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString().replace('.000Z', 'Z');
}
