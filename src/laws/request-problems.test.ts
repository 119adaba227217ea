/**
 * The problems that follow from the form of a request (400, 406, 412, 413, 415) are named in `x-problem-codes`
 * of an operation if, and only if, a request to it is refused with them. Those of an Idempotency-Key are provoked by
 * `idempotency.test.ts`.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { families } from '../families/index.ts';
import type { ProblemCode } from '../kernel/problems/catalogue.ts';
import { buildRegistry } from '../kernel/registry.ts';
import { exampleDocument } from '../surfaces/openapi/snapshot.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { workshop } from '../testing/widgets.ts';
import { sample } from './sample.ts';
import { createWorld, endpoints, type Params, paramsFor, payloadOf, urlOf, type World } from './walk.ts';

let app: TestApp;
let named: ReadonlyMap<string, readonly string[]>;

beforeAll(async () => {
  app = await createTestApp();
  const { paths } = exampleDocument(buildRegistry([...families, workshop]));
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  named = new Map(operations.map((each) => [each.operationId, each['x-problem-codes']]));
});

afterAll(() => app.close());

const PROVOKED: readonly ProblemCode[] = [
  'malformed_request',
  'not_acceptable',
  'etag_mismatch',
  'payload_too_large',
  'unsupported_media_type',
];

describe.each(sample(endpoints))('$id', (endpoint) => {
  let world: World;
  let params: Params;

  beforeAll(async () => {
    world = await createWorld(app);
    params = await paramsFor(endpoint, world);
  });

  it('declares exactly the problems that its request form can cause', async () => {
    const { payload } = (await payloadOf(endpoint, world, params)) as { payload?: object };
    const json = payload === undefined ? {} : { payload };
    const text = (content: string, type = 'application/json') => ({
      payload: content,
      headers: { 'content-type': type },
    });
    const large = text(
      JSON.stringify({
        a: 'a'.repeat(endpoint.bodyLimitBytes ?? app.services.provider.server.body_limit_bytes),
      }),
    );
    const requests = [
      { ...json, headers: { accept: 'text/html' } },
      { ...json, headers: { 'if-none-match': 'abc' } },
      { ...json, headers: { 'if-match': '"of-no-version"' }, query: { dry_run: 'true' } },
      text('{'),
      text('{}', 'text/plain'),
      large,
    ];
    const codes = new Set<string>();
    for (const { query = {}, ...request } of requests as { query?: object }[]) {
      const asked = endpoint.method === 'GET' ? {} : query;
      const answer = await app.call({
        method: endpoint.method,
        url: urlOf(endpoint, params, { ...endpoint.example.query, ...asked }),
        key: world.key.key,
        ...request,
      });
      if (answer.statusCode >= 400) codes.add(answer.json<{ code: string }>().code);
    }
    const own = named.get(endpoint.id) ?? [];
    expect(PROVOKED.filter((code) => codes.has(code))).toEqual(PROVOKED.filter((code) => own.includes(code)));
  });
});
