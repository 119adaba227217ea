/** How values of resources are said: sizes, prices, states. */
import type { Schema } from '../form/document.ts';
import type { Tone } from '../ui/tone.ts';

type Obj = Readonly<Record<string, unknown>>;

export interface Price {
  readonly hourly: string;
  readonly monthly: string;
  readonly currency: string;
}

export const isPrice = (value: unknown): value is Price =>
  typeof value === 'object' && value !== null && 'monthly' in value && 'currency' in value;

export const isFree = ({ hourly, monthly }: Price): boolean => Number(hourly) === 0 && Number(monthly) === 0;

interface States {
  readonly transient: readonly string[];
  readonly allows: Readonly<Record<string, readonly string[]>>;
  readonly severities?: Readonly<Record<string, string>>;
}

const tones: Readonly<Record<string, Tone>> = { error: 'bad', warning: 'warn', inactive: 'plain' };

export const statesOf = (schema: Schema | undefined): States | undefined =>
  schema?.['x-states'] as States | undefined;

export function toneOf(states: States | undefined, status: string): Tone {
  if (states?.transient.includes(status)) return 'info';
  return tones[states?.severities?.[status] ?? ''] ?? 'good';
}

/** The states in which the call is accepted; undefined if it is in all of them. */
export function statesFor(states: States | undefined, operation: string): readonly string[] | undefined {
  const entries = Object.entries(states?.allows ?? {});
  const found = entries.filter(([, ids]) => ids.includes(operation)).map(([state]) => state);
  return found.length === 0 || found.length === entries.length ? undefined : found;
}

/** One word for an object: its name, address or id. */
export function nameIn(value: Obj): string | undefined {
  const member = ['name', 'slug', 'address', 'type', 'status', 'id'].find(
    (each) => typeof value[each] === 'string',
  );
  if (member !== undefined) return String(value[member]);
  const plain = Object.entries(value).filter(([, each]) => typeof each !== 'object');
  if (plain.length === 0) return undefined;
  return plain.every(([, each]) => typeof each === 'string')
    ? plain.map(([, each]) => each).join(' ')
    : plain.map(([name, each]) => `${String(each)} ${name.replaceAll('_', ' ')}`).join(', ');
}

/** Whether one word is enough for it: it is another thing with a name. */
export const isNamed = (value: unknown): value is Obj =>
  typeof value === 'object' && value !== null && ('name' in value || 'slug' in value);

/** An id: the type of what it names, `_`, and 26 characters. */
export const isId = (value: unknown): boolean =>
  typeof value === 'string' && /^[a-z]{1,63}_[0-9a-hjkmnp-tv-z]{26}$/.test(value);

export const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  (Array.isArray(value) && value.length === 0) ||
  (typeof value === 'object' && Object.keys(value as object).length === 0);
