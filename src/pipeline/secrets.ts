/**
 * Refuses bodies that contain an API key: the text is stored in rows, events and bills, and everyone who reads it
 * could use the key. Only a `writeOnly` member, which is never returned, may contain a key.
 */
import { maskKeys } from '../kernel/access/key-format.ts';
import { type FieldError, Problem } from '../kernel/problems/problem.ts';
import type { TSchema } from '../kernel/schema.ts';
import { alternativeOf } from '../kernel/variants.ts';

interface Described {
  readonly writeOnly?: boolean;
  readonly properties?: Readonly<Record<string, Described>>;
  readonly items?: Described;
}

const DETAIL = 'Holds an API key, which everyone who reads this text could use.';

const holdsKey = (text: string): boolean => maskKeys(text) !== text;

function keysIn(value: unknown, schema: Described | undefined, pointer: string): FieldError[] {
  if (schema?.writeOnly) return [];
  if (typeof value === 'string')
    return holdsKey(value) ? [{ pointer, code: 'invalid_format', detail: DETAIL }] : [];
  if (Array.isArray(value)) return value.flatMap((item, i) => keysIn(item, schema?.items, `${pointer}/${i}`));
  if (value === null || typeof value !== 'object') return [];
  const members = schema === undefined ? {} : alternativeOf(schema, value).properties;
  return Object.entries(value).flatMap(([name, member]) =>
    holdsKey(name)
      ? [
          {
            pointer,
            code: 'invalid_format' as const,
            detail: 'The name of a member in it contains an API key.',
          },
        ]
      : keysIn(member, members?.[name], `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  );
}

/** Expects a body that already passed validation against the schema. */
export function refuseKeys(schema: TSchema, body: unknown): void {
  const errors = keysIn(body, schema as Described, '');
  if (errors.length > 0) throw new Problem('secret_in_text', { errors });
}
