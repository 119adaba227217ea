/** Generates invalid input from a schema: each way to violate it, with the pointer and code of the expected error. */
import type { FieldCode } from '../kernel/problems/catalogue.ts';
import { type JsonSchema, sampleOf } from '../testing/arbitrary.ts';

export interface Breakage {
  /** Replaces the value at `at`; `NOTHING` removes the member. */
  readonly value: unknown;
  /** The path to the replaced value: member names and array indexes. */
  readonly at: readonly string[];
  /** The path that the error must name, if it differs from `at`. */
  readonly named?: readonly string[];
  readonly code: FieldCode;
}

export const NOTHING: unique symbol = Symbol('left out');

const UNKNOWN = ['nothing-like-it', '__proto__', 'constructor', 'toString', 'a/b~c'];
const WRONG_TEXT = ['!', ' ', 'ß', '\n', 'A B', '::::', '-'];

const typesOf = ({ type, anyOf, oneOf }: JsonSchema): string[] => [
  ...[type ?? []].flat(),
  ...(anyOf ?? oneOf ?? []).flatMap(typesOf),
];

function wrongTypes(schema: JsonSchema, at: readonly string[]): Breakage[] {
  const types = typesOf(schema);
  const isNumber = types.includes('integer') || types.includes('number');
  const wrong: [string, unknown][] = [
    ['string', isNumber ? '5' : 'some text'],
    ['number', 5],
    ['boolean', true],
    ['null', null],
    ['array', []],
    ['object', {}],
  ];
  const misfits = wrong.filter(([type]) => !types.includes(type) && !(type === 'number' && isNumber));
  const values = [...misfits.map(([, value]) => value), ...(types.includes('integer') ? [1.5] : [])];
  return types.length === 0 ? [] : values.map((value) => ({ value, at, code: 'invalid_format' }));
}

function brokenScalars(schema: JsonSchema, at: readonly string[]): Breakage[] {
  const found: Breakage[] = [];
  const add = (value: unknown, code: FieldCode) => found.push({ value, at, code });
  const { minimum, maximum, minLength = 0, maxLength, pattern, format } = schema;
  if (schema.enum !== undefined) {
    add(typeof schema.enum[0] === 'number' ? 987_654 : 'none-of-them', 'invalid_format');
    return found;
  }
  if (schema.const !== undefined)
    add(typeof schema.const === 'boolean' ? !schema.const : 'another', 'invalid_format');
  if (minimum !== undefined) add(minimum - 1, 'out_of_range');
  if (maximum !== undefined) add(maximum + 1, 'out_of_range');
  if (minLength > 0) add('a'.repeat(minLength - 1), 'too_short');
  if (maxLength !== undefined) add('a'.repeat(maxLength + 1), 'too_long');
  if (format === 'date-time') {
    for (const text of ['yesterday', '2026-13-01T00:00:00Z', '2016-12-31T23:59:60Z', '2026-01-01', ''])
      add(text, 'invalid_format');
  }
  if (pattern !== undefined) {
    const misfit = WRONG_TEXT.find((text) => !new RegExp(pattern).test(text) && text.length >= minLength);
    if (misfit !== undefined) add(misfit, 'invalid_format');
  }
  return found;
}

function brokenLists({ items = {}, ...schema }: JsonSchema, at: readonly string[]): Breakage[] {
  const { minItems = 0, maxItems, uniqueItems } = schema;
  const item = sampleOf(items);
  const many = (count: number) => Array.from({ length: count }, () => item);
  return [
    ...(minItems > 0 ? [{ value: many(minItems - 1), at, code: 'too_few' as const }] : []),
    ...(maxItems === undefined ? [] : [{ value: many(maxItems + 1), at, code: 'too_many' as const }]),
    ...(uniqueItems ? [{ value: many(2), at, code: 'not_unique' as const }] : []),
    ...breakagesOf(items, []).map(({ value, at: inside, named, code }) => ({
      value: [inside.length === 0 ? value : put(item, inside, value)],
      at,
      named: [...at, '0', ...(named ?? inside)],
      code,
    })),
  ];
}

function brokenObjects(schema: JsonSchema, at: readonly string[]): Breakage[] {
  const {
    properties = {},
    required = [],
    additionalProperties: others,
    propertyNames,
    maxProperties,
  } = schema;
  const found: Breakage[] = [];
  for (const name of required) found.push({ value: NOTHING, at: [...at, name], code: 'required' });
  for (const [name, member] of Object.entries(properties)) found.push(...breakagesIn(member, [...at, name]));
  if (others === false) {
    for (const name of UNKNOWN) found.push({ value: 1, at: [...at, name], code: 'unknown_member' });
  } else if (typeof others === 'object') {
    found.push(...breakagesOf(others, [...at, 'some-name']));
  }
  if (propertyNames !== undefined) {
    const value = typeof others === 'object' ? sampleOf(others) : 1;
    found.push({ value, at: [...at, 'A b'], code: 'invalid_format' });
    found.push({ value, at: [...at, 'a'.repeat(200)], code: 'invalid_format' });
  }
  if (maxProperties !== undefined) {
    const names = Array.from({ length: maxProperties + 1 }, (_, i) => `n${i}`);
    const member = typeof others === 'object' ? sampleOf(others) : 1;
    found.push({ value: Object.fromEntries(names.map((name) => [name, member])), at, code: 'too_many' });
  }
  return found;
}

/** Breaks a member that the example may lack: inserts an object that is complete and has only one fault. */
function breakagesIn(member: JsonSchema, at: readonly string[]): Breakage[] {
  const found = breakagesOf(member, at);
  if (!typesOf(member).includes('object') || (member.required ?? []).length === 0) return found;
  const whole = sampleOf(member);
  return found.map((breakage) =>
    breakage.at.length === at.length
      ? breakage
      : {
          ...breakage,
          value: put(whole, breakage.at.slice(at.length), breakage.value),
          at,
          named: breakage.named ?? breakage.at,
        },
  );
}

export function breakagesOf(schema: JsonSchema, at: readonly string[]): Breakage[] {
  const branches = (schema.anyOf ?? [schema]).filter(({ type }) => type !== 'null');
  if (schema.oneOf !== undefined)
    return [...wrongTypes(schema, at), ...schema.oneOf.flatMap((each) => breakagesIn(each, at))];
  return [
    ...wrongTypes(schema, at),
    ...branches.flatMap((branch) => [
      ...brokenScalars(branch, at),
      ...(typesOf(branch).includes('array') ? brokenLists(branch, at) : []),
      ...(typesOf(branch).includes('object') ? brokenObjects(branch, at) : []),
    ]),
  ];
}

/** Returns a copy with another value at the path. Creates missing objects along the path. */
export function put(value: unknown, at: readonly string[], part: unknown): unknown {
  const [name, ...rest] = at;
  if (name === undefined) return part;
  if (Array.isArray(value))
    return value.map((item, i) => (String(i) === name ? put(item, rest, part) : item));
  const members = Object.entries((value ?? {}) as object);
  const others = members.filter(([other]) => other !== name);
  if (part === NOTHING && rest.length === 0) return Object.fromEntries(others);
  const before = members.find(([other]) => other === name)?.[1];
  return Object.fromEntries([...others, [name, put(before, rest, part)]]);
}

export const pointerTo = (at: readonly string[]): string =>
  at.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** The breakages that a query string can express, without values that are valid once they are sent as text. */
export function queryBreakagesOf(schema: JsonSchema): Breakage[] {
  const found = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const isList = typesOf(member).includes('array');
    const texts = breakagesOf(member, [name]).filter(({ value }) => {
      if (isList) return Array.isArray(value) && value.length > 0 && value.every(isPlainText);
      return typeof value === 'number' || isPlainText(value);
    });
    const isText = typesOf(member).includes('string') || isList;
    return texts.filter(
      ({ value, code }) => !(isText && typeof value === 'number' && code === 'invalid_format'),
    );
  });
  const unread = found.filter(
    ({ value, at: [name = ''] }) => !readsRight(schema.properties?.[name] ?? {}, value),
  );
  const unknown = UNKNOWN.map((name) => ({ value: '1', at: [name], code: 'unknown_member' as const }));
  return [...unread, ...unknown];
}

const isPlainText = (value: unknown): boolean => typeof value === 'string' && !value.includes(',');

function readsRight(schema: JsonSchema, value: unknown): boolean {
  if (typeof value !== 'string') return false;
  return typesOf(schema).some((type) => (type === 'integer' || type === 'number') && /^-?\d+$/.test(value));
}
