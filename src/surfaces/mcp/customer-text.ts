/**
 * Marks text that customers, or programs on their machines, may have written: it moves into the member `customer_text`
 * of its object, so that a model can tell data from our own words. The schema of the answer decides, and fails closed:
 * a text that the schema does not limit is customer text as soon as it is more than one code word.
 */
import type { TSchema } from '../../kernel/schema.ts';

interface Plain {
  readonly title?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, Plain>>;
  readonly items?: Plain;
  readonly anyOf?: readonly Plain[];
  readonly oneOf?: readonly Plain[];
  readonly additionalProperties?: unknown;
}

type Json = Readonly<Record<string, unknown>>;

export const MARK = 'customer_text';

/** Control characters except tab and line feed, and invisible format characters such as those that reverse text. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

export const withoutControls = (text: string): string =>
  text.replaceAll(UNSEEN, (sign) => (sign === '\n' || sign === '\t' ? sign : ''));

const isObject = (value: unknown): value is Json =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** The branches of a union that can describe a value. No schema: nothing is known about the value. */
const branchesOf = (schema: Plain | undefined): readonly Plain[] =>
  schema === undefined ? [] : [schema, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];

function memberOf(schema: Plain | undefined, name: string): Plain | undefined {
  for (const branch of branchesOf(schema)) {
    const found = branch.properties?.[name];
    if (found !== undefined) return found;
  }
  return undefined;
}

const itemOf = (schema: Plain | undefined): Plain | undefined =>
  branchesOf(schema).find(({ items }) => items !== undefined)?.items;

/** Formats that leave no room for a sentence. */
const CLOSED = new Set(['date-time', 'date', 'ipv4', 'ipv6', 'uuid']);

const isClosed = (schema: Plain | undefined): boolean =>
  branchesOf(schema).some(
    ({ enum: values, const: only, format, pattern, title }) =>
      values !== undefined ||
      only !== undefined ||
      (format !== undefined && CLOSED.has(format)) ||
      (pattern !== undefined && title !== 'ResourceName'),
  );

/** Members that hold the text of customers or programs even if it is only one word: a sentence can be written as one. */
const FREE = new Set(
  'name hostname description comment note label_value label_selector before after lines user_agent response_excerpt'.split(
    ' ',
  ),
);

/** One word without spaces: an id, a slug, a permission, an entity tag. */
const CODE_WORD = /^[\w.:/@+*=-]+$/;

function isCustomers(name: string, schema: Plain | undefined, value: unknown): boolean {
  if (typeof value === 'string') {
    if (value === '' || isClosed(schema)) return false;
    return FREE.has(name) || !CODE_WORD.test(value);
  }
  if (Array.isArray(value))
    return value.some((item) => typeof item === 'string' && isCustomers(name, itemOf(schema), item));
  // A map whose names the customer chooses: labels.
  const isMap = branchesOf(schema).some(({ additionalProperties }) => isObject(additionalProperties));
  return isObject(value) && isMap && Object.keys(value).length > 0;
}

/** Returns a copy in which customer text is marked and no string has control characters. */
export function marked(value: unknown, schema?: TSchema | null): unknown {
  return mark(value, (schema ?? undefined) as Plain | undefined);
}

function mark(value: unknown, schema: Plain | undefined): unknown {
  if (typeof value === 'string') return withoutControls(value);
  if (Array.isArray(value)) return value.map((item) => mark(item, itemOf(schema)));
  if (!isObject(value)) return value;
  const own: Record<string, unknown> = {};
  const theirs: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    const name = withoutControls(key);
    const shape = memberOf(schema, key);
    if (isCustomers(key, shape, member)) theirs[name] = cleaned(member);
    else own[name] = mark(member, shape);
  }
  return Object.keys(theirs).length === 0 ? own : { ...own, [MARK]: theirs };
}

function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return withoutControls(value);
  if (Array.isArray(value)) return value.map(cleaned);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [withoutControls(name), cleaned(member)]),
  );
}
