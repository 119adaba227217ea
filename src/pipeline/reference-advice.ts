/**
 * Completes the refusal of a reference: what was sent, whose name that is, the nearest valid value, the valid values
 * if they are few, and the call that lists them. The values come from the list endpoint that the reference names,
 * called with the rights of the caller, so an answer shows nothing that the caller could not list.
 */
import { nothingDone } from '../kernel/call.ts';
import { nearest } from '../kernel/did-you-mean.ts';
import { callerOf, type Exchange, endpointOf } from '../kernel/exchange.ts';
import type { FieldCode } from '../kernel/problems/catalogue.ts';
import { type FieldError, Problem } from '../kernel/problems/problem.ts';
import { convertQuery } from '../kernel/query-string.ts';
import type { Endpoint } from '../kernel/record.ts';
import { partsOf, type Reference, referenceAt } from '../kernel/reference.ts';
import type { Services } from '../kernel/services.ts';
import { isValid } from '../kernel/validation.ts';
import { narrowTo } from '../kernel/variants.ts';
import { callOf } from './call-context.ts';
import { type Input, queryShapeOf } from './input.ts';

/** How many valid values a refusal lists. */
const FEW = 20;
/** How many rows are searched for a similar name. */
const SEARCHED = 100;
/** Each lookup is one call of a list. A refusal with more different references only says where to look. */
const MOST_LOOKUPS = 4;
const LONGEST_QUOTE = 63;

const ADVISED: readonly FieldCode[] = [
  'required',
  'invalid_format',
  'too_short',
  'too_long',
  'unknown_reference',
  'unknown_resource_type',
  'location_mismatch',
  'unverified_email',
];

interface Row {
  readonly value: string;
  readonly label: string;
}

interface Rows {
  readonly rows: readonly Row[];
  readonly isWhole: boolean;
}

type Parameters = Readonly<Record<string, string>>;

const valueAt = (value: unknown, parts: readonly string[]): unknown =>
  parts.reduce<unknown>(
    (inner, name) =>
      inner !== null && typeof inner === 'object' && Object.hasOwn(inner, name)
        ? (inner as Record<string, unknown>)[name]
        : undefined,
    value,
  );

export class ReferenceAdvice {
  readonly #exchange: Exchange;
  readonly #services: Services;
  readonly #body: unknown;
  readonly #query: Readonly<Record<string, unknown>>;
  readonly #found = new Map<string, Promise<Rows | null>>();
  /** The lists whose values an error has named already; the next errors do not repeat them. */
  readonly #named = new Set<string>();

  constructor(exchange: Exchange, services: Services, body: unknown) {
    this.#exchange = exchange;
    this.#services = services;
    this.#body = body;
    this.#query = convertQuery(queryShapeOf(endpointOf(exchange)), exchange.incoming.query).values;
  }

  /** The value in the request at a pointer of an error: into the body, or `query/…`, `path/…`. */
  #sent(pointer: string): unknown {
    const parts = partsOf(pointer.startsWith('/') ? pointer : `/${pointer}`);
    if (pointer.startsWith('query/')) return valueAt(this.#query, parts.slice(1));
    if (pointer.startsWith('path/')) return valueAt(this.#exchange.incoming.params, parts.slice(1));
    return valueAt(this.#body, parts);
  }

  async complete(error: FieldError): Promise<FieldError> {
    const { body } = endpointOf(this.#exchange);
    const { pointer, code } = error;
    if (!ADVISED.includes(code)) return error;
    const reference = pointer.startsWith('query/')
      ? referenceAt(queryShapeOf(endpointOf(this.#exchange)), pointer)
      : referenceAt(body && narrowTo(body, this.#body), pointer);
    const list = this.#services.registry.endpoints.find(({ id }) => id === reference?.list);
    if (reference === undefined || list === undefined) return error;
    const sent = this.#sent(pointer);
    const { told, call } = await this.#advise(error, reference, list, sent);
    return { ...error, detail: [...told, call].join(' ') };
  }

  async #advise(error: FieldError, reference: Reference, list: Endpoint, sent: unknown) {
    const { filters, found } = await this.#lookUpNarrowed(reference, list, error.pointer, sent);
    const call = callText(list, filters, callerOf(this.#exchange).decide(list).allowed);
    if (typeof sent !== 'string') return { told: [error.detail], call };
    const quoted = JSON.stringify(sent.slice(0, LONGEST_QUOTE));
    const told = [error.detail];
    const isSaid = (text: string): boolean =>
      told.some((part) => part.toLowerCase().includes(text.toLowerCase()));
    const bearer = found === null ? undefined : await this.#bearerOf(sent, found, reference, list);
    if (bearer !== undefined)
      told.push(
        `You sent ${quoted}, the ${reference.label} of ${bearer.value}: send that ${reference.value}.`,
      );
    else if (!isSaid(quoted)) told.push(`You sent ${quoted}.`);
    if (found === null) return { told, call };
    // A value in the wrong place was meant as it is.
    const isWrong = bearer === undefined && error.code !== 'location_mismatch' && !isSaid('did you mean');
    const alike = isWrong ? nearestRow(sent, found.rows) : undefined;
    if (alike !== undefined) told.push(`Did you mean ${shown(alike)}?`);
    const key = `${list.id} ${JSON.stringify(filters)}`;
    const { rows, isWhole } = found;
    if (isWhole && rows.length === 0) told.push('There are none that you can use.');
    if (isWhole && rows.length > 0 && rows.length <= FEW && bearer === undefined && !this.#named.has(key)) {
      this.#named.add(key);
      if (!rows.every(({ value }) => isSaid(value))) told.push(`Valid: ${rows.map(shown).join(', ')}.`);
    }
    return { told, call };
  }

  /** For a part of the path that is no id: the id that has it as its name. */
  async find(list: Endpoint, sent: string, params: Parameters) {
    const quoted = JSON.stringify(sent.slice(0, LONGEST_QUOTE));
    if (ID.test(sent)) return { quoted };
    const reference = { list: list.id, value: 'id', label: 'name' };
    const isOfList = ([name]: [string, string]): boolean => Object.hasOwn(list.params.properties, name);
    const filters = Object.fromEntries(Object.entries(params).filter(isOfList));
    const found = await this.#lookUp(reference, list, filters);
    if (found === null) return { quoted };
    const bearer = await this.#bearerOf(sent, found, reference, list);
    return { quoted, bearer: bearer?.value };
  }

  /** The one row that has the sent text as its label. */
  async #bearerOf(sent: string, { rows, isWhole }: Rows, reference: Reference, list: Endpoint) {
    const named = (each: readonly Row[]): Row | undefined => {
      const bearers = each.filter(({ label, value }) => label === sent && value !== sent);
      return bearers.length === 1 ? bearers[0] : undefined;
    };
    const { label } = reference;
    if (isWhole || named(rows) !== undefined || !Object.hasOwn(list.query.properties, label))
      return named(rows);
    return named((await this.#lookUp(reference, list, { [label]: sent }))?.rows ?? []);
  }

  /** Looks in the whole list if no row passes the filters, because their values can be wrong as well. */
  async #lookUpNarrowed(reference: Reference, list: Endpoint, pointer: string, sent: unknown) {
    const filters = this.#filtersOf(reference, pointer);
    if (typeof sent !== 'string') return { filters, found: null };
    const found = await this.#lookUp(reference, list, filters);
    const isFixed = (name: string): boolean =>
      Object.hasOwn(list.params.properties, name) || 'equals' in (reference.filters?.[name] ?? {});
    const fixed = Object.fromEntries(Object.entries(filters).filter(([name]) => isFixed(name)));
    const isNarrowed = Object.keys(fixed).length < Object.keys(filters).length;
    if (!isNarrowed || (found !== null && found.rows.length > 0)) return { filters, found };
    return { filters: fixed, found: await this.#lookUp(reference, list, fixed) };
  }

  #filtersOf({ filters = {} }: Reference, pointer: string): Parameters {
    const places = pointer.match(/(?<=\/)\d+(?=\/|$)/g) ?? [];
    const values = Object.entries(filters).map(([name, filter]): [string, unknown] => {
      if ('equals' in filter) return [name, filter.equals];
      const sent = [filter.from].flat().map((from) => {
        let at = 0;
        return this.#sent(from.replaceAll('*', () => places[at++] ?? '*'));
      });
      return [name, sent.find((value) => value !== undefined)];
    });
    return Object.fromEntries(
      values.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    );
  }

  /** Returns null if the caller may not call the list, or the list cannot be called. */
  #lookUp(reference: Reference, list: Endpoint, filters: Parameters): Promise<Rows | null> {
    const key = `${list.id} ${JSON.stringify(filters)}`;
    const known = this.#found.get(key);
    if (known !== undefined) return known;
    const isTooMuch = this.#found.size >= MOST_LOOKUPS;
    const rows = isTooMuch ? Promise.resolve(null) : this.#read(reference, list, filters);
    this.#found.set(key, rows);
    return rows;
  }

  async #read(reference: Reference, list: Endpoint, filters: Parameters): Promise<Rows | null> {
    if (!callerOf(this.#exchange).decide(list).allowed) return null;
    const shape = queryShapeOf(list);
    const isOfPath = ([name]: [string, string]): boolean => Object.hasOwn(list.params.properties, name);
    const params = Object.fromEntries(Object.entries(filters).filter(isOfPath));
    const narrowing = Object.entries(filters).filter((filter) => !isOfPath(filter));
    const limit = Object.hasOwn(shape.properties, 'limit') ? { limit: String(SEARCHED) } : {};
    const { values: query } = convertQuery(shape, { ...limit, ...Object.fromEntries(narrowing) });
    if (!isValid(list.params, params) || !isValid(shape, query)) return null;
    const input: Input = {
      params,
      query,
      body: undefined,
      dryRun: false,
      onFailure: 'keep',
      idempotencyKey: undefined,
      ifMatch: undefined,
      ifNoneMatch: undefined,
      wait: null,
    };
    const { db } = this.#services;
    const exchange = { ...this.#exchange, endpoint: list };
    try {
      const reply = await list.handle(callOf(exchange, this.#services, input, { db, done: nothingDone() }));
      return rowsIn(reply.body, reference);
    } catch (error) {
      if (error instanceof Problem) return null;
      throw error;
    }
  }
}

function rowsIn(body: unknown, { value, label, except = [] }: Reference): Rows {
  const { data, next_cursor } = body as { data: Record<string, unknown>[]; next_cursor?: string | null };
  const rows = data
    .map((row) => ({ value: String(row[value]), label: String(row[label] ?? '') }))
    .filter((row) => !except.includes(row.value));
  const distinct = new Map(rows.map((row) => [row.value, row]));
  return { rows: [...distinct.values()], isWhole: (next_cursor ?? null) === null };
}

const ID = /^[a-z]+_[0-7][0-9a-z]{25}$/;

/** An id says nothing to people, so its name stands beside it. */
const shown = ({ value, label }: Row): string =>
  ID.test(value) && label !== '' ? `${value} (${label})` : value;

function nearestRow(sent: string, rows: readonly Row[]): Row | undefined {
  // Longer texts are no typing error of a name, and comparing them would take long.
  if (sent.length > LONGEST_QUOTE) return undefined;
  for (const member of ['value', 'label'] as const) {
    const known = rows.map((row) => row[member].toLowerCase()).filter((text) => !ID.test(text));
    const alike = nearest(sent.toLowerCase(), known);
    if (alike !== null) return rows.find((row) => row[member].toLowerCase() === alike);
  }
  return undefined;
}

function callText(
  { method, path, params, query, permission }: Endpoint,
  filters: Parameters,
  isAllowed: boolean,
) {
  const filled = path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => filters[name] ?? whole);
  const narrowing = Object.entries(filters).filter(
    ([name]) => Object.hasOwn(query.properties, name) && !Object.hasOwn(params.properties, name),
  );
  const search = narrowing.length === 0 ? '' : `?${new URLSearchParams(narrowing)}`;
  const right = isAllowed ? '' : `, with a key that has ${permission}`;
  return `${method} ${filled}${search} lists the valid values${right}.`;
}
