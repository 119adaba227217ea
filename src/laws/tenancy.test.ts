/** An account cannot read, change or detect the resources of another account. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../kernel/ids.ts';
import type { Endpoint } from '../kernel/record.ts';
import { createTestApp } from '../testing/app.ts';
import { likeness, outcomeOf } from './responses.ts';
import { accountTables, allRowsOf, fill } from './rows.ts';
import { aboutAll, sample } from './sample.ts';
import {
  callTo,
  createWorld,
  endpoints,
  goneParamsFor,
  lists,
  type Params,
  paramNames,
  paramsFor,
  takesNewNames,
  type World,
} from './walk.ts';

let ours: World;
let theirs: World;
/** Texts that only rows of the other account contain: ids, names, addresses, hashes. */
let foreign: string[];

const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value.replace(/^\\x/, '')];
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(textsIn) : [];
};

/**
 * Texts that belong to no account: the client addresses of test calls, because one may be a prefix of another, times,
 * because two accounts may do something in the same millisecond, and words, operations and paths of the API, because the
 * actor `system` or the operation of a denied call may by chance be in the rows of only one account.
 */
const nobodys =
  /^10(\.\d+){3}$|^\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)$|^[a-z]+([_.][a-z]+)*$|^\/[a-z-]+\/v1(\/[a-z-]+)*$/;
const ofTheApi = new Set(endpoints.flatMap(({ id, permission, path }) => [id, permission, path]));

async function textsOf(world: World): Promise<Set<string>> {
  const tables = ['accounts', ...(await accountTables(world))];
  const rows = await allRowsOf(world, tables);
  return new Set(
    textsIn(rows).filter((text) => text.length >= 6 && !nobodys.test(text) && !ofTheApi.has(text)),
  );
}

beforeAll(async () => {
  const app = await createTestApp();
  ours = await createWorld(app);
  theirs = await createWorld(app);
  await fill(ours, 3, 'ours');
  await fill(theirs, 3, 'foreign');
  const own = await textsOf(ours);
  foreign = [...(await textsOf(theirs))].filter((text) => !own.has(text));
});

afterAll(() => ours.app.close());

const withPathIds = endpoints.filter((endpoint) => paramNames(endpoint).length > 0);

/** Replaces the innermost id of the path. */
function instead(params: Params, endpoint: Endpoint, id: string): Params {
  return { ...params, [paramNames(endpoint).at(-1) ?? '']: id };
}

async function unreachable(endpoint: Endpoint): Promise<Record<string, Params>> {
  const known = await paramsFor(endpoint, ours);
  const id = known[paramNames(endpoint).at(-1) ?? ''] ?? '';
  const [prefix = ''] = id.split('_');
  const malformed = [
    // A PUT by name creates the resource if the name is unused, so an unused name does not answer 404.
    ...(takesNewNames(endpoint) ? [] : ['nothing']),
    `${prefix}_`,
    `${id}0`,
    id.toUpperCase(),
    `x${id}`,
    `${id}\0`,
    '__proto__',
    '%',
  ];
  return {
    unknown: instead(known, endpoint, `${prefix}_${newId('request').split('_')[1]}`),
    foreign: await paramsFor(endpoint, theirs),
    deleted: await goneParamsFor(endpoint, ours),
    'of another kind': instead(known, endpoint, newId('audit_entry')),
    ...Object.fromEntries(malformed.map((text) => [`malformed: ${text}`, instead(known, endpoint, text)])),
  };
}

describe('404: a foreign, deleted, unknown or invalid id gets the same answer, byte for byte', () => {
  it.each(sample(withPathIds))('$id', async (endpoint) => {
    const manners: Record<string, Parameters<typeof callTo>[2]> = { plain: {} };
    if (endpoint.method !== 'GET') {
      manners['stale If-Match'] = { headers: { 'if-match': '"stale"' } };
      manners['dry run'] = { query: { dry_run: true } };
    } else {
      manners['If-None-Match'] = { headers: { 'if-none-match': '*' } };
    }
    // A 404 changes nothing, so all variants of the call can use the same ids.
    const ids = Object.entries(await unreachable(endpoint));
    for (const [manner, options] of Object.entries(manners)) {
      const seen = new Map<string, unknown>();
      for (const [kind, params] of ids) {
        const response = await callTo(endpoint, ours, { ...options, params });
        expect([endpoint.id, manner, kind, outcomeOf(response)]).toEqual([
          endpoint.id,
          manner,
          kind,
          '404 not_found',
        ]);
        seen.set(kind, likeness(response));
      }
      const unknown = seen.get('unknown');
      for (const [kind, answer] of seen) {
        expect([endpoint.id, manner, kind, answer]).toEqual([endpoint.id, manner, kind, unknown]);
      }
    }
  });

  it.each(sample(withPathIds))('$id leaves foreign resources unchanged', async (endpoint) => {
    const params = await paramsFor(endpoint, theirs);
    const id = params[paramNames(endpoint).at(-1) ?? ''] ?? '';
    const before = await rowsWith(id);
    expect(before.length).toBeGreaterThan(0);
    expect((await callTo(endpoint, ours, { params })).statusCode).toBe(404);
    expect([endpoint.id, await rowsWith(id)]).toEqual([endpoint.id, before]);
  });

  async function rowsWith(id: string): Promise<unknown[]> {
    const found = await allRowsOf(theirs, await accountTables(theirs), id);
    return found.filter(([, rows]) => rows.length > 0);
  }
});

/** Keeps one id per prefix and one name per pattern, because filters treat the others the same way. */
function oneOfEachKind(texts: readonly string[]): string[] {
  const kindOf = (text: string): string => text.replace(/_[0-9a-z]{26}$/, '_').replace(/\d+/g, '');
  return [...new Map(texts.map((text) => [kindOf(text), text])).values()];
}

/** A name that ends with a digit is also the beginning of others: `10-100-0-5` of `10-100-0-53`. */
function standsIn(body: string, text: string): boolean {
  const isNumbered = /\d$/.test(text);
  const [, ...after] = body.split(text);
  return after.some((rest) => !isNumbered || !/^\d/.test(rest));
}

function strangersIn(body: string): string[] {
  return foreign.filter((text) => standsIn(body, text));
}

describe('no answer shows anything of another account', () => {
  it('every table with accounts has rows of the other account, so that no test passes for want of rows', async ({
    skip,
  }) => {
    aboutAll(skip);
    const found = await allRowsOf(theirs, await accountTables(theirs));
    expect(found.filter(([, rows]) => rows.length === 0)).toEqual([]);
    expect(foreign.length).toBeGreaterThan(50);
    expect(foreign).toEqual(expect.arrayContaining(['foreign-1', theirs.account.id, theirs.key.publicId]));
  });

  it.each(sample(endpoints.filter(({ access }) => access === 'read')))('$id', async (endpoint) => {
    const response = await callTo(endpoint, ours, { query: {} });
    expect([endpoint.id, response.statusCode, strangersIn(response.body)]).toEqual([endpoint.id, 200, []]);
  });

  it.each(sample(lists))('$id shows rows of the own account', async (endpoint) => {
    const own = await callTo(endpoint, ours, { query: {} });
    const other = await callTo(endpoint, theirs, { query: {} });
    expect([endpoint.id, own.json().data.length]).not.toEqual([endpoint.id, 0]);
    expect([endpoint.id, other.json().data.length]).not.toEqual([endpoint.id, 0]);
  });

  it.each(sample(lists))('$id, with filters that name resources of the other account', async (endpoint) => {
    const properties = Object.entries(
      endpoint.query.properties as Record<string, { type?: string; enum?: unknown; format?: string }>,
    );
    const filters = properties
      .filter(([name]) => !['limit', 'cursor', 'sort'].includes(name))
      .filter(([, schema]) => schema.enum === undefined && schema.format === undefined)
      .filter(([, { type }]) => type === 'string' || type === 'array')
      .map(([name]) => name);
    const wanted = oneOfEachKind(foreign.filter((text) => /^[a-z]+_[0-9a-z]{26}$|^foreign/.test(text)));
    for (const name of filters) {
      for (const value of wanted) {
        const { body } = await callTo(endpoint, ours, { query: { [name]: value } });
        // A refusal repeats what was sent, and says nothing else about it.
        const said = body.replaceAll(`You sent \\"${value}\\".`, '');
        expect([endpoint.id, name, value, strangersIn(said)]).toEqual([endpoint.id, name, value, []]);
      }
    }
  });

  it.each(sample(lists))('400 $id with a cursor of the other account', async (endpoint) => {
    const page = await callTo(endpoint, theirs, { query: { limit: 1 } });
    const cursor: string | null = page.json().next_cursor;
    expect([endpoint.id, cursor]).not.toEqual([endpoint.id, null]);
    const response = await callTo(endpoint, ours, { query: { limit: 1, cursor } });
    expect([endpoint.id, outcomeOf(response)]).toEqual([endpoint.id, '400 invalid_cursor']);
  });
});
