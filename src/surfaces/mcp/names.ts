/**
 * Models know resources by their names. Wherever a call takes an id, in its path, query or body, a name of the type that
 * the place refers to is replaced by the id. Nothing is guessed: a name that nothing or more than one thing has is
 * refused, with what could be meant.
 */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { nearest } from '../../kernel/did-you-mean.ts';
import type { Endpoint } from '../../kernel/record.ts';
import type { Reference } from '../../kernel/reference.ts';
import type { TSchema } from '../../kernel/schema.ts';
import { isValid } from '../../kernel/validation.ts';
import { narrowTo } from '../../kernel/variants.ts';
import { pathReference } from '../openapi/path-references.ts';
import { parametersIn } from '../openapi/resource-mark.ts';
import { type CallArguments, takes } from './calls.ts';
import { marked } from './customer-text.ts';
import { EACH } from './each.ts';
import type { ApiCaller } from './inner-call.ts';
import { type Json, refusal } from './results.ts';
import { unfolded } from './unfold.ts';

const ID = /^[a-z]+(_[a-z]+)*_[0-7][0-9a-hjkmnp-tv-z]{25}$/;
const NAME = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const MOST_ROWS = 200;
const MOST_CANDIDATES = 8;

interface Node {
  readonly 'x-ref'?: Reference;
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly prefixItems?: readonly Node[];
  readonly anyOf?: readonly Node[];
}

/** Carries the refusal of a name out of the walk through a call. */
class NoSuchName extends Error {
  readonly result: CallToolResult;
  constructor(result: CallToolResult) {
    super('no such name');
    this.result = result;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

class Resolver {
  readonly #api: ApiCaller;
  readonly #path: Record<string, unknown>;

  constructor(api: ApiCaller, path: Record<string, unknown>) {
    this.#api = api;
    this.#path = path;
  }

  /** The value for the place at `at`; the text itself if it is an id, or if only the API can judge it. */
  async resolve(text: string, reference: Reference, schema: TSchema, at: string): Promise<string> {
    const { endpoints } = this.#api.services.registry;
    const list = endpoints.find(({ id }) => id === reference.list);
    const isNamed = reference.value === 'id' && reference.label === 'name' && reference.in === undefined;
    if (list === undefined || !isNamed || ID.test(text)) return text;
    // A slug of the provider, such as `ubuntu-24.04`, is sent as it is.
    const isTaken = isValid(schema, text);
    if (isTaken && !NAME.test(text)) return text;
    const rows = await this.#rowsOf(list, reference, text);
    if (rows === undefined) return text;
    const found = rows.filter((row) => [row['name'], row['id'], row['slug']].includes(text));
    if (found.length === 1) return String(found[0]?.['id']);
    if (found.length === 0 && isTaken) return text;
    const near =
      found.length > 0
        ? found
        : nearestRows(rows.length > 0 ? rows : await this.#all(list, reference), text, reference);
    throw new NoSuchName(this.#refusalOf(list, near, at, found.length));
  }

  async #all(list: Endpoint, reference: Reference): Promise<readonly Json[]> {
    return (await this.#rowsOf(list, reference)) ?? [];
  }

  /** Undefined if the list cannot be read: then the API answers for the text. */
  async #rowsOf(list: Endpoint, reference: Reference, name?: string): Promise<readonly Json[] | undefined> {
    const names = parametersIn(list.path);
    const path = Object.fromEntries(names.map((each) => [each, this.#path[each]]));
    if (names.some((each) => typeof path[each] !== 'string')) return undefined;
    const isFilter = name !== undefined && NAME.test(name) && takes(list, 'name');
    const fixed = Object.entries(reference.filters ?? {}).flatMap(([each, filter]) =>
      'equals' in filter ? [[each, filter.equals]] : [],
    );
    const query = {
      ...Object.fromEntries(fixed),
      ...(takes(list, 'limit') ? { limit: MOST_ROWS } : {}),
      ...(isFilter ? { name } : {}),
    };
    const { isRefused, body } = await this.#api.call(list, { path, query });
    return isRefused ? undefined : (body as { data: readonly Json[] }).data;
  }

  #refusalOf(list: Endpoint, rows: readonly Json[], at: string, count: number): CallToolResult {
    const { registry } = this.#api.services;
    const shown = rows.slice(0, MOST_CANDIDATES).map(({ id, name, type }) => ({
      id,
      ...(name === undefined ? {} : { name }),
      ...(type === undefined ? {} : { type }),
    }));
    const candidates = shown.map((row) => marked(row, undefined, registry));
    return refusal({
      code: count > 1 ? 'ambiguous_name' : 'not_found',
      detail:
        count > 1
          ? `${count} resources have the name at ${at}. Nothing was done.`
          : `Nothing that ${list.id} lists has the name or id at ${at}. Nothing was done.`,
      ...(candidates.length === 0 ? {} : { candidates }),
      next_step:
        count > 1
          ? 'Ask the user which one is meant, and send its id.'
          : `Send the id of a candidate if it is meant, or look with call_read ${list.id}.`,
    });
  }

  async walk(node: Node | undefined, value: unknown, at: string): Promise<unknown> {
    if (node === undefined) return value;
    const inner = node.anyOf?.find(({ properties, items, ...rest }) => properties ?? items ?? rest['x-ref']);
    const reference = node['x-ref'] ?? inner?.['x-ref'];
    if (typeof value === 'string' && reference !== undefined)
      return this.resolve(value, reference, node as unknown as TSchema, at);
    const { properties = inner?.properties, items = inner?.items, prefixItems = [] } = node;
    if (Array.isArray(value)) {
      const resolved: unknown[] = [];
      for (const [i, item] of value.entries())
        resolved.push(await this.walk(prefixItems[i] ?? items, item, `${at}/${i}`));
      return resolved;
    }
    if (!isObject(value)) return value;
    const members: Record<string, unknown> = {};
    for (const [name, member] of Object.entries(value))
      members[name] = await this.walk(properties?.[name], member, `${at}/${name}`);
    return members;
  }
}

function nearestRows(rows: readonly Json[], text: string, { label }: Reference): readonly Json[] {
  const names = rows.map((row) => String(row[label] ?? ''));
  const near = text.length > 63 ? null : nearest(text, names);
  return rows.toSorted((a, b) => Number(b[label] === near) - Number(a[label] === near));
}

/** The same call with ids, or the refusal of a name. */
export async function withIds(
  api: ApiCaller,
  endpoint: Endpoint,
  given: CallArguments,
): Promise<CallArguments | CallToolResult> {
  const { endpoints } = api.services.registry;
  const path: Record<string, unknown> = { ...given.path };
  const resolver = new Resolver(api, path);
  try {
    // Parents first: the list of the inner resource needs the id of the outer one.
    for (const name of parametersIn(endpoint.path)) {
      const text = path[name];
      if (text === EACH && endpoint.access === 'read') continue;
      const reference = pathReference(endpoint, name, endpoints);
      const schema = endpoint.params.properties[name];
      if (typeof text === 'string' && text !== '' && reference !== undefined && schema !== undefined)
        path[name] = await resolver.resolve(text, reference, schema as TSchema, `path/${name}`);
    }
    const query = await resolver.walk(endpoint.query as Node, given.query, 'query');
    const whole = unfolded(given.body);
    const schema = endpoint.body === undefined ? undefined : (narrowTo(endpoint.body, whole) as Node);
    const body = await resolver.walk(schema, whole, 'body');
    return {
      ...given,
      ...(given.path === undefined ? {} : { path }),
      ...(given.query === undefined ? {} : { query: query as Json }),
      ...(given.body === undefined ? {} : { body: body as Json }),
    };
  } catch (error) {
    if (error instanceof NoSuchName) return error.result;
    throw error;
  }
}
