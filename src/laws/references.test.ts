/** A request that names something unknown is told what it sent and which call lists the valid values. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../kernel/ids.ts';
import type { FieldError } from '../kernel/problems/problem.ts';
import type { Endpoint } from '../kernel/record.ts';
import type { Reference } from '../kernel/reference.ts';
import { variantsOf } from '../kernel/variants.ts';
import { queryShapeOf } from '../pipeline/input.ts';
import { createAccount, createKey } from '../testing/accounts.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import type { JsonSchema } from '../testing/arbitrary.ts';
import { pointerTo, put } from './broken-input.ts';
import { plainOf } from './forms.ts';
import { outcomeOf } from './responses.ts';
import { bodyOf, createWorld, endpoints, type Params, paramsFor, urlOf, type World } from './walk.ts';

type Marked = JsonSchema & {
  readonly 'x-ref'?: Reference;
  readonly 'x-event-type'?: true;
  readonly pattern?: string;
};

/** The codes of errors about something that does not exist. */
const UNKNOWN = /^unknown_(?!member)/;

interface Member {
  readonly endpoint: Endpoint;
  readonly where: 'body' | 'query';
  readonly at: readonly string[];
  readonly schema: Marked;
  readonly reference: Reference | undefined;
  /** The object that chooses the alternative which has the member. */
  readonly within: Alternative | undefined;
}

type Items = Readonly<Record<string, unknown>> | undefined;

interface Alternative {
  readonly at: readonly string[];
  readonly value: object;
}

type Place = Pick<Member, 'at' | 'schema' | 'within'>;

function membersIn(whole: Marked, at: readonly string[] = [], within?: Alternative): Place[] {
  const schema = plainOf(whole) as Marked;
  const { by, alternatives } = variantsOf(schema) ?? { by: '', alternatives: new Map<string, object>() };
  return [
    { at, schema, within },
    ...[...alternatives].flatMap(([value, each]) =>
      membersIn(each as Marked, at, { at, value: { [by]: value } }),
    ),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
      membersIn(member as Marked, [...at, name], within),
    ),
    ...(schema.items === undefined ? [] : membersIn(schema.items as Marked, [...at, '0'], within)),
  ];
}

const membersOf = (endpoint: Endpoint): Member[] =>
  (
    [
      ['body', endpoint.body],
      ['query', queryShapeOf(endpoint)],
    ] as const
  ).flatMap(([where, shape]) =>
    membersIn((shape ?? {}) as Marked).map(({ at, schema, within }) => ({
      endpoint,
      where,
      at,
      schema,
      within,
      reference: schema['x-ref'],
    })),
  );

const members = endpoints.flatMap(membersOf);
const references = members.filter(({ reference }) => reference !== undefined);
const listOf = (id: string | undefined): Endpoint | undefined => endpoints.find((each) => each.id === id);
const prefixOf = ({ pattern = '' }: Marked): string | undefined => /^\^([a-z]+)_\[0-7\]/.exec(pattern)?.[1];
const pointerOf = ({ where, at }: Member): string =>
  where === 'query' ? `query${pointerTo(at)}` : pointerTo(at);

it('every member of a request that takes an id says which list has the valid ids', () => {
  const unmarked = members
    .filter(({ reference }) => reference === undefined)
    .flatMap(({ schema }) => prefixOf(schema) ?? []);
  expect([...new Set(unmarked)].sort()).toEqual([]);
});

it('every reference names a list, members of its rows and parameters of its call', () => {
  const wrong = references.filter(({ reference }) => {
    const list = listOf(reference?.list);
    const { data } = (list?.example.answer.body ?? { data: [] }) as { data: Record<string, unknown>[] };
    const known = { ...list?.params.properties, ...list?.query.properties };
    return (
      list?.resource.role !== 'list' ||
      !data.every((row) => reference!.value in row && reference!.label in row) ||
      !Object.keys(reference!.filters ?? {}).every((name) => name in known) ||
      !Object.keys(list.params.properties).every((name) => name in (reference!.filters ?? {}))
    );
  });
  expect(wrong.map((member) => `${member.endpoint.id} ${pointerOf(member)}`)).toEqual([]);
});

describe('a refused reference', () => {
  let app: TestApp;
  let world: World;

  beforeAll(async () => {
    app = await createTestApp();
    world = await createWorld(app);
  });

  afterAll(() => app.close());

  const places = new Map<Endpoint, Promise<Params>>();

  /** The resources in the path. All refused calls of an endpoint share them, because none changes anything. */
  function placeOf(endpoint: Endpoint): Promise<Params> {
    const place = places.get(endpoint) ?? paramsFor(endpoint, world);
    places.set(endpoint, place);
    return place;
  }

  async function refusalOf(member: Member, value: string, params = member.endpoint.example.params ?? {}) {
    const { endpoint, where, at, within } = member;
    const example = bodyOf(endpoint);
    const body = within === undefined ? example : put(example, within.at, within.value);
    const query = where === 'query' ? { [at[0] ?? '']: value } : {};
    const response = await app.call({
      method: endpoint.method,
      url: urlOf(endpoint, params, query),
      ...(body === undefined
        ? {}
        : { payload: (where === 'body' ? putIn(body, at, value) : body) as object }),
      key: world.key.key,
    });
    const errors = outcomeOf(response).startsWith('422')
      ? response.json<{ errors: FieldError[] }>().errors
      : [];
    return errors.find(({ pointer }) => pointer === pointerOf(member));
  }

  /** Like `put`, but creates lists where the path has indexes. An item keeps what the example has there. */
  function putIn(body: unknown, at: readonly string[], value: string): unknown {
    const place = at.indexOf('0');
    if (place < 0) return put(body, at, value);
    const list = at.slice(0, place).reduce<unknown>((inner, name) => (inner as Items)?.[name], body);
    const [item] = Array.isArray(list) ? list : [{}];
    return put(body, at.slice(0, place), [putIn(item, at.slice(place + 1), value)]);
  }

  const callOf = ({ reference }: Member): RegExp =>
    new RegExp(
      `GET ${listOf(reference?.list)?.path.replaceAll(/\{\w+\}/g, '[^ ]+')}(\\?[^ ]+)? lists the valid values`,
    );

  it('in an impossible form names the list and the sent value', async () => {
    const silent: string[] = [];
    for (const member of references) {
      const sent = 'No such! thing'.padEnd(member.schema.pattern === undefined ? 255 : 14, '.');
      const error = await refusalOf(member, sent);
      const isTold = callOf(member).test(error?.detail ?? '') && error?.detail.includes(sent.slice(0, 14));
      if (!isTold) silent.push(`${member.endpoint.id} ${pointerOf(member)}: ${error?.detail}`);
    }
    expect(silent).toEqual([]);
  });

  it('that does not exist gets the same refusal', async () => {
    const told: string[] = [];
    for (const member of references.filter(({ where }) => where === 'body')) {
      const prefix = prefixOf(member.schema);
      const sent = prefix === undefined ? 'no-such-thing' : newId('request').replace(/^[a-z]+/, prefix);
      const error = await refusalOf(member, sent, await placeOf(member.endpoint));
      if (error?.code !== 'unknown_reference') continue;
      told.push(member.endpoint.id);
      expect([member.endpoint.id, error.detail]).toEqual([
        member.endpoint.id,
        expect.stringMatching(callOf(member)),
      ]);
      expect(error.detail).toContain(sent);
    }
    // Some references are only looked at together with other members; most are looked at in the example.
    expect(new Set(told).size).toBeGreaterThan(8);
  });

  it('names its list, or is an event type', async () => {
    const texts = members.filter(
      ({ where, schema }) => where === 'body' && schema.type === 'string' && schema.const === undefined,
    );
    const unmarked: string[] = [];
    let refused = 0;
    for (const member of texts) {
      const prefix = prefixOf(member.schema);
      const sent =
        prefix === undefined
          ? ['no-such-thing', 'no_such.thing']
          : [newId('request').replace(/^[a-z]+/, prefix)];
      const codes: string[] = [];
      for (const value of sent)
        codes.push((await refusalOf(member, value, await placeOf(member.endpoint)))?.code ?? '');
      if (!codes.some((code) => UNKNOWN.test(code))) continue;
      refused += 1;
      const isMarked = member.reference !== undefined || member.schema['x-event-type'] === true;
      if (!isMarked) unmarked.push(`${member.endpoint.id} ${pointerOf(member)}`);
    }
    expect(unmarked).toEqual([]);
    expect(refused).toBeGreaterThan(15);
  });

  it('does not name the list to a key that may not read it', async () => {
    const account = await createAccount(app.services.db);
    const whole = await createKey(app.services.db, account);
    const keys = '/flexible-vps/v1/ssh-keys';
    const { id } = (
      await app.call({
        method: 'POST',
        url: keys,
        key: whole.key,
        payload: {
          name: 'laptop',
          public_key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ9Jq0bE8nB6mZ2T5cH1yWqk3kYdEoZ4bWlqk0pGJv2Q',
        },
      })
    ).json<{ id: string }>();
    const permissions = ['flexible-vps:vms:write'];
    const narrow = await createKey(app.services.db, account, { permissions });
    const create = endpoints.find((each) => each.id === 'createVm')!;
    const send = async (key: string) =>
      (
        await app.call({
          method: 'POST',
          url: create.path,
          payload: { ...(bodyOf(create) as object), ssh_key_ids: ['laptop'] },
          key,
        })
      ).body;
    expect(await send(whole.key)).toContain(id);
    expect(await send(world.key.key)).not.toContain(id);
    const answer = await send(narrow.key);
    expect(answer).not.toContain(id);
    expect(answer).toContain('flexible-vps:ssh-keys:read');
  });
});
