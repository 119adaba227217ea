/** What a body would say to make something like a resource that exists, as far as the resource shows it. */
import type { Resolve, Schema } from './document.ts';
import { isEqual } from './merge-patch.ts';
import { membersOf, requiredOf, withoutUnwanted } from './when.ts';

type Obj = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Obj =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isNothing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value as object).length === 0);

function placeIn(row: Obj, pointer: string): unknown {
  let value: unknown = row;
  for (const name of pointer.split('/').slice(1)) value = isObject(value) ? value[name] : undefined;
  return value;
}

/** `x-read-as` in docs/specification.md. What is kept as a sum only, nobody knows any more. */
function read(schema: Schema, row: Obj, own: unknown): unknown {
  const place = schema['x-read-as'] as string | { present?: string } | undefined;
  if (typeof place === 'string') return placeIn(row, place);
  // What is missing may have been taken back after a failure: it says nothing about what was wanted.
  if (place?.present !== undefined) return isNothing(placeIn(row, place.present)) ? undefined : true;
  return schema['writeOnly'] === true || place !== undefined ? undefined : own;
}

/** The alternative whose constant, such as `type`, is that of the value. */
const variantOf = (choices: readonly Schema[], value: Obj, resolve: Resolve): Schema | undefined =>
  choices.map(resolve).find((choice) => {
    const constants = Object.entries(membersOf(choice)).flatMap(([name, member]) => {
      const { const: constant } = resolve(member);
      return constant === undefined ? [] : [[name, constant] as const];
    });
    return constants.length > 0 && constants.every(([name, constant]) => value[name] === constant);
  });

function valueFor(schema: Schema, row: Obj, own: unknown, resolve: Resolve): unknown {
  const value = read(schema, row, own);
  const except = (schema['x-ref'] as { except?: readonly unknown[] } | undefined)?.except;
  if (except?.includes(value)) return undefined;
  const choices = schema['oneOf'] as readonly Schema[] | undefined;
  if (choices !== undefined) {
    const chosen = isObject(value) ? variantOf(choices, value, resolve) : undefined;
    return chosen && valueFor(chosen, row, value, resolve);
  }
  if (schema['properties'] !== undefined)
    return isObject(value) ? membersFrom(schema, row, value, resolve) : undefined;
  if (!Array.isArray(value) || schema['items'] === undefined) return value;
  const items = resolve(schema['items'] as Schema);
  if (items['properties'] === undefined) return value;
  return value
    .filter(isObject)
    .map((item) => membersFrom(items, row, item, resolve))
    .filter((item) => requiredOf(items).every((member) => item[member] !== undefined));
}

function membersFrom(schema: Schema, row: Obj, value: Obj, resolve: Resolve): Obj {
  const found = Object.entries(membersOf(schema)).flatMap(([name, member]) => {
    const known = resolve(member);
    const said = 'const' in known ? known['const'] : valueFor(known, row, value[name], resolve);
    const isLeftOut = isNothing(said) || isEqual(said, known['default']);
    return isLeftOut ? [] : [[name, said] as const];
  });
  return Object.fromEntries(found);
}

/** Without what was left out then, or cannot be known, such as passwords and user data. */
export function bodyOf(schema: Schema, row: Obj, resolve: Resolve): Obj {
  const body = withoutUnwanted(membersFrom(schema, row, row, resolve), schema, resolve);
  // What follows the name, such as the host name, follows the new name, too.
  return Object.fromEntries(
    Object.entries(body).filter(([member, value]) => member === 'name' || value !== row['name']),
  );
}
