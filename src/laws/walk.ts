/**
 * Lets the laws call any endpoint: the request is the example of the endpoint record. The resources in the path are
 * created first, by the fixture of their collection or through the endpoint that creates them.
 */
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { families } from '../families/index.ts';
import { membersOf } from '../kernel/managed-resource.ts';
import { declares } from '../kernel/named/named.ts';
import { type Endpoint, isWrite } from '../kernel/record.ts';
import { buildRegistry } from '../kernel/registry.ts';
import { isValid } from '../kernel/validation.ts';
import { settle } from '../testing/operations.ts';
import { freshPublicKey } from '../testing/ssh-keys.ts';
import { workshop } from '../testing/widgets.ts';
import { collect, fixtureOf } from './fixtures.ts';
import { freshName, type Params, type World } from './world.ts';

export { createWorld, type Params, type World } from './world.ts';

/** The endpoints of all families, and of the test family `workshop`, which uses every feature that a family can use. */
export const { endpoints } = buildRegistry([...families, workshop]);
export const writes: readonly Endpoint[] = endpoints.filter(isWrite);
/** Whether a PUT to any new name creates something. Other declarations name what there is to name, such as an address. */
export const takesNewNames = (endpoint: Endpoint): boolean =>
  declares(endpoint) && isValid(endpoint.params, { ...endpoint.example.params, id: 'any-name' });
/** Without feeds, which have no last page and no sort, and whose cursors are valid with any filter. */
export const lists: readonly Endpoint[] = endpoints.filter(
  ({ resource, waits }) => resource.role === 'list' && waits !== true,
);

export type WalkRequest = InjectOptions & { readonly method: Endpoint['method']; readonly url: string };
export type Query = Readonly<Record<string, unknown>>;

export function urlOf(endpoint: Endpoint, params: Params = {}, query: Query = {}): string {
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? `{${name}}`),
  );
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  return search === '' ? path : `${path}?${search}`;
}

/**
 * The body of the example with a new name, and with a new SSH key if it has one. Two creations differ also if nobody
 * names what they create: by a label, or else by a text.
 */
export function bodyOf(endpoint: Endpoint, name = freshName()): unknown {
  const { body } = endpoint.example;
  if (body === null || typeof body !== 'object') return body;
  const isSshKey = 'public_key' in body && String(body.public_key).startsWith('ssh-');
  return {
    ...body,
    ...markedBy(endpoint, body, name),
    ...(isSshKey ? { public_key: freshPublicKey() } : {}),
  };
}

/** The member of a body that makes it another one: the name, or else a label or a text with this value. */
function markedBy({ resource, body: schema }: Endpoint, body: object, name: string): object {
  if ('name' in body) return { name };
  if (resource.role !== 'create') return {};
  const members = Object.entries(membersOf(schema));
  if (members.some(([member]) => member === 'labels')) return { labels: { mark: name } };
  const isText = ([member, text]: (typeof members)[number]) =>
    member in body &&
    'type' in text &&
    text.type === 'string' &&
    !['enum', 'pattern', 'format'].some((rule) => rule in text);
  const [text] = members.find(isText) ?? [];
  return text === undefined ? {} : { [text]: name };
}

export const paramNames = (endpoint: Pick<Endpoint, 'path'>): string[] =>
  [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

export async function makeOne(collection: string, outer: Params, world: World): Promise<string> {
  const fixture = fixtureOf(collection);
  if (fixture?.make !== undefined) return fixture.make(world, outer);
  const creator = world.app.registry.endpoints.find(
    (record) => record.path === collection && record.resource.role === 'create',
  );
  const declarer = world.app.registry.endpoints.find(
    (record) => takesNewNames(record) && record.path === `${collection}/{id}`,
  );
  if (creator === undefined && declarer !== undefined) return declareOne(declarer, outer, world);
  if (creator === undefined) {
    throw new Error(`No endpoint creates resources in ${collection}: add a fixture with \`make\`.`);
  }
  const request = { method: creator.method, url: urlOf(creator, outer, creator.example.query) };
  const payload = await payloadOf(creator, world, outer);
  const answer = await world.app.call({ ...request, ...payload, key: world.key.key });
  const { id } = answer.statusCode < 300 ? answer.json<{ id?: unknown }>() : {};
  if (typeof id !== 'string') throw new Error(`${creator.id} ${answer.statusCode}: ${answer.body}`);
  if (answer.statusCode === 202) await settle(world.app);
  return id;
}

/** For collections without a POST: creates a resource by a PUT to a new name. */
async function declareOne(declarer: Endpoint, outer: Params, world: World): Promise<string> {
  const url = urlOf(declarer, { ...outer, id: freshName() }, declarer.example.query);
  const request = { method: declarer.method, url, ...(await payloadOf(declarer, world, outer)) };
  const answer = await world.app.call({ ...request, key: world.key.key });
  if (answer.statusCode !== 201) throw new Error(`${declarer.id} ${answer.statusCode}: ${answer.body}`);
  return answer.json<{ id: string }>().id;
}

/** False if no call deletes such resources, and no fixture does. */
async function removeOne(path: string, params: Params, world: World): Promise<boolean> {
  const name = /\{(\w+)\}$/.exec(path)?.[1] ?? '';
  const fixture = fixtureOf(path.slice(0, path.lastIndexOf('/')));
  if (fixture?.remove !== undefined) {
    await fixture.remove(world, params[name] ?? '');
    return true;
  }
  const remover = world.app.registry.endpoints.find(
    (record) => record.path === path && record.resource.role === 'delete',
  );
  if (remover === undefined) return false;
  const answer = await world.app.call({
    method: remover.method,
    url: urlOf(remover, params),
    key: world.key.key,
  });
  if (answer.statusCode >= 300) throw new Error(`${remover.id} ${answer.statusCode}: ${answer.body}`);
  if (answer.statusCode === 202) await settle(world.app);
  return true;
}

/** Creates a resource in the world's account for each parameter of the path, parents first, and returns the ids. */
export async function paramsFor(endpoint: Pick<Endpoint, 'path'>, world: World): Promise<Params> {
  let params: Params = {};
  for (const name of paramNames(endpoint)) {
    const collection = endpoint.path.slice(0, endpoint.path.indexOf(`/{${name}}`));
    params = { ...params, [name]: await makeOne(collection, params, world) };
  }
  return params;
}

const bodies = collect('bodies');

const filled = new Map<string, string>();
const unfillable = new Map<string, unknown>();

/** Records that rows cannot be added to a collection. Only tests that read the collection fail then, with this error. */
export function noteUnfillable({ account }: World, collection: string, error: unknown): void {
  unfillable.set(`${account.id} ${collection}`, error);
}

/** Whether rows can be added: what failed once is not tried again. */
export const isFillable = ({ account }: World, collection: string): boolean =>
  !unfillable.has(`${account.id} ${collection}`);

/** Records the resource whose sub-collections have rows. */
export function noteFilled({ account }: World, collection: string, id: string): void {
  filled.set(`${account.id} ${collection}`, id);
}

/** For a list below another resource: the parent that `fill` added rows to, or else a new parent. */
export async function listParams(list: Pick<Endpoint, 'path'>, world: World): Promise<Params> {
  return filledParams(list, world) ?? paramsFor(list, world);
}

/** The resource of a collection whose sub-collections have rows, if `fill` created one. */
export const filledIn = ({ account }: World, collection: string): string | undefined =>
  filled.get(`${account.id} ${collection}`);

function filledParams(list: Pick<Endpoint, 'path'>, world: World): Params | undefined {
  if (!isFillable(world, list.path)) throw unfillable.get(`${world.account.id} ${list.path}`);
  const [name] = paramNames(list);
  const id = filledIn(world, list.path.slice(0, list.path.indexOf(`/{${name}}`)));
  return name === undefined || id === undefined ? undefined : { [name]: id };
}

const looked = new WeakMap<World, Map<string, Promise<Params>>>();

/** Reads do not change resources, so all reads of a world share the same ones. */
async function readParams(endpoint: Endpoint, world: World): Promise<Params> {
  const full = endpoint.resource.role === 'list' ? filledParams(endpoint, world) : undefined;
  if (full !== undefined) return full;
  const known = looked.get(world) ?? new Map<string, Promise<Params>>();
  const params = known.get(endpoint.path) ?? paramsFor(endpoint, world);
  looked.set(world, known.set(endpoint.path, params));
  return params;
}

/** Like `paramsFor`, but nobody has the innermost resource: it is deleted again, or has the id of the example. */
export async function goneParamsFor(
  endpoint: Pick<Endpoint, 'path' | 'example'>,
  world: World,
): Promise<Params> {
  const params = await paramsFor(endpoint, world);
  const isGone = await removeOne(endpoint.path.slice(0, endpoint.path.lastIndexOf('}') + 1), params, world);
  const innermost = paramNames(endpoint).at(-1) ?? '';
  return isGone ? params : { ...params, [innermost]: String(endpoint.example.params?.[innermost]) };
}

export async function payloadOf(
  endpoint: Endpoint,
  world: World,
  params: Params,
): Promise<{ payload?: object }> {
  const body = bodyOf(endpoint);
  // Creates no resources for the body if the ids are those of the example, or are invalid.
  const isNothing = params === endpoint.example.params || !isValid(endpoint.params, params);
  const made = isNothing ? {} : await bodies[endpoint.id]?.(world, params);
  return body === undefined ? {} : { payload: { ...(body as object), ...made } };
}

export interface Variation {
  readonly params?: Params;
  /** Replaces the query of the example. */
  readonly query?: Query;
}

/** A request that succeeds. It changes only resources that were created for it, so requests do not disturb others. */
export async function requestTo(
  endpoint: Endpoint,
  world: World,
  { params, query = endpoint.example.query ?? {} }: Variation = {},
): Promise<WalkRequest> {
  const find = endpoint.access === 'read' ? readParams : paramsFor;
  const ids = params ?? (await find(endpoint, world));
  const url = urlOf(endpoint, ids, query);
  return { method: endpoint.method, url, ...(await payloadOf(endpoint, world, ids)) };
}

export async function callTo(
  endpoint: Endpoint,
  world: World,
  more: Variation & Omit<InjectOptions, 'query'> & { key?: string } = {},
): Promise<LightMyRequestResponse> {
  const { params, query, ...options } = more;
  const request = await requestTo(endpoint, world, {
    ...(params === undefined ? {} : { params }),
    ...(query === undefined ? {} : { query }),
  });
  return world.app.call({ ...request, key: world.key.key, ...options });
}

/**
 * A request that passes every check before the handler and changes nothing: it has the ids of the example, which no
 * account has, and a write is a dry run. Laws about those checks need not create the resources in the path.
 */
export function probeOf(endpoint: Endpoint): WalkRequest {
  const { params, query = {} } = endpoint.example;
  const url = urlOf(endpoint, params, isWrite(endpoint) ? { ...query, dry_run: true } : query);
  const body = bodyOf(endpoint);
  return { method: endpoint.method, url, ...(body === undefined ? {} : { payload: body as object }) };
}
