/** Replaces names by the ids that the API takes, from the lists that `x-ref` names. */
import { nearest } from '../../../src/kernel/did-you-mean.ts';
import type { Document, Operation } from '../document/document.ts';
import type { Reference, Schema } from '../document/schema.ts';
import { exitCodes } from '../exit-codes.ts';
import { Failure } from '../failure.ts';
import type { Client } from '../http/client.ts';
import { rowsOf } from '../http/pages.ts';
import { isObject } from './body.ts';

export type Params = Readonly<Record<string, string>>;
type Row = Readonly<Record<string, unknown>>;

const TYPE_ID = /^[a-z]+(_[a-z]+)*_[0-7][0-9a-hjkmnp-tv-z]{25}$/;

export const isId = (text: string): boolean => TYPE_ID.test(text);

/** How the value of a path parameter is found by name; undefined if the path takes names. */
export function referenceOf(
  document: Document,
  operation: Operation,
  parameter: string,
): Reference | undefined {
  const { name, parameter: own, parent, key } = operation.resource;
  const isParent = parent?.parameter === parameter;
  if (!isParent && (own !== parameter || key === 'name')) return undefined;
  const resource = isParent ? parent.name : name;
  const list = document.listOf(resource);
  if (list === undefined || (isParent && takesNames(document, resource))) return undefined;
  const filters = Object.fromEntries(
    list.parameters
      .filter((each) => each.in === 'path')
      .map((each) => [each.name, { from: `path/${each.name}` }]),
  );
  return { list: list.id, value: isParent ? 'id' : (key ?? 'id'), label: 'name', filters };
}

const takesNames = (document: Document, resource: string): boolean =>
  document.operations.some(({ resource: { name, key } }) => name === resource && key === 'name');

export class Names {
  readonly #document: Document;
  readonly #client: Client;

  constructor(document: Document, client: Client) {
    this.#document = document;
    this.#client = client;
  }

  /** The value to send for a name. `fits`: whether the API takes the text as it stands. */
  async resolve(
    text: string,
    reference: Reference,
    found: { params: Params; body?: unknown; fits: boolean },
  ): Promise<string> {
    if (isId(text) || (reference.value !== 'id' && found.fits)) return text;
    const list = this.#document.find(reference.list);
    const query = list && filtersFor(list, reference, found.params, found.body);
    if (list === undefined || query === undefined) return text;
    const rows = await this.#rowsNamed(list, query, reference, text);
    if (rows.length > 1) throw ambiguous(list, text, rows, reference);
    const [row] = rows;
    if (row !== undefined) return String(row[reference.value]);
    if (found.fits) return text;
    const labels = (await this.rows(list, query)).map((each) => String(each[reference.label]));
    throw notThere(list, text, labels);
  }

  /** Whether the list of the reference has something of this name; undefined if the list cannot be read yet. */
  async isKnown(
    text: string,
    reference: Reference,
    params: Params,
    body: unknown,
  ): Promise<boolean | undefined> {
    const list = this.#document.find(reference.list);
    const query = list && filtersFor(list, reference, params, body);
    if (list === undefined || query === undefined) return undefined;
    return (await this.#rowsNamed(list, query, reference, text)).length > 0;
  }

  /** Resolves every name in a body, in the order of its members, because the lists of later ones depend on earlier ones. */
  async resolveBody(schema: Schema, body: unknown, params: Params): Promise<unknown> {
    const { schemas } = this.#document;
    const walk = async (
      part: Schema,
      value: unknown,
      root: (inner: unknown) => unknown,
    ): Promise<unknown> => {
      const plain = schemas.plain(part);
      const reference = plain['x-ref'];
      if (typeof value === 'string' && reference !== undefined)
        return this.resolve(value, reference, { params, body: root(value), fits: fits(plain, value) });
      if (Array.isArray(value)) {
        const items: unknown[] = [];
        for (const item of value)
          items.push(
            plain.items === undefined ? item : await walk(plain.items, item, (inner) => root([inner])),
          );
        return items;
      }
      if (!isObject(value)) return value;
      const members = schemas.members(schemas.alternative(part, value));
      let object: Row = value;
      for (const [name, member] of Object.entries(members)) {
        if (object[name] === undefined) continue;
        const inner = await walk(member, object[name], (each) => root({ ...object, [name]: each }));
        object = { ...object, [name]: inner };
      }
      return object;
    };
    return walk(schema, body, (value) => value);
  }

  async rows(list: Operation, query: ListQuery): Promise<Row[]> {
    const rows: Row[] = [];
    for await (const page of rowsOf(this.#client, list, query)) rows.push(...(page as Row[]));
    return rows;
  }

  async #rowsNamed(
    list: Operation,
    query: ListQuery,
    { label, value }: Reference,
    text: string,
  ): Promise<Row[]> {
    const filter = list.parameters.find(({ in: place, name }) => place === 'query' && name === 'name');
    // A text that breaks the rules for names would be refused as a filter.
    const isFilter = label === 'name' && filter && fits(this.#document.schemas.plain(filter.schema), text);
    const rows = await this.rows(
      list,
      isFilter ? { ...query, query: { ...query.query, name: text } } : query,
    );
    return rows.filter((row) => [row[label], row[value], row['slug']].includes(text));
  }
}

export interface ListQuery {
  readonly params: Params;
  readonly query: Readonly<Record<string, string>>;
}

/** The filters of a reference, as parameters of its list; undefined if a part of the path is not known. */
export function filtersFor(
  list: Operation,
  { filters = {} }: Reference,
  params: Params,
  body?: unknown,
): ListQuery | undefined {
  const values: Record<string, string> = {};
  for (const [name, { equals, from = [] }] of Object.entries(filters)) {
    const found = [from].flat().map((place) => valueFrom(place, params, body));
    const value = equals ?? found.find((each) => each !== undefined);
    if (value !== undefined) values[name] = value;
  }
  const inPath = list.parameters.filter(({ in: place }) => place === 'path').map(({ name }) => name);
  if (inPath.some((name) => values[name] === undefined)) return undefined;
  const entries = Object.entries(values);
  return {
    params: Object.fromEntries(entries.filter(([name]) => inPath.includes(name))),
    query: Object.fromEntries(entries.filter(([name]) => !inPath.includes(name))),
  };
}

function valueFrom(place: string, params: Params, body: unknown): string | undefined {
  if (place.startsWith('path/')) return params[place.slice('path/'.length)];
  let found = body;
  for (const name of place.split('/').slice(1)) {
    if (Array.isArray(found)) found = found[0];
    else found = isObject(found) ? found[name] : undefined;
  }
  return typeof found === 'string' ? found : undefined;
}

/** Whether the text has the form that the schema asks for. */
export function fits({ pattern, maxLength }: Schema & { maxLength?: number }, text: string): boolean {
  if (maxLength !== undefined && text.length > maxLength) return false;
  try {
    return pattern === undefined || new RegExp(pattern).test(text);
  } catch {
    return true;
  }
}

/** With a place for what the list is of: `hostplane flexible-vps vpn-peer list <vpn-gateway>`. */
export function listCommand({ path, words: { family, resource, verb } }: Operation): string {
  const owners = [...path.matchAll(/\/([a-z-]+?)s?\/\{/g)].map(([, noun]) => ` <${noun}>`);
  return `hostplane ${family} ${resource} ${verb}${owners.join('')}`;
}

function ambiguous(list: Operation, text: string, rows: readonly Row[], { value }: Reference): Failure {
  const ids = rows.map((row) => `  ${String(row[value])}`).join('\n');
  return new Failure(
    `"${text}" is the name of ${rows.length} resources (${list.words.resource}). Name one by its id:\n${ids}`,
    exitCodes.usage,
  );
}

function notThere(list: Operation, text: string, labels: readonly string[]): Failure {
  const near = nearest(text, labels);
  const hint = near === null ? `${listCommand(list)} shows what there is.` : `Did you mean ${near}?`;
  return new Failure(
    `There is no ${list.words.resource.replaceAll('-', ' ')} "${text}". ${hint}`,
    exitCodes.notFound,
  );
}
