/**
 * Sends random valid and invalid requests, generated from the record of each endpoint. No answer is a 5xx or a problem
 * that the endpoint does not declare, and valid requests reach the handler. A failure prints the seed to repeat it.
 */
import fc, { type Arbitrary } from 'fast-check';
import type { InjectOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { addressFaults } from '../kernel/chosen-addresses.ts';
import type { ProblemCode } from '../kernel/problems/catalogue.ts';
import { possibleProblems } from '../kernel/problems/possible.ts';
import { type Endpoint, isWrite } from '../kernel/record.ts';
import { queryShapeOf } from '../pipeline/input.ts';
import { defaultProvider } from '../testing/app.ts';
import { arbitraryOf, type JsonSchema, storable } from '../testing/arbitrary.ts';
import { isLong } from '../testing/long-form.ts';
import { demoTariff } from '../testing/tariff.ts';
import { type Breakage, breakagesOf, put, queryBreakagesOf } from './broken-input.ts';
import { expectWellFormed } from './responses.ts';
import { sample } from './sample.ts';
import {
  bodyOf,
  createWorld,
  endpoints,
  type Params,
  paramNames,
  paramsFor,
  urlOf,
  type World,
} from './walk.ts';

/** Requests for each endpoint. */
const RUNS = isLong ? 300 : 30;

let world: World;
/** The path ids of the last call, if the call changed nothing; then the next call uses the same resources. */
let untouched: Params | undefined;

beforeAll(async () => {
  world = await createWorld();
  // A call may wait up to a minute for a change. Nothing changes here, so waiting is switched off.
  world.app.services.waiters.close();
});

afterAll(() => world.app.close());

interface Made {
  readonly ids: Readonly<Record<string, string>>;
  readonly query: readonly (readonly [string, string])[];
  readonly body: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

async function send(endpoint: Endpoint, { ids, query, body, headers }: Made) {
  untouched ??= await paramsFor(endpoint, world);
  const params = { ...untouched, ...ids };
  const search = new URLSearchParams(query.map(([name, text]): [string, string] => [name, text])).toString();
  const request: InjectOptions = {
    method: endpoint.method,
    url: `${urlOf(endpoint, params)}${search === '' ? '' : `?${search}`}`,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { payload: body }),
  };
  const response = await world.app.call({ ...request, key: world.key.key });
  if (isWrite(endpoint) && response.statusCode < 300) untouched = undefined;
  expectWellFormed(endpoint.id, response);
  expect(response.statusCode).toBeLessThan(500);
  const { code } = response.statusCode < 400 ? { code: null } : response.json<{ code: ProblemCode }>();
  if (code !== null) expect(possibleProblems(endpoint)).toContain(code);
  return { response, code };
}

const asText = (value: unknown): string =>
  Array.isArray(value) ? value.map(String).join(',') : String(value);

/** A query separates the items of a list by commas, so an item cannot contain a comma. */
const isSayable = (value: unknown): boolean =>
  !Array.isArray(value) || !value.some((item) => String(item).includes(','));

function goodQuery(endpoint: Endpoint): Arbitrary<[string, string][]> {
  const { properties = {} } = queryShapeOf(endpoint) as JsonSchema;
  const names = Object.keys(properties);
  if (names.length === 0) return fc.constant([]);
  const members = Object.entries(properties).map(([name, schema]) => [
    name,
    arbitraryOf(schema).filter(isSayable),
  ]);
  return fc
    .record(Object.fromEntries(members) as Record<string, Arbitrary<unknown>>, { requiredKeys: [] })
    .map((chosen) => Object.entries(chosen).map(([name, value]): [string, string] => [name, asText(value)]));
}

/** Never uses the id `self`: it would revoke or change the key that all other calls use. */
function goodIds(endpoint: Endpoint): Arbitrary<Record<string, string>> {
  const { properties = {} } = endpoint.params as JsonSchema;
  const members = paramNames(endpoint).map((name) => [
    name,
    arbitraryOf(properties[name] ?? {}).filter((id) => id !== 'self'),
  ]);
  const other = fc.record(Object.fromEntries(members) as Record<string, Arbitrary<string>>);
  return fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: other });
}

function goodRequests(endpoint: Endpoint): Arbitrary<Made> {
  const body = endpoint.body as JsonSchema | undefined;
  return fc.record({
    ids: goodIds(endpoint),
    query: goodQuery(endpoint),
    body:
      body === undefined ? fc.constant(undefined) : arbitraryOf(body).map((value) => JSON.stringify(value)),
    headers: fc.record(
      {
        accept: fc.constantFrom('*/*', 'application/json', 'text/html, application/*;q=0.1'),
        'idempotency-key': fc.stringMatching(/^[\x20-\x7e]{1,255}$/).filter((key) => !key.includes('hpk1_')),
        'if-match': fc.constantFrom('*', '"a"', 'W/"a", "b"'),
        'if-none-match': fc.constantFrom('*', '"a"', '"a", "b"'),
        'user-agent': fc.string({ unit: 'grapheme-ascii' }),
      },
      { requiredKeys: [] },
    ),
  });
}

const header = fc.oneof(
  fc.stringMatching(/^[\x20-\x7e]{0,40}$/),
  fc.constantFrom('', ',', '"', 'W/', ';q=', '*', '0'),
);

function badRequests(endpoint: Endpoint): Arbitrary<Made> {
  const shape = queryShapeOf(endpoint) as JsonSchema;
  const names = [...Object.keys(shape.properties ?? {}), 'dry_run', '__proto__', 'constructor', 'x'];
  const strange = fc.tuple(fc.constantFrom(...names), fc.string({ unit: 'binary', maxLength: 60 }));
  const breakages = queryBreakagesOf(shape).map(({ at, value }: Breakage): [string, string] => [
    at[0] ?? '',
    asText(value),
  ]);
  const query = fc.oneof(
    goodQuery(endpoint),
    fc.array(fc.oneof(strange, fc.constantFrom(...breakages)), { maxLength: 5 }),
  );
  const schema = endpoint.body as JsonSchema | undefined;
  const broken = schema === undefined ? [] : breakagesOf(schema, []);
  const mend = (some: readonly Breakage[]): string =>
    JSON.stringify(some.reduce((whole: unknown, one) => put(whole, one.at, one.value), bodyOf(endpoint))) ??
    '';
  const text = fc.oneof(
    storable.map((value) => JSON.stringify(value)),
    fc.string({ unit: 'binary' }),
    fc.jsonValue().map((value) => `${JSON.stringify(value).slice(0, -1)}`),
  );
  const body: Arbitrary<string | undefined> = fc.oneof(
    fc.constant(undefined),
    text,
    ...(broken.length === 0
      ? []
      : [fc.array(fc.constantFrom(...broken), { minLength: 1, maxLength: 4 }).map(mend)]),
  );
  const ids = fc.record(
    Object.fromEntries(
      paramNames(endpoint).map((name) => [name, fc.string({ unit: 'binary', minLength: 1 })]),
    ) as Record<string, Arbitrary<string>>,
    { requiredKeys: [] },
  );
  const known = [
    'accept',
    'if-match',
    'if-none-match',
    'idempotency-key',
    'content-type',
    'content-encoding',
    'prefer',
  ];
  const headers = fc.dictionary(fc.constantFrom(...known), header, { maxKeys: 2, noNullPrototype: true });
  return fc.record({ ids: ids.map(withoutDots), query, body, headers });
}

/** Clients resolve `.` and `..` in a path themselves, so these never reach a route. */
function withoutDots(ids: { [name: string]: string | undefined }): Record<string, string> {
  const kept = Object.entries(ids).filter(([, id = '..']) => !/^(\.{1,2}|self)$/.test(id));
  return Object.fromEntries(kept) as Record<string, string>;
}

/** The rules for addresses that customers choose say more than the shapes; they are applied before the handler. */
function isAddressRefused({ body: shape }: Endpoint, { body }: Made): boolean {
  if (shape === undefined || body === undefined) return false;
  return addressFaults(shape, JSON.parse(body), world.app.services.egress).length > 0;
}

describe.each(sample(endpoints))('$id', (endpoint) => {
  // Each endpoint gets a new account, because every call that adds cost sums up all resources of its account.
  beforeAll(async () => {
    world = await createWorld(world.app);
    untouched = undefined;
  });

  it('accepts any input that its schemas allow', async () => {
    const handled = vi.spyOn(endpoint as { handle: Endpoint['handle'] }, 'handle');
    await fc.assert(
      fc.asyncProperty(goodRequests(endpoint), async (made) => {
        handled.mockClear();
        const { response, code } = await send(endpoint, made);
        // Only a repeat with a used Idempotency-Key is answered without the handler.
        const isRepeat =
          response.headers['idempotent-replayed'] === 'true' || code === 'idempotency_key_conflict';
        const isReached = handled.mock.calls.length > 0 || isRepeat || isAddressRefused(endpoint, made);
        expect({ reached: isReached, body: response.body }).toMatchObject({ reached: true });
      }),
      { numRuns: RUNS },
    );
    handled.mockRestore();
  });

  it('answers any other input with a declared problem', async () => {
    await fc.assert(
      fc.asyncProperty(badRequests(endpoint), async (made) => void (await send(endpoint, made))),
      { numRuns: RUNS },
    );
  });
});

describe('estimatePrice', () => {
  const estimate = endpoints.find(({ id }) => id === 'estimatePrice')!;
  const { catalogue } = defaultProvider();
  const locations = catalogue.locations.map(({ slug }) => slug);

  it.each([...demoTariff.types.keys()])('prices any valid configuration of %s', async (type) => {
    const words = fc.infiniteStream(fc.constantFrom(null, ...locations, ...slugsIn(catalogue)));
    const configuration = fc
      .tuple(arbitraryOf(demoTariff.types.get(type)?.configuration as JsonSchema), words)
      .map(([value, stream]) => withWords(value, stream));
    const items = fc.array(
      fc.record(
        {
          resource_type: fc.constant(type),
          configuration,
          quantity: fc.integer({ min: 1, max: 1000 }),
          hours_per_month: fc.integer({ min: 0, max: 730 }),
          usage: fc.dictionary(
            fc.constantFrom('traffic_out_gb', 'snapshot_gb', 'backup_gb', 'x', '__proto__'),
            fc.double({ min: 0, max: 1e9, noNaN: true }),
          ),
        },
        { requiredKeys: ['resource_type', 'configuration'] },
      ),
      { minLength: 1, maxLength: 2 },
    );
    await fc.assert(
      fc.asyncProperty(items, fc.subarray(locations), async (some, compare_locations) => {
        const body = JSON.stringify({ items: some, compare_locations });
        const { response } = await send(estimate, { ids: {}, query: [], body, headers: {} });
        expect([200, 422]).toContain(response.statusCode);
      }),
      { numRuns: 20 },
    );
  });
});

/** The slugs of everything in the catalogue. */
function slugsIn(value: unknown): string[] {
  if (value === null || typeof value !== 'object') return [];
  const own = 'slug' in value && typeof value.slug === 'string' ? [value.slug] : [];
  return [...own, ...Object.values(value).flatMap(slugsIn)];
}

/** Replaces some strings by slugs of the catalogue, because random strings never name a product that is sold. */
function withWords(value: unknown, words: fc.Stream<string | null>): unknown {
  if (typeof value === 'string') return words.next().value ?? value;
  if (Array.isArray(value)) return value.map((item) => withWords(item, words));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withWords(member, words)]));
}
