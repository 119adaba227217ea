/** Every PATCH is a merge patch (RFC 7396): objects are merged, arrays are replaced, and null removes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADDRESS_PURPOSE } from '../kernel/chosen-addresses.ts';
import { managedResource } from '../kernel/managed-resource.ts';
import type { Endpoint } from '../kernel/record.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { type JsonSchema, sampleOf } from '../testing/arbitrary.ts';
import { settle } from '../testing/operations.ts';
import { pointerTo } from './broken-input.ts';
import { type FormSchema, plainOf } from './forms.ts';
import { sample } from './sample.ts';
import { createWorld, endpoints, type Params, paramsFor, type Query, urlOf, type World } from './walk.ts';

const patches = endpoints.filter(({ method }) => method === 'PATCH');

interface Part {
  readonly at: readonly string[];
  readonly schema: JsonSchema;
  readonly change: (value: unknown) => object;
}

const membersOf = (schema: unknown): [string, JsonSchema][] =>
  Object.entries((schema as JsonSchema | undefined)?.properties ?? {});
const isOf = (type: string, schema: JsonSchema): boolean => [plainOf(schema).type].flat().includes(type);
const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);
const acceptsNull = (schema: JsonSchema): boolean =>
  [schema.type].flat().includes('null') ||
  (schema.anyOf ?? []).some((branch) => acceptsNull(branch as JsonSchema));

const valueAt = (value: unknown, at: readonly string[]): unknown =>
  at.reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), value);

/** What a member is if the creation leaves it out. */
function defaultOf(schema: JsonSchema): unknown {
  const members = membersOf(schema);
  if (members.length === 0) return schema.default ?? null;
  return {
    ...Object.fromEntries(members.map(([name, member]) => [name, defaultOf(member)])),
    ...(schema.default as object | undefined),
  };
}

/** Another valid value for a member; undefined if the schema does not say enough to find one, as of numbers. */
function otherThan(value: unknown, whole: JsonSchema, example: unknown): unknown {
  const { additionalProperties: more, pattern, format, ...schema } = plainOf(whole);
  if (schema.enum !== undefined) return schema.enum.find((each) => each !== null && each !== value);
  if (schema['x-ref'] !== undefined || format === 'typeid') return undefined;
  if (isOf('integer', whole) || isOf('number', whole)) return undefined;
  if (isOf('boolean', whole)) return !value;
  if (isObject(more)) return { 'law/reset': 'yes' };
  if (isOf('array', whole)) return example ?? schema.examples?.[0];
  if (format === 'date-time') return new Date(Date.now() + 86_400_000).toISOString();
  if (ADDRESS_PURPOSE in schema) return example ?? schema.examples?.[0];
  if (isOf('string', whole))
    return pattern === undefined ? 'Another text.' : sampleOf({ type: 'string', pattern });
  const members = membersOf(schema).map(([name, member]) => [
    name,
    otherThan(valueAt(value, [name]), member, valueAt(example, [name])),
  ]);
  return Object.fromEntries(members.filter(([, other]) => other !== undefined));
}

/** Whether the rest of the resource lets a member have a value at all. */
function matters({ 'x-when': when }: FormSchema, beside: unknown): boolean {
  return when?.is === undefined || when.is.includes(valueAt(beside, when.member.split('/')));
}

/** The parts of a body that do not allow a partial change. */
function rigidIn(whole: JsonSchema, at = ''): string[] {
  const schema = plainOf(whole);
  if (!isOf('object', schema)) return [];
  const more = schema.additionalProperties;
  const isRigidMap = isObject(more) && !acceptsNull(more as JsonSchema);
  return [
    ...(schema.required ?? []).map((name) => `${at}/${name} is required`),
    ...(isRigidMap ? [`${at || '/'} cannot lose an entry by null`] : []),
    ...membersOf(schema).flatMap(([name, member]) => rigidIn(member, `${at}/${name}`)),
  ];
}

it('at least one update is tested', () => {
  expect(patches.length).toBeGreaterThan(3);
});

let app: TestApp;
let world: World;
beforeAll(async () => {
  app = await createTestApp();
  world = await createWorld(app);
});
afterAll(() => app.close());

describe.each(sample(patches))('$id', (patch) => {
  let params: Params;
  const changeable = membersOf(patch.body);

  beforeAll(async () => {
    params = await paramsFor(patch, world);
  });

  const send = (payload: object, query: Query = {}) =>
    app.call({ method: 'PATCH', url: urlOf(patch, params, query), payload, key: world.key.key });

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

  /** Whether the resource cannot become this: a reserved address, for example, cannot become an ephemeral one. */
  async function isImmutable(change: object): Promise<boolean> {
    const { errors = [] } = (await send(change, { dry_run: true })).json<{ errors?: { code: string }[] }>();
    return errors.length > 0 && errors.every(({ code }) => code === 'immutable');
  }

  /** Sends the change and returns the resource as it is afterwards. */
  async function changed(change: object): Promise<Record<string, unknown>> {
    const answer = await send(change);
    expect(answer.statusCode, answer.body).toBeLessThan(300);
    return shown();
  }

  it('accepts any subset of its members', () => {
    expect(rigidIn(patch.body as JsonSchema)).toEqual([]);
  });

  it('changes nothing if the patch or its objects are empty', async () => {
    const before = await shown();
    expect(await changed({})).toEqual(before);
    const objects = changeable.filter(([, schema]) => isOf('object', schema));
    expect(await changed(Object.fromEntries(objects.map(([name]) => [name, {}])))).toEqual(before);
  });

  it('merges objects: sent members change, and all others stay', async () => {
    for (const [name, schema] of changeable.filter((member) => isOf('object', member[1]))) {
      for (const [part, member] of membersOf(plainOf(schema))) {
        const before = await shown();
        const object = before[name] as Record<string, unknown>;
        if (!isOf('boolean', member)) continue;
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
    const isEmptiable = (schema: JsonSchema): boolean => ((plainOf(schema)['minItems'] as number) ?? 0) === 0;
    for (const [name, schema] of changeable.filter((member) => isOf('array', member[1]))) {
      if (Array.isArray(example[name])) {
        const filled = await changed({ [name]: example[name] });
        expect(filled[name]).toHaveLength(example[name].length);
      }
      if (isEmptiable(schema)) expect((await changed({ [name]: [] }))[name]).toEqual([]);
    }
  });

  const { creator, shape } = managedResource(patch.resource.name, endpoints) ?? {};
  const creation = creator?.body as JsonSchema | undefined;
  /** Members that are required because of others. */
  const missing = creator?.missing?.({}).map(({ pointer }) => pointer) ?? [];
  const given = Object.fromEntries(membersOf(creation));
  const parts = changeable.flatMap(([name, schema]): Part[] => [
    { at: [name], schema, change: (value) => ({ [name]: value }) },
    ...membersOf(plainOf(schema)).map(([inner, member]) => ({
      at: [name, inner],
      schema: member,
      change: (value: unknown) => ({ [name]: { [inner]: value } }),
    })),
  ]);
  const isRequired = ({ at }: Part): boolean => {
    const [name = '', inner] = at;
    const { required = [] } = (inner === undefined ? creation : given[name]) ?? {};
    return required.includes(inner ?? name) || missing.includes(pointerTo(at));
  };
  /** A member that is never null and has no default is what the server decides if the creation leaves it out. */
  const isDecided = (name: string): boolean => {
    const shown = shape?.properties[name] as JsonSchema | undefined;
    return shown !== undefined && !acceptsNull(shown) && defaultOf(given[name] ?? {}) === null;
  };

  it('resets a member that is sent as null to its default at creation', async () => {
    for (const part of parts.filter((each) => !isRequired(each))) {
      const { at, schema, change } = part;
      const [name = ''] = at;
      const before = await shown();
      const other = otherThan(valueAt(before, at), schema, valueAt(patch.example.body, at));
      const isPossible = matters(schema as FormSchema, valueAt(before, at.slice(0, -1)));
      const isSettable = other !== undefined && isPossible && !(await isImmutable(change(other)));
      if (Object.hasOwn(before, name) && isSettable)
        expect([at, valueAt(await changed(change(other)), at)]).not.toEqual([at, valueAt(before, at)]);
      const after = await changed(change(null));
      const wanted = given[name] && valueAt({ [name]: defaultOf(given[name]) }, at);
      const expected = isDecided(name) ? expect.anything() : wanted;
      if (Object.hasOwn(before, name)) expect([at, valueAt(after, at)]).toEqual([at, expected]);
    }
  });

  it('refuses null for a member that the creation requires', async () => {
    for (const { at, change } of parts.filter(isRequired)) {
      const answer = await send(change(null));
      const detail = expect.stringContaining('cannot be removed with null');
      expect([answer.statusCode, answer.json().errors]).toEqual([
        422,
        [{ pointer: pointerTo(at), code: expect.any(String), detail }],
      ]);
    }
  });

  it('documents null exactly where it is accepted', () => {
    const wrong = parts.filter((part) => acceptsNull(part.schema) === isRequired(part));
    expect(wrong.map(({ at }) => pointerTo(at))).toEqual([]);
  });
});
