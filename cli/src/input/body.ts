/** Builds the body of a request from `--body` and the flags of its members. */
import type { Given } from '../command.ts';
import type { Schema, Schemas } from '../document/schema.ts';
import { misuse } from '../failure.ts';
import type { Io } from '../io.ts';
import type { MemberFlag } from './member-flags.ts';
import { parseJson, textOf, Values } from './values.ts';

type Members = Record<string, unknown>;

export const isObject = (value: unknown): value is Members =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** The object with the value at the path; objects on the way are copied, not changed. */
function put(object: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return isObject(value) && isObject(object) ? { ...object, ...value } : value;
  const members = isObject(object) ? object : {};
  return { ...members, [name]: put(members[name], rest, value) };
}

/** `-` and `@-` are stdin, `@file` is a file, anything else is the JSON itself. */
export async function readBody(io: Io, text: string): Promise<unknown> {
  const read = await textOf(io, text === '-' ? '@-' : text);
  const body = parseJson('--body', read);
  if (!isObject(body)) throw misuse('--body is no JSON object.');
  return body;
}

export interface BodyParts {
  readonly schema: Schema;
  readonly flags: readonly MemberFlag[];
  readonly given: Given;
  /** The members that `--unset` names. */
  readonly unset: readonly string[];
}

export async function buildBody(io: Io, schemas: Schemas, parts: BodyParts): Promise<unknown> {
  const { schema, flags, given, unset } = parts;
  const text = given.get('body')?.at(-1);
  let body: unknown = text === undefined ? {} : await readBody(io, text);
  const values = new Values(schemas, io);
  for (const flag of flags) {
    const texts = given.get(flag.name);
    if (texts !== undefined)
      body = put(body, flag.path, await values.read(`--${flag.name}`, flag.schema, texts));
  }
  for (const name of unset) body = put(body, pathOf(name, flags), null);
  return chooseVariants(schemas, schema, body);
}

function pathOf(name: string, flags: readonly MemberFlag[]): readonly string[] {
  const dashed = name.replaceAll('_', '-');
  const flag = flags.find((each) => each.name === dashed);
  if (flag === undefined) throw misuse(`--unset names no member: there is no --${dashed}.`);
  return flag.path;
}

/** Fills in the member that chooses between alternatives, where only one alternative has the members that are there. */
function chooseVariants(schemas: Schemas, schema: Schema, value: unknown): unknown {
  if (Array.isArray(value)) {
    const { items } = schemas.plain(schema);
    return items === undefined ? value : value.map((item) => chooseVariants(schemas, items, item));
  }
  if (!isObject(value)) return value;
  const variants = schemas.variants(schema);
  let object: Members = value;
  if (variants !== undefined && value[variants.by] === undefined) {
    const { by, alternatives } = variants;
    const fitting = [...alternatives].filter(([, { properties = {} }]) =>
      Object.keys(value).every((name) => properties[name] !== undefined),
    );
    const [only] = fitting;
    if (fitting.length === 1 && only !== undefined) object = { [by]: only[0], ...value };
  }
  const members = schemas.members(schema);
  return Object.fromEntries(
    Object.entries(object).map(([name, part]) => {
      const member = members[name];
      return [name, member === undefined ? part : chooseVariants(schemas, member, part)];
    }),
  );
}
