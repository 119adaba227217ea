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
import { type ApiCaller, throwIfPassing } from './inner-call.ts';
import { type Json, refusal } from './results.ts';
import { sentBack } from './sent-back.ts';
import { unfolded } from './unfold.ts';

const ID = /^[a-z]+(_[a-z]+)*_[0-7][0-9a-hjkmnp-tv-z]{25}$/;
const NAME = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const PAGE_ROWS = 200;
/** Only lists that cannot be asked for a name are read on. Each page costs one call, also in the rate limit. */
const MOST_PAGES = 10;
const MOST_CANDIDATES = 8;

interface Node {
  readonly 'x-ref'?: Reference;
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly prefixItems?: readonly Node[];
  readonly anyOf?: readonly Node[];
}

interface Found {
  readonly rows: readonly Json[];
  /** Whether the list has rows that were not read. */
  readonly hasMore: boolean;
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
    const read = await this.#rowsOf(list, reference, MOST_PAGES, text);
    if (read === undefined) return text;
    const { rows, hasMore } = read;
    const found = rows.filter((row) => [row['name'], row['id'], row['slug']].includes(text));
    // Another row with the same name may be among those that were not read.
    if (hasMore && found.length < 2) throw new NoSuchName(this.#cutRefusal(list, found, at, rows.length));
    if (found.length === 1) return String(found[0]?.['id']);
    if (found.length === 0 && isTaken) return text;
    const near =
      found.length > 0
        ? found
        : nearestRows(rows.length > 0 ? rows : await this.#all(list, reference), text, reference);
    throw new NoSuchName(this.#refusalOf(list, near, at, found.length));
  }

  async #all(list: Endpoint, reference: Reference): Promise<readonly Json[]> {
    return (await this.#rowsOf(list, reference, 1))?.rows ?? [];
  }

  /** Undefined if the list cannot be read: then the API answers for the text. */
  async #rowsOf(
    list: Endpoint,
    reference: Reference,
    mostPages: number,
    name?: string,
  ): Promise<Found | undefined> {
    const names = parametersIn(list.path);
    const path = Object.fromEntries(names.map((each) => [each, this.#path[each]]));
    if (names.some((each) => typeof path[each] !== 'string')) return undefined;
    const isFilter = name !== undefined && NAME.test(name) && takes(list, 'name');
    const fixed = Object.entries(reference.filters ?? {}).flatMap(([each, filter]) =>
      'equals' in filter ? [[each, filter.equals]] : [],
    );
    const query = {
      ...Object.fromEntries(fixed),
      ...(takes(list, 'limit') ? { limit: PAGE_ROWS } : {}),
      ...(isFilter ? { name } : {}),
    };
    const rows: Json[] = [];
    let cursor: string | null = null;
    for (let page = 0; page < mostPages; page++) {
      const next: object = cursor === null ? {} : { cursor };
      const outcome = await this.#api.call(list, { path, query: { ...query, ...next } });
      throwIfPassing(outcome);
      const { isRefused, body } = outcome;
      if (isRefused) return page === 0 ? undefined : { rows, hasMore: true };
      const { data, next_cursor = null } = body as { data: readonly Json[]; next_cursor?: string | null };
      rows.push(...data);
      cursor = next_cursor;
      if (cursor === null) break;
    }
    return { rows, hasMore: cursor !== null };
  }

  /** The answer says how much was read: the name may be further on in the list. */
  #cutRefusal(list: Endpoint, found: readonly Json[], at: string, count: number): CallToolResult {
    const also = found.length === 1 ? 'One of them has it, but another may have the same.' : 'None has it.';
    return refusal({
      code: 'too_many_to_search',
      detail: `${list.id} lists more than the ${count} rows in which the name at ${at} was looked for. ${also} Nothing was done.`,
      ...(found.length === 0 ? {} : { candidates: this.#candidatesOf(found) }),
      next_step: `Send the id instead of the name. Find it with call_read ${list.id} and its filters or cursor.`,
    });
  }

  #candidatesOf(rows: readonly Json[]): readonly unknown[] {
    const shown = rows.slice(0, MOST_CANDIDATES).map(({ id, name, type }) => ({
      id,
      ...(name === undefined ? {} : { name }),
      ...(type === undefined ? {} : { type }),
    }));
    return shown.map((row) => marked(row, undefined, this.#api.services));
  }

  #refusalOf(list: Endpoint, rows: readonly Json[], at: string, count: number): CallToolResult {
    const candidates = this.#candidatesOf(rows);
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
    const sent =
      given.body === undefined
        ? { body: undefined }
        : await sentBack(api, endpoint, path, unfolded(given.body));
    if ('content' in sent) return sent;
    const whole = sent.body;
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
