/**
 * A model changes a resource by sending back what it read. The body may then have members that the call does not take,
 * because nobody can change them, and items that stand for a part of a list (`left-out.ts`). Members that are as they
 * are now are left out, and parts are filled in. What differs is sent, and the API refuses it.
 */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { canonicalJson } from '../../kernel/audit/canonical-json.ts';
import { managedResource, membersOf, subjectOf } from '../../kernel/managed-resource.ts';
import { valuesOf } from '../../kernel/member-marks.ts';
import { Problem } from '../../kernel/problems/problem.ts';
import type { Endpoint } from '../../kernel/record.ts';
import type { TSchema } from '../../kernel/schema.ts';
import { parametersIn, resourceMark } from '../openapi/resource-mark.ts';
import { takes } from './calls.ts';
import { marked } from './customer-text.ts';
import { rowSchema } from './fields.ts';
import { type ApiCaller, throwIfPassing } from './inner-call.ts';
import { itemsOf, type Part, standsFor } from './left-out.ts';
import { type Json, refusal, refusedProblem } from './results.ts';
import { unfolded } from './unfold.ts';

type Body = Readonly<Record<string, unknown>>;

/** A resource as it is now, with its schema. */
interface Present {
  readonly resource: Json;
  readonly schema: TSchema | null | undefined;
}

const PAGE_ROWS = 200;
const ID = /^[a-z_]+_[0-9a-z]{26}$/;

/** Undefined if nothing reads the resource, or it is not there. */
async function presentOf(api: ApiCaller, endpoint: Endpoint, path: Body): Promise<Present | undefined> {
  const { endpoints } = api.services.registry;
  const { read, parameter = '', key = 'id' } = resourceMark(endpoint, endpoints);
  const reader = endpoints.find(({ id }) => id === read?.operation);
  if (reader === undefined) return undefined;
  const own = path[parameter];
  const isFilter = read?.filter !== undefined && !ID.test(String(own));
  const outcome = await api.call(reader, {
    path: Object.fromEntries(parametersIn(reader.path).map((name) => [name, path[name]])),
    query: {
      ...(takes(reader, 'limit') ? { limit: PAGE_ROWS } : {}),
      ...(isFilter ? { [read.filter]: own } : {}),
    },
  });
  throwIfPassing(outcome);
  if (outcome.isRefused) return undefined;
  const schema = reader.answers[200];
  if (read?.in === undefined) return { resource: outcome.body as Json, schema };
  const rows = (outcome.body as Record<string, readonly Json[]>)[read.in.slice(1)] ?? [];
  const resource = rows.find((row) => row[key] === own || row['id'] === own);
  return resource && { resource, schema: rowSchema(schema) };
}

interface Place {
  readonly at: string;
  /** Null if the text is not one of ours. */
  readonly part: Part | null;
}

/** The items of lists in a body that stand for parts. A label may have the same name, but is no item. */
function partsIn(value: unknown, at = ''): Place[] {
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const part = Array.isArray(value) ? standsFor(member) : undefined;
    return part === undefined ? partsIn(member, `${at}/${name}`) : [{ at: `${at}/${name}`, part }];
  });
}

const filledIn = (value: unknown, resource: unknown): unknown => {
  if (Array.isArray(value))
    return value.flatMap((item) => {
      const part = standsFor(item);
      return part ? (itemsOf(part, resource) ?? []) : [filledIn(item, resource)];
    });
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, filledIn(member, resource)]),
  );
};

const notFillable = (at: string, why: string, next_step: string): CallToolResult =>
  refusal({ code: 'list_incomplete', detail: `body${at} ${why} Nothing was done.`, next_step });

/** The body with whole lists, or the refusal of a part that cannot be filled in. */
function withWholeLists(body: Body, present: Present | undefined): { readonly body: Body } | CallToolResult {
  for (const { at, part } of partsIn(body)) {
    if (present === undefined || part === null)
      return notFillable(
        at,
        'stands for items of a list that you have not read.',
        'Read the missing items with cursor set to the text of left_out, and send the items themselves.',
      );
    if (itemsOf(part, present.resource) === undefined)
      return notFillable(
        at,
        'stands for items that have changed since you read the list.',
        'Read the list again, and make your change in what it is now.',
      );
  }
  return { body: filledIn(body, present?.resource) as Body };
}

/** A copy without what changes by itself. */
function lasting(value: unknown, places: ReadonlySet<string>, at: string): unknown {
  if (Array.isArray(value)) return value.map((item) => lasting(item, places, `${at}/*`));
  if (value === null || typeof value !== 'object') return value;
  const kept = Object.entries(value).filter(([name]) => !places.has(`${at}/${name}`));
  return Object.fromEntries(kept.map(([name, member]) => [name, lasting(member, places, `${at}/${name}`)]));
}

/** The members of the body that say something new. A text as it was shown stands for the text itself. */
function withoutUnchanged(
  api: ApiCaller,
  endpoint: Endpoint,
  body: Body,
  { resource, schema }: Present,
): Body {
  const { registry } = api.services;
  const shown = unfolded(marked(resource, schema, api.services)) as Json;
  const shape = managedResource(subjectOf(endpoint).name, registry.endpoints)?.shape;
  const volatile = new Set(shape === undefined ? [] : valuesOf(shape, 'x-volatile').map(([at]) => at));
  const isAsRead = (name: string, value: unknown): boolean =>
    Object.hasOwn(shown, name) &&
    canonicalJson(lasting(value, volatile, `/${name}`)) ===
      canonicalJson(lasting(shown[name], volatile, `/${name}`));
  // Somebody who sends another status means it. Other values that change by themselves nobody writes.
  const isPassing = (name: string): boolean => name !== 'status' && volatile.has(`/${name}`);
  const settable = membersOf(endpoint.body);
  return Object.fromEntries(
    Object.entries(body).flatMap(([name, value]): [string, unknown][] => {
      const isSame = isAsRead(name, value);
      if (Object.hasOwn(settable, name)) return [[name, isSame ? resource[name] : value]];
      return isSame || isPassing(name) ? [] : [[name, value]];
    }),
  );
}

const CHANGES: readonly string[] = ['update', 'declare'];

/** The body as the call takes it, or the refusal of what cannot be sent. `path` has ids. */
export async function sentBack(
  api: ApiCaller,
  endpoint: Endpoint,
  path: Body,
  sent: Body,
): Promise<{ readonly body: Body } | CallToolResult> {
  const { endpoints } = api.services.registry;
  const { parameter = '', key = 'id' } = resourceMark(endpoint, endpoints);
  // What is declared has its name in the path.
  const { [key]: own, ...rest } = sent;
  const body = own !== undefined && own === path[parameter] ? rest : sent;
  const isChange = CHANGES.includes(subjectOf(endpoint).role);
  const hasOthers = Object.keys(body).some((name) => !Object.hasOwn(membersOf(endpoint.body), name));
  const needsPresent = isChange && (hasOthers || partsIn(body).length > 0);
  const present = needsPresent ? await presentOf(api, endpoint, path) : undefined;
  const whole = withWholeLists(body, present);
  if ('content' in whole || present === undefined) return whole;
  const { etag } = present.resource;
  if (typeof whole.body['etag'] === 'string' && whole.body['etag'] !== etag)
    return refusedProblem(new Problem('etag_mismatch'), api.outer.requestId);
  return { body: withoutUnchanged(api, endpoint, whole.body, present) };
}
