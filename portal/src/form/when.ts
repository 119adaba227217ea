/** Which members of an object matter, given the others: `x-when` in docs/specification.md. */
import type { Resolve, Schema } from './document.ts';

type Obj = Readonly<Record<string, unknown>>;

interface When {
  readonly member: string;
  readonly is?: readonly unknown[];
  readonly sent?: boolean;
}

const isObject = (value: unknown): value is Obj =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const membersOf = (schema: Schema): Readonly<Record<string, Schema>> =>
  (schema['properties'] ?? {}) as Record<string, Schema>;

export const requiredOf = (schema: Schema): readonly string[] =>
  (schema['required'] ?? []) as readonly string[];

interface Decision {
  readonly value: unknown;
  /** Nobody has chosen it yet, but somebody must. */
  readonly isOpen: boolean;
}

/** The value at `source/type`, or what counts if it is left out. */
function decide(parent: Schema, siblings: Obj, path: string, resolve: Resolve): Decision {
  let schema: Schema = parent;
  let value: unknown = siblings;
  let isOpen = false;
  for (const name of path.split('/')) {
    isOpen = requiredOf(schema).includes(name) || schema['oneOf'] !== undefined;
    const member = membersOf(schema)[name];
    schema = member === undefined ? {} : resolve(member);
    value = isObject(value) ? value[name] : undefined;
    value ??= schema['default'];
  }
  return { value, isOpen };
}

/** What is decided by a value that nobody knows is shown: an update does not say what it leaves as it is. */
export function isWanted(member: Schema, parent: Schema, siblings: Obj, resolve: Resolve): boolean {
  const when = member['x-when'] as When | undefined;
  if (when === undefined) return true;
  const { value, isOpen } = decide(parent, siblings, when.member, resolve);
  const isSent = value !== undefined && value !== null && value !== '';
  if (when.is === undefined) return when.sent === isSent;
  return isSent ? when.is.includes(value) : !isOpen;
}

/** The object without the members that do not matter. Leaving one out may decide about another one. */
export function withoutUnwanted(value: Obj, schema: Schema, resolve: Resolve): Obj {
  const members = membersOf(schema);
  const kept = Object.entries(value).filter(([name]) => {
    const member = members[name];
    return member === undefined || isWanted(resolve(member), schema, value, resolve);
  });
  return kept.length === Object.keys(value).length
    ? value
    : withoutUnwanted(Object.fromEntries(kept), schema, resolve);
}
