/** The examples of the OpenAPI document: requests are accepted, and problems are those that the endpoint answers with. */
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { families } from '../families/index.ts';
import { problems } from '../kernel/problems/catalogue.ts';
import { possibleProblems } from '../kernel/problems/possible.ts';
import type { ProblemBody } from '../kernel/problems/problem.ts';
import { convertQuery } from '../kernel/query-string.ts';
import { type Endpoint, isWrite } from '../kernel/record.ts';
import { buildRegistry } from '../kernel/registry.ts';
import { faultsOf } from '../kernel/validation.ts';
import { DryRun } from '../pipeline/dry-run-shape.ts';
import { queryShapeOf } from '../pipeline/input.ts';
import type { Operation, Parameter, Reference, Response } from '../surfaces/openapi/model.ts';
import { UNKNOWN_MEMBER } from '../surfaces/openapi/problem-examples.ts';
import { problemShape } from '../surfaces/openapi/problems.ts';
import { exampleDocument } from '../surfaces/openapi/snapshot.ts';
import { workshop } from '../testing/widgets.ts';
import { sample } from './sample.ts';
import { bodyOf, createWorld, endpoints, requestTo, type World } from './walk.ts';

const document = exampleDocument(buildRegistry([...families, workshop]));
const operations: readonly Operation[] = Object.values(document.paths).flatMap((item) => Object.values(item));

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(async () => {
  await world.app.close();
});

function operationOf({ id }: Endpoint): Operation {
  const found = operations.find(({ operationId }) => operationId === id);
  if (found === undefined) throw new Error(`The document lacks ${id}.`);
  return found;
}

function resolve<T>(part: T | Reference): T {
  if (part === null || typeof part !== 'object' || !('$ref' in part)) return part as T;
  const [, section = '', name = ''] = part.$ref.split('/').slice(1);
  return (document.components as unknown as Record<string, Record<string, T>>)[section]?.[name] as T;
}

/** Members that name something of the account, or that must be new: tests replace their values. */
const REPLACED = /(^|_)ids?$|^(name|confirm|public_key)$/;

/** The example with `*` for the values that tests replace. */
function masked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(masked);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, REPLACED.test(name) ? '*' : masked(part)]),
  );
}

describe('the example of', () => {
  it.each(sample(endpoints))('$id is accepted if its references exist', async (endpoint) => {
    const { example } = endpoint;
    const isDry = isWrite(endpoint);
    const query = { ...example.query, ...(isDry ? { dry_run: true } : {}) };
    const made = await requestTo(endpoint, world, { query });
    // Some fixtures send another body than the example, so that no operation has to download an image.
    const isExample = isDeepStrictEqual(masked(made.payload), masked(example.body));
    const request = isExample ? made : { ...made, payload: bodyOf(endpoint) as object };
    const answer = await world.app.call({ ...request, key: world.key.key });
    expect([answer.statusCode, answer.statusCode === 200 || answer.body]).toEqual([200, true]);
    const schema = isDry ? DryRun : endpoint.answers[200];
    if (schema) expect(faultsOf(schema, answer.json())).toEqual([]);
  });

  it.each(endpoints)('$id is complete in the document: parameters, body and answer', (endpoint) => {
    const { parameters, requestBody, responses } = operationOf(endpoint);
    const inPath = parameters.map((each) => resolve<Parameter>(each)).filter((each) => each.in === 'path');
    expect(inPath.filter((each) => each.example === undefined)).toEqual([]);
    const body = requestBody?.content['application/json'];
    expect(body?.example).toEqual(endpoint.example.body);
    const { status, body: answer } = endpoint.example.answer;
    const { content = {} } = resolve<Response>(responses[String(status)] as Response);
    const { example, examples = {} } = content['application/json'] ?? {};
    const [shared] = Object.values(examples).map((each) => resolve<{ value: unknown }>(each).value);
    const shown = example ?? shared ?? null;
    const declared = endpoint.answers[status];
    if (declared) expect(faultsOf(declared, shown)).toEqual([]);
    expect(shown === null).toBe(answer === null);
  });
});

describe('the two most likely problems of', () => {
  function shownBy(endpoint: Endpoint): [string, ProblemBody][] {
    return Object.entries(operationOf(endpoint).responses).flatMap(([status, response]) => {
      const { content = {} } = resolve<Response>(response);
      const { examples = {} } = content['application/problem+json'] ?? {};
      return Object.values(examples).map((each): [string, ProblemBody] => [
        status,
        resolve<{ value: ProblemBody }>(each).value,
      ]);
    });
  }

  it.each(endpoints)('$id are shown exactly as the API answers', (endpoint) => {
    const shown = shownBy(endpoint);
    expect(new Set(shown.map(([, { code }]) => code)).size).toBe(2);
    for (const [status, problem] of shown) {
      const { code } = problem;
      expect(possibleProblems(endpoint)).toContain(code);
      expect(faultsOf(problemShape, problem)).toEqual([]);
      const { title, next_step, extra = [], retryable = false } = problems[code];
      expect(problem).toMatchObject({ status: Number(status), title, next_step, retryable });
      expect(problems[code].status).toBe(Number(status));
      expect(extra.filter((name) => problem[name] === undefined)).toEqual([]);
    }
  });

  it.each(endpoints)('$id name fields that this endpoint checks', (endpoint) => {
    const errors = shownBy(endpoint).flatMap(([, { errors: faults }]) => faults);
    const body = { ...(endpoint.example.body as object), [UNKNOWN_MEMBER]: 'red' };
    const { values } = convertQuery(queryShapeOf(endpoint), { ...endpoint.example.query, limit: '1000000' });
    const refused = [
      ...(endpoint.body === undefined ? [] : faultsOf(endpoint.body, body)),
      ...faultsOf(queryShapeOf(endpoint), values, 'query'),
    ].map(({ pointer, code }) => ({ pointer, code }));
    for (const { pointer, code } of errors) expect(refused).toContainEqual({ pointer, code });
  });
});
