/** The answer to an invalid request names all faults at once, by pointer and code, and the call changes nothing. */
import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { takesIdempotencyKey, takesIfMatch } from '../kernel/problems/possible.ts';
import { queryShapeOf } from '../pipeline/input.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import type { JsonSchema } from '../testing/arbitrary.ts';
import { type Breakage, breakagesOf, NOTHING, pointerTo, put, queryBreakagesOf } from './broken-input.ts';
import { expectWellFormed, outcomeOf } from './responses.ts';
import { accountTables, allRowsOf, rowsOf } from './rows.ts';
import { sample } from './sample.ts';
import {
  bodyOf,
  createWorld,
  endpoints,
  type Params,
  paramNames,
  paramsFor,
  takesNewNames,
  urlOf,
  type World,
} from './walk.ts';

let app: TestApp;

beforeAll(async () => {
  app = await createTestApp();
});

afterAll(() => app.close());

interface Sent {
  readonly params?: Params;
  readonly query?: readonly [string, string][];
  /** The body as text; default: the body of the example. */
  readonly text?: string;
  readonly headers?: Record<string, string>;
}

const namesIn = (response: LightMyRequestResponse): string[] =>
  response
    .json<{ errors: { pointer: string; code: string }[] }>()
    .errors.map((e) => `${e.pointer} ${e.code}`);

/** Describes the answer if it does not name the expected fault, or names a fault at another place. */
function misnamed(response: LightMyRequestResponse, pointer: string, code: string): string[] {
  if (outcomeOf(response) !== '422 validation_failed') return [`${pointer} ${code}: ${outcomeOf(response)}`];
  const names = namesIn(response);
  const strays = names.filter((name) => !name.startsWith(`${pointer} `));
  return names.includes(`${pointer} ${code}`) && strays.length === 0
    ? []
    : [`${pointer} ${code}: ${names.join(', ')}`];
}

const textOf = ({ value, at }: Breakage): [string, string] => [at[0] ?? '', String(value)];

describe.each(sample(endpoints))('$id', (endpoint) => {
  let world: World;
  let params: Params;
  let before: string[];
  /** The audit entries of creating the resources that the path names. */
  let setUp: ReadonlySet<string>;
  const body = endpoint.body as JsonSchema | undefined;
  const query = queryShapeOf(endpoint) as JsonSchema;
  const bodyBreakages = body === undefined ? [] : breakagesOf(body, []);

  const exampleText = (): string | undefined => {
    const content = bodyOf(endpoint);
    return content === undefined ? undefined : JSON.stringify(content);
  };

  async function send({ params: ids = params, query: pairs = [], text = exampleText(), headers }: Sent) {
    const search = new URLSearchParams([...pairs]).toString();
    const type: Record<string, string> = text === undefined ? {} : { 'content-type': 'application/json' };
    const response = await app.call({
      method: endpoint.method,
      url: `${urlOf(endpoint, ids)}${search === '' ? '' : `?${search}`}`,
      ...(text === undefined ? {} : { payload: text }),
      headers: { ...type, ...headers },
      key: world.key.key,
    });
    expectWellFormed(endpoint.id, response);
    return response;
  }

  /** All rows of the account, without the audit trail and the times of last use. */
  async function remember(): Promise<string[]> {
    const tables = (await accountTables(world)).filter((table) => !table.startsWith('audit_'));
    const found = await allRowsOf(world, tables);
    return found
      .flatMap(([, rows]) => rows)
      .map((row) => JSON.stringify(row, (name, value) => (name.startsWith('last_used_') ? null : value)))
      .sort();
  }

  beforeAll(async () => {
    world = await createWorld(app);
    params = await paramsFor(endpoint, world);
    before = await remember();
    setUp = new Set((await entriesOf(world)).map(({ id }) => id));
  });

  it('accepts the merge patch media type only in a PATCH', async () => {
    if (body === undefined) return;
    const headers = { 'content-type': 'application/merge-patch+json' };
    const outcome = outcomeOf(await send({ text: '{"no_such_member":1}', headers }));
    const expected = endpoint.method === 'PATCH' ? '422 validation_failed' : '415 unsupported_media_type';
    expect([endpoint.id, outcome]).toEqual([endpoint.id, expected]);
  });

  it('reports each invalid parameter', async () => {
    const wrong: string[] = [];
    for (const breakage of queryBreakagesOf(query)) {
      const response = await send({ query: [textOf(breakage)] });
      wrong.push(...misnamed(response, `query${pointerTo(breakage.named ?? breakage.at)}`, breakage.code));
    }
    expect(wrong).toEqual([]);
  });

  it('reports each parameter that is repeated or contains NUL', async () => {
    const wrong: string[] = [];
    for (const [name, member] of Object.entries(query.properties ?? {})) {
      const nul = await send({ query: [[name, 'a\0']] });
      wrong.push(...misnamed(nul, `query/${name}`, 'invalid_format').filter(() => member.type !== 'array'));
      if (member.type === 'array') expect([outcomeOf(nul), name]).toEqual(['422 validation_failed', name]);
      const value = String(member.enum?.[0] ?? member.default ?? (member.type === 'boolean' ? 'true' : 'a'));
      if (member.type !== 'array') {
        const twice = await send({
          query: [
            [name, value],
            [name, value],
          ],
        });
        wrong.push(...[`query/${name} not_unique`].filter((fault) => !namesIn(twice).includes(fault)));
      }
    }
    expect(wrong).toEqual([]);
  });

  it('reports each invalid member of the body', async () => {
    const wrong: string[] = [];
    for (const breakage of bodyBreakages) {
      const response = await send({
        text: JSON.stringify(put(bodyOf(endpoint), breakage.at, breakage.value)),
      });
      wrong.push(...misnamed(response, pointerTo(breakage.named ?? breakage.at), breakage.code));
    }
    expect(wrong).toEqual([]);
  });

  it('reports all faults at once', async () => {
    const onePerPlace = (found: readonly Breakage[]) => [
      ...new Map(found.filter(({ at }) => at.length === 1).map((one) => [at0(one), one])).values(),
    ];
    const inQuery = onePerPlace(queryBreakagesOf(query));
    const inBody = onePerPlace(bodyBreakages).filter(({ value }) => value !== NOTHING);
    const broken = inBody.reduce((value, one) => put(value, one.at, one.value), bodyOf(endpoint));
    const response = await send({
      query: inQuery.map(textOf),
      ...(body === undefined ? {} : { text: JSON.stringify(broken) }),
      headers: { 'idempotency-key': 'ü' },
    });
    expect(new Set(namesIn(response))).toEqual(
      new Set(
        [
          ...inQuery.map(({ at, named, code }) => `query${pointerTo(named ?? at)} ${code}`),
          ...inBody.map(({ at, named, code }) => `${pointerTo(named ?? at)} ${code}`),
          'header/Idempotency-Key invalid_format',
        ].concat(namesIn(response).filter((name) => sharesPlace(name, [...inQuery, ...inBody]))),
      ),
    );
  });

  if (body === undefined) {
    it('accepts no body', async () => {
      expect(outcomeOf(await send({ text: '{}' }))).toBe('400 malformed_request');
    });
  } else {
    it('refuses text that cannot be stored', async () => {
      for (const text of ['"a\\u0000"', '"\\ud800"', '"\\udc00\\ud800"']) {
        expect(outcomeOf(await send({ text: `{"name":${text}}` }))).toBe('400 malformed_request');
      }
    });
  }

  it.each(paramNames(endpoint))('404: under a %s that does not exist', async (name) => {
    // A PUT by name creates the resource if the name is unused, so an unused name does not answer 404.
    const names = takesNewNames(endpoint) ? [] : ['x', 'constructor'];
    const strange = [...names, 'a\0', '__proto__', 'a'.repeat(5000), 'É', '%', "'--"];
    const alike = [
      params[name]?.toUpperCase(),
      `${params[name]}0`,
      params[name]?.slice(0, -1),
      'acc_'.padEnd(30, '0'),
    ];
    for (const id of [...strange, ...alike]) {
      const response = await send({ params: { ...params, [name]: id ?? '' } });
      expect([id, outcomeOf(response)]).toEqual([id, '404 not_found']);
    }
  });

  it('refuses invalid headers', async () => {
    const cases: Record<string, string>[] = [
      { accept: 'text/html' },
      { accept: 'audio/*, application/json;q=0' },
      ...(takesIfMatch(endpoint)
        ? ['abc', '"a" "b"', '"a', 'W/a', '""""'].map((tag) => ({ 'if-match': tag }))
        : []),
      { 'if-none-match': 'abc' },
    ];
    const expected = cases.map((one) => ('accept' in one ? '406 not_acceptable' : '400 malformed_request'));
    const answers = await Promise.all(cases.map((headers) => send({ headers })));
    expect(answers.map(outcomeOf)).toEqual(expected);
  });

  if (takesIdempotencyKey(endpoint)) {
    it('refuses an invalid Idempotency-Key', async () => {
      for (const key of ['', 'ä', 'a\tb', 'k'.repeat(256), world.key.key]) {
        const response = await send({ headers: { 'idempotency-key': key } });
        expect(misnamed(response, 'header/Idempotency-Key', 'invalid_format')).toEqual([]);
      }
    });
  }

  it('has changed nothing but its refusals in the audit log', async () => {
    await app.services.audit.flush();
    expect(await remember()).toEqual(before);
    const own = (await entriesOf(world)).filter(({ id }) => !setUp.has(id));
    expect(own.filter(({ outcome }) => outcome !== 'rejected')).toEqual([]);
    expect(own.length > 0).toBe(app.registry.audited.has(endpoint.id));
  });
});

async function entriesOf(world: World): Promise<{ id: string; outcome: string }[]> {
  return (await rowsOf(world, 'audit_entries')) as { id: string; outcome: string }[];
}

const at0 = ({ at }: Breakage): string => at[0] ?? '';

/** A value can have a second fault at the same place. The answer may name the second fault, but does not have to. */
function sharesPlace(name: string, breakages: readonly Breakage[]): boolean {
  return breakages.some(({ at, named }) =>
    name.replace(/^query/, '').startsWith(`${pointerTo(named ?? at)} `),
  );
}
