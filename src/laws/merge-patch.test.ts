/** Every PATCH is a merge patch (RFC 7396): objects are merged, arrays are replaced, and null removes or is refused. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Endpoint } from '../kernel/record.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import type { JsonSchema } from '../testing/arbitrary.ts';
import { settle } from '../testing/operations.ts';
import { createWorld, endpoints, type Params, paramsFor, urlOf, type World } from './walk.ts';

const patches = endpoints.filter(({ method }) => method === 'PATCH');

const membersOf = (schema: unknown): [string, JsonSchema][] =>
  Object.entries((schema as JsonSchema).properties ?? {});
const isChangeable = ([, schema]: [string, JsonSchema]): boolean => !('x-immutable' in schema);
const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);
const acceptsNull = (schema: JsonSchema): boolean =>
  [schema.type].flat().includes('null') ||
  (schema.anyOf ?? []).some((branch) => acceptsNull(branch as JsonSchema));

/** The parts of a body that do not allow a partial change. */
function rigidIn(schema: JsonSchema, at = ''): string[] {
  if (schema.type !== 'object') return [];
  const more = schema.additionalProperties;
  const isRigidMap = isObject(more) && !acceptsNull(more as JsonSchema);
  return [
    ...(schema.required ?? []).map((name) => `${at}/${name} is required`),
    ...(isRigidMap ? [`${at || '/'} cannot lose an entry by null`] : []),
    ...membersOf(schema).flatMap(([name, member]) => rigidIn(member, `${at}/${name}`)),
  ];
}

it('there are updates', () => {
  expect(patches.length).toBeGreaterThan(3);
});

let app: TestApp;
let world: World;
beforeAll(async () => {
  app = await createTestApp();
  world = await createWorld(app);
});
afterAll(() => app.close());

describe.each(patches)('$id', (patch) => {
  let params: Params;
  const changeable = membersOf(patch.body).filter(isChangeable);

  beforeAll(async () => {
    params = await paramsFor(patch, world);
  });

  const send = (payload: object) =>
    app.call({ method: 'PATCH', url: urlOf(patch, params), payload, key: world.key.key });

  const readerOf = ({ resource, path }: Endpoint): Endpoint => {
    const readers = endpoints.filter((each) => each.resource.name === resource.name && each.method === 'GET');
    return readers.find((each) => each.path === path) ?? readers.find(({ path: of }) => path.startsWith(of))!;
  };

  async function shown(): Promise<Record<string, unknown>> {
    await settle(app);
    const reader = readerOf(patch);
    const answer = await app.call({ method: 'GET', url: urlOf(reader, params), key: world.key.key });
    const body = answer.json<Record<string, unknown> & { data?: Record<string, unknown>[] }>();
    const own = Object.values(params).at(-1);
    const {
      etag: _,
      updated_at: __,
      operation: ___,
      ...rest
    } = body.data?.find(({ id }) => id === own) ?? body;
    return rest;
  }

  /** Sends the change and returns the resource as it is afterwards. */
  async function changed(change: object): Promise<Record<string, unknown>> {
    const answer = await send(change);
    expect(answer.statusCode, answer.body).toBeLessThan(300);
    return shown();
  }

  it('takes any part of its members', () => {
    expect(rigidIn(patch.body as JsonSchema)).toEqual([]);
  });

  it('changes nothing if it is sent nothing, or objects without members', async () => {
    const before = await shown();
    expect(await changed({})).toEqual(before);
    const objects = changeable.filter(([, schema]) => schema.type === 'object');
    expect(await changed(Object.fromEntries(objects.map(([name]) => [name, {}])))).toEqual(before);
  });

  it('merges objects: a member that is sent changes, and all others stay', async () => {
    for (const [name, schema] of changeable.filter((member) => member[1].type === 'object')) {
      for (const [part, { type }] of membersOf(schema)) {
        const before = await shown();
        const object = before[name] as Record<string, unknown>;
        if (type !== 'boolean') continue;
        const value = !object[part];
        expect(await changed({ [name]: { [part]: value } })).toEqual({
          ...before,
          [name]: { ...object, [part]: value },
        });
        await changed({ [name]: { [part]: !value } });
      }
    }
  });

  it('merges maps: an entry is added, replaced, or removed by null', async () => {
    const maps = changeable.filter(([, { additionalProperties: more }]) => isObject(more));
    for (const [name] of maps) {
      const before = await shown();
      const entries = before[name] as object;
      const withTwo = { ...entries, 'law/a': 'one', 'law/b': 'two' };
      await changed({ [name]: { 'law/a': 'one' } });
      expect((await changed({ [name]: { 'law/b': 'two' } }))[name]).toEqual(withTwo);
      expect((await changed({ [name]: { 'law/a': null, 'law/c': null } }))[name]).toEqual({
        ...entries,
        'law/b': 'two',
      });
      expect(await changed({ [name]: { 'law/b': null } })).toEqual(before);
    }
  });

  it('replaces arrays as a whole', async () => {
    const example = patch.example.body as Record<string, unknown>;
    for (const [name] of changeable.filter(([, { type }]) => type === 'array')) {
      if (Array.isArray(example[name])) {
        const filled = await changed({ [name]: example[name] });
        expect(filled[name]).toHaveLength(example[name].length);
      }
      expect((await changed({ [name]: [] }))[name]).toEqual([]);
    }
  });

  it('removes a member that is sent as null, or says that it cannot be removed', async () => {
    const parts = changeable.flatMap(([name, schema]): [string, JsonSchema, object][] => [
      [`/${name}`, schema, { [name]: null }],
      ...membersOf(schema).map(([part, inner]): [string, JsonSchema, object] => [
        `/${name}/${part}`,
        inner,
        { [name]: { [part]: null } },
      ]),
    ]);
    for (const [pointer, schema, change] of parts) {
      if (acceptsNull(schema)) {
        const after = await changed(change);
        const [name = '', part] = pointer.slice(1).split('/');
        const value = part === undefined ? after[name] : (after[name] as Record<string, unknown>)[part];
        expect([pointer, value ?? null]).toEqual([pointer, null]);
        continue;
      }
      const answer = await send(change);
      const detail = expect.stringContaining('cannot be removed with null');
      expect([answer.statusCode, answer.json().errors]).toEqual([
        422,
        [{ pointer, code: expect.any(String), detail }],
      ]);
    }
  });
});
