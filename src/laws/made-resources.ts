/** Resources that laws create, read and change with what the marks of the specification say, and with nothing else. */
import { expect } from 'vitest';
import { type Managed, managedResources } from '../kernel/managed-resource.ts';
import { valuesOf } from '../kernel/member-marks.ts';
import type { Endpoint } from '../kernel/record.ts';
import { unfolded } from '../surfaces/mcp/unfold.ts';
import type { ResourceMark } from '../surfaces/openapi/model.ts';
import { resourceMark } from '../surfaces/openapi/resource-mark.ts';
import { settle } from '../testing/operations.ts';
import { collect } from './fixtures.ts';
import {
  endpoints,
  type Params,
  paramNames,
  paramsFor,
  type Query,
  requestTo,
  takesNewNames,
  urlOf,
  type World,
} from './walk.ts';
import { freshName } from './world.ts';

export type Json = Readonly<Record<string, unknown>>;

export const byId = (id = ''): Endpoint => {
  const found = endpoints.find((each) => each.id === id);
  if (found === undefined) throw new Error(`There is no endpoint ${id}.`);
  return found;
};

/** The values at a JSON Pointer; an asterisk in it stands for each item. */
export function valuesAt(value: unknown, pointer: string): unknown[] {
  return pointer
    .split('/')
    .slice(1)
    .reduce<unknown[]>(
      (found, part) =>
        found.flatMap((each) =>
          part === '*' ? (each as unknown[]) : [(each as Json | null | undefined)?.[part]],
        ),
      [value],
    );
}

/** By resource type: the value that names it in paths. */
export type Names = Readonly<Record<string, string>>;

/** Fills the path of a call from what its mark says, and from nothing else. */
export function paramsOf(endpoint: Endpoint, names: Names): Params {
  const { name, parameter, parent } = resourceMark(endpoint, endpoints);
  const params: Record<string, string> = {};
  if (parameter !== undefined) params[parameter] = names[name] ?? '';
  if (parent !== undefined) params[parent.parameter] = names[parent.name] ?? '';
  expect(Object.keys(params).sort(), endpoint.id).toEqual(paramNames(endpoint).sort());
  return params;
}

export const pathOf = (endpoint: Endpoint, names: Names, query: Query = {}): string =>
  urlOf(endpoint, paramsOf(endpoint, names), query);

/** Reads the resource with what its mark says, and with nothing else. */
export function readBy(mark: ResourceMark, names: Names, { app, key }: World): Promise<Json> {
  return readThrough(mark, names, async (reader, query) => {
    const answer = await app.call({ url: pathOf(reader, names, query), key: key.key });
    expect(answer.statusCode, answer.body).toBe(200);
    return answer.json();
  });
}

/** The same, by a call that another surface makes. */
export async function readThrough(
  { name, key = 'id', read }: ResourceMark,
  names: Names,
  call: (reader: Endpoint, query: Query) => Promise<Json>,
): Promise<Json> {
  const reader = byId(read?.operation);
  const answer = await call(reader, read?.filter === undefined ? {} : { [read.filter]: names[name] });
  if (read?.in === undefined) return answer;
  const rows = valuesAt(answer, read.in)[0] as Json[];
  if (read.filter !== undefined) expect(rows.length).toBe(1);
  const own = rows.find((row) => unfolded(row)[key] === names[name]);
  if (own === undefined) throw new Error(`${reader.id} does not show ${names[name]}.`);
  return own;
}

const creations = collect('creations');

export interface Case {
  readonly managed: Managed;
  readonly title: string;
  readonly vary?: (world: World) => Promise<object>;
}

export const cases: readonly Case[] = managedResources(endpoints).flatMap((managed) => [
  { managed, title: managed.creator.id },
  ...(creations[managed.creator.id] ?? []).map((vary, i) => ({
    managed,
    title: `${managed.creator.id}, body ${i + 2}`,
    vary,
  })),
]);

export interface Made {
  readonly sent: Json;
  readonly answer: Json;
  readonly names: Names;
}

export async function make({ managed: { creator, name }, vary }: Case, world: World): Promise<Made> {
  const { app } = world;
  const { parameter, parent, key = 'id' } = resourceMark(creator, endpoints);
  const outer = { path: creator.path.slice(0, creator.path.lastIndexOf('/')) as Endpoint['path'] };
  const parents: Params = await paramsFor(outer, world);
  const isNamed = parameter !== undefined && takesNewNames(creator);
  const params = isNamed
    ? { ...parents, [parameter]: freshName() }
    : parameter === undefined
      ? parents
      : await paramsFor(creator, world);
  const request = await requestTo(creator, world, { params });
  const sent = { ...(request.payload as Json), ...(await vary?.(world)) };
  const answer = await app.call({ ...request, payload: sent, key: world.key.key });
  expect(answer.statusCode, answer.body).toBeLessThan(300);
  await settle(app);
  const own = String(isNamed ? params[parameter] : (creator.part ? sent : answer.json())[key]);
  const outerName = parent === undefined ? {} : { [parent.name]: String(params[parent.parameter]) };
  return { sent, answer: answer.json(), names: { ...outerName, [name]: own } };
}

/** A copy of what was read, without what may change by itself. */
export function lastingIn({ shape }: Managed, resource: Json): unknown {
  const places = new Set(valuesOf(shape, 'x-volatile').map(([at]) => at));
  const copy = (value: unknown, at: string): unknown => {
    if (Array.isArray(value)) return value.map((each) => copy(each, `${at}/*`));
    if (value === null || typeof value !== 'object') return value;
    const kept = Object.entries(value).filter(([name]) => !places.has(`${at}/${name}`));
    return Object.fromEntries(kept.map(([name, each]) => [name, copy(each, `${at}/${name}`)]));
  };
  const shown = Object.entries(resource).filter(([name]) => Object.hasOwn(shape.properties, name));
  return copy(Object.fromEntries(shown), '');
}
