/** Every parameter of a path says which list has its values, and a call accepts the values of that list. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { families } from '../families/index.ts';
import type { Endpoint } from '../kernel/record.ts';
import { isWrite } from '../kernel/record.ts';
import type { Reference } from '../kernel/reference.ts';
import { buildRegistry } from '../kernel/registry.ts';
import type { Operation, Parameter } from '../surfaces/openapi/model.ts';
import { exampleDocument } from '../surfaces/openapi/snapshot.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { workshop } from '../testing/widgets.ts';
import { Filler } from './forms.ts';
import { sample } from './sample.ts';
import { createWorld, endpoints, type Params, paramNames, paramsFor, urlOf, type World } from './walk.ts';

const document = exampleDocument(buildRegistry([...families, workshop]));
const operations = new Map(
  Object.values(document.paths)
    .flatMap((item): Operation[] => Object.values(item))
    .map((operation) => [operation.operationId, operation]),
);

const isInPath = (parameter: Parameter | undefined): parameter is Parameter => parameter?.in === 'path';

/** By parameter of the path, in its order: what the published document says about its values. */
function referencesOf({ id }: Endpoint): [string, Reference | undefined][] {
  const parameters = (operations.get(id)?.parameters ?? []).map((each) =>
    '$ref' in each ? document.components.parameters[each.$ref.split('/').at(-1) ?? ''] : each,
  );
  return parameters
    .filter(isInPath)
    .map(({ name, schema }) => [name, schema['x-ref'] as Reference | undefined]);
}

const withPath = endpoints.filter((endpoint) => paramNames(endpoint).length > 0);

it('every path parameter has x-ref, with members of the rows and parameters of the list', () => {
  const wrong = withPath.flatMap((endpoint) =>
    referencesOf(endpoint).flatMap(([name, reference]) => {
      const list = endpoints.find(({ id }) => id === reference?.list);
      if (list === undefined || reference === undefined) return [`${endpoint.id} ${name}`];
      const body = (list.example.answer.body ?? {}) as Record<string, Record<string, unknown>[]>;
      const rows = body[(reference.in ?? '/data').slice(1)] ?? [];
      const filters = Object.keys(reference.filters ?? {});
      const isRight =
        rows.length > 0 &&
        rows.every((row) => reference.value in row && reference.label in row) &&
        filters.every((filter) => filter in list.query.properties || filter in list.params.properties) &&
        paramNames(list).every((each) => filters.includes(each));
      return isRight ? [] : [`${endpoint.id} ${name}: ${JSON.stringify(reference)}`];
    }),
  );
  expect(wrong).toEqual([]);
  expect(withPath.length).toBeGreaterThan(40);
});

let app: TestApp;
let world: World;
let filler: Filler;

/** A resource of every kind that a path names. */
beforeAll(async () => {
  app = await createTestApp();
  world = await createWorld(app);
  filler = new Filler(world);
  const places = withPath.map(({ path }) => path.slice(0, path.lastIndexOf('}') + 1));
  for (const path of new Set(places)) await paramsFor({ path: path as Endpoint['path'] }, world);
});

afterAll(() => app.close());

/** Of a long list, such as that of images, this many values from each end are tried. */
const VALUES_OF_AN_END = 2;

/** The values for the parameters of a path, as the lists offer them. */
async function offered(endpoint: Endpoint): Promise<Params[]> {
  let places: Params[] = [{}];
  for (const [name, reference] of referencesOf(endpoint)) {
    const next: Params[] = [];
    for (const params of places) {
      const values = await filler.candidates({ endpoint, params, title: '', choices: {} }, {}, reference!);
      next.push(...values.map((value) => ({ ...params, [name]: value })));
    }
    places = next;
  }
  return places.filter((_, i) => i < VALUES_OF_AN_END || i >= places.length - VALUES_OF_AN_END);
}

/** Refusals that are about the present state of something. Calls with a body are also refused for what they send. */
const OF_STATE = [
  'invalid_state',
  'not_cancellable',
  'not_releasable',
  'operation_in_progress',
  'resource_in_use',
  'vm_not_stopped',
  'webhook_disabled',
];

it('each value that the list offers is accepted by the call', async () => {
  const wrong: string[] = [];
  for (const endpoint of sample(withPath)) {
    const places = await offered(endpoint);
    if (places.length === 0) wrong.push(`${endpoint.id}: the list is empty`);
    for (const params of places) {
      const { body, query = {} } = endpoint.example;
      const answer = await app.call({
        method: endpoint.method,
        url: urlOf(endpoint, params, isWrite(endpoint) ? { dry_run: true } : query),
        ...(body === undefined ? {} : { payload: body as object }),
        key: world.key.key,
      });
      if (answer.statusCode < 300) continue;
      const { code, errors = [] } = answer.json<{ code: string; errors?: { pointer: string }[] }>();
      const isOfPath = code === 'not_found' || errors.some(({ pointer }) => pointer.startsWith('path/'));
      if (isOfPath || (body === undefined && !OF_STATE.includes(code)))
        wrong.push(`${endpoint.id} ${JSON.stringify(params)}: ${answer.body}`);
    }
  }
  expect(wrong).toEqual([]);
});
