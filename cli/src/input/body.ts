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
  for (const name of unset) body = put(body, unsetPath(schemas, name, flags), null);
  return chooseVariants(schemas, schema, body);
}

/** The flags that `--unset` can name: those whose member can be null. */
export const unsettable = (schemas: Schemas, flags: readonly MemberFlag[]): MemberFlag[] =>
  flags.filter(({ schema }) => schemas.isNullable(schema));

/** The path of the member that `--unset` names by a name of its flag; also one entry of a map: `labels.env`. */
function unsetPath(schemas: Schemas, typed: string, flags: readonly MemberFlag[]): readonly string[] {
  const name = typed.replace(/^--/, '');
  const dashed = name.replaceAll('_', '-');
  const flag = flags.find(({ name: own, alias }) => own === dashed || alias === dashed);
  if (flag !== undefined && schemas.isNullable(flag.schema)) return flag.path;
  const map = flags.find(({ name: own, kind }) => kind === 'map' && name.startsWith(`${own}.`));
  const { additionalProperties: entry } = map === undefined ? {} : schemas.plain(map.schema);
  if (map !== undefined && typeof entry === 'object' && schemas.isNullable(entry))
    return [...map.path, name.slice(map.name.length + 1)];
  const names = unsettable(schemas, flags).map((each) => each.alias ?? each.name);
  const what = flag === undefined ? `there is no --${dashed}` : `--${flag.name} always has a value`;
  throw misuse(`--unset cannot reset this: ${what}. It can reset ${names.join(', ')}.`);
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
