/** Turns the texts of a command line into the values of a request. */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import type { Schema, Schemas } from '../document/schema.ts';
import { misuse } from '../failure.ts';
import type { Io } from '../io.ts';
import { kindOf } from './member-flags.ts';

/** Reads `@file` and `@-` (stdin); `@@` begins a text that has an @. */
export async function textOf(io: Io, text: string): Promise<string> {
  if (text.startsWith('@@')) return text.slice(1);
  if (!text.startsWith('@')) return text;
  if (text === '@-') return io.readInput();
  const path = text.slice(1).replace(/^~(?=\/)/, io.env['HOME'] || homedir());
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw misuse(
      `The file ${path} cannot be read (${(error as Error).message}). @@ begins a text with an @.`,
    );
  }
}

export function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw misuse(`${name} is no JSON (${(error as Error).message}).`);
  }
}

function numberOf(name: string, text: string, isWhole: boolean): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number) || (isWhole && !Number.isInteger(number)))
    throw misuse(`${name} is a ${isWhole ? 'whole ' : ''}number, not "${text}".`);
  return number;
}

/** Splits `a=1,b=2`. A comma that no `name=` follows belongs to the value. */
const pairsIn = (text: string): string[] => text.split(/,(?=[\w.-]+=)/);

function pairOf(name: string, pair: string): [string, string] {
  const at = pair.indexOf('=');
  if (at <= 0) throw misuse(`${name} takes name=value, not "${pair}".`);
  return [pair.slice(0, at), pair.slice(at + 1)];
}

export class Values {
  readonly #schemas: Schemas;
  readonly #io: Io;

  constructor(schemas: Schemas, io: Io) {
    this.#schemas = schemas;
    this.#io = io;
  }

  /** The value of a flag. Lists and maps take several texts. */
  async read(name: string, schema: Schema, texts: readonly string[]): Promise<unknown> {
    const plain = this.#schemas.plain(schema);
    if (plain.type === 'array' && plain.items !== undefined) return this.#list(name, plain.items, texts);
    if (kindOf(this.#schemas, plain) === 'map') return this.#map(name, plain, texts);
    return this.#single(name, plain, texts.at(-1) ?? '');
  }

  async #list(name: string, items: Schema, texts: readonly string[]): Promise<unknown[]> {
    const values = [];
    for (const text of texts) {
      if (text.startsWith('[')) values.push(...(parseJson(name, text) as unknown[]));
      else values.push(await this.#single(name, this.#schemas.plain(items), text));
    }
    return values;
  }

  #map(name: string, { additionalProperties }: Schema, texts: readonly string[]): unknown {
    const item = this.#schemas.plain(additionalProperties as Schema);
    const mayBeNull = this.#schemas.isNullable(additionalProperties as Schema);
    const isNumber = item.type === 'number' || item.type === 'integer';
    const map: Record<string, unknown> = {};
    for (const text of texts) {
      if (text.startsWith('{')) Object.assign(map, parseJson(name, text));
      else
        for (const [key, value] of text === '' ? [] : pairsIn(text).map((pair) => pairOf(name, pair)))
          if (value === 'null' && mayBeNull) map[key] = null;
          else map[key] = isNumber ? numberOf(name, value, item.type === 'integer') : value;
    }
    return map;
  }

  async #single(name: string, schema: Schema, text: string): Promise<unknown> {
    const kind = kindOf(this.#schemas, schema);
    if (kind === 'integer' || kind === 'number') return numberOf(name, text, kind === 'integer');
    if (kind === 'switch') {
      if (text !== 'true' && text !== 'false') throw misuse(`${name} is true or false, not "${text}".`);
      return text === 'true';
    }
    if (kind === 'json') return parseJson(name, await textOf(this.#io, text));
    if (kind === 'map') return this.#map(name, schema, [text]);
    if (kind === 'object') return this.#object(name, schema, text);
    const isFree = schema.enum === undefined && schema['x-ref'] === undefined;
    return isFree ? textOf(this.#io, text) : text;
  }

  /** An object as JSON or as `name=value,name=value`. */
  async #object(name: string, schema: Schema, text: string): Promise<unknown> {
    if (text.startsWith('{') || text.startsWith('@')) return parseJson(name, await textOf(this.#io, text));
    const object: Record<string, unknown> = {};
    const members = this.#schemas.members(schema);
    for (const [key, value] of pairsIn(text).map((pair) => pairOf(name, pair))) {
      const [first = '', ...rest] = key.replaceAll('-', '_').split('.');
      const member = members[first];
      if (member === undefined)
        throw misuse(`${name} has no member ${first}. It has ${Object.keys(members).join(', ')}.`);
      object[first] =
        rest.length === 0
          ? await this.read(`${first} of ${name}`, member, [value])
          : {
              ...(object[first] as object | undefined),
              ...((await this.#object(name, member, `${rest.join('.')}=${value}`)) as object),
            };
    }
    return object;
  }
}
