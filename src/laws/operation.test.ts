/** An endpoint that starts an operation answers 202 with its address, and every operation kind is well-formed. */
import { setImmediate } from 'node:timers/promises';
import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { families } from '../families/index.ts';
import type { OperationView } from '../kernel/operations/schema.ts';
import type { Endpoint } from '../kernel/record.ts';
import { buildRegistry } from '../kernel/registry.ts';
import { isValid } from '../kernel/validation.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { workshop } from '../testing/widgets.ts';
import { work } from './crashes.ts';
import { exemptFrom } from './exemptions.ts';
import { addRowsTo } from './rows.ts';
import { sample } from './sample.ts';
import {
  callTo,
  createWorld,
  endpoints,
  type Params,
  paramsFor,
  requestTo,
  urlOf,
  type Variation,
  type World,
} from './walk.ts';

const registry = buildRegistry([...families, workshop]);
const starting = endpoints.filter(({ operation }) => operation !== undefined);

let app: TestApp;
let world: World;

beforeAll(async () => {
  app = await createTestApp({ works: false });
});
// Each test has an account of its own: what `work` checks takes longer with everything that the account ever had.
beforeEach(async () => {
  world = await createWorld(app);
});
afterAll(() => app.close());

interface Body {
  readonly id: string;
  readonly status: string;
  readonly etag?: string;
  readonly operation?: OperationView | null;
}

/** Calls the endpoint on resources that exist and have no unfinished operation. */
async function call(
  endpoint: Endpoint,
  more: Variation & { headers?: Record<string, string> } = {},
): Promise<LightMyRequestResponse> {
  const params = more.params ?? (await paramsFor(endpoint, world));
  await work(app);
  return callTo(endpoint, world, { ...more, params });
}

const operationsOf = async (): Promise<number> =>
  (
    await app.services.db
      .selectFrom('operations')
      .select('id')
      .where('account_id', '=', world.account.id)
      .execute()
  ).length;

/** The operation in an answer: the body itself, or its member `operation`. */
const operationIn = (body: Body): Pick<OperationView, 'id' | 'status'> =>
  body.operation === undefined || body.operation === null ? (body as OperationView) : body.operation;

/** Waits until the operation of the call is stored, or the call is answered without one. */
async function untilStarted(answering: Promise<unknown>, before: number): Promise<void> {
  let isAnswered = false;
  void answering.finally(() => {
    isAnswered = true;
  });
  while (!isAnswered && (await operationsOf()) === before) await setImmediate();
}

/** Reads the resource by its address in the inventory. Resources without an address of their own are picked from their list. */
async function readById({ resource, id }: Endpoint, outer: Params, own: string): Promise<Body | undefined> {
  const get = (url: string) => app.call({ method: 'GET', url, key: world.key.key });
  const path = registry.resourceTypes.get(resource.name)?.path;
  if (path?.endsWith('}')) {
    const answer = await get(path.replace('{id}', own).replace('{parent_id}', outer['id'] ?? ''));
    return answer.statusCode === 404 ? undefined : answer.json();
  }
  const { reader } = registry.finalReads.get(id)!;
  const { data } = (await get(urlOf(reader, outer))).json<{ data: Body[] }>();
  return data.find((row) => row.id === own);
}

/** Whether the state table of the resource says that the endpoint changes the resource but not its status. */
function leadsNowhere({ id, resource }: Endpoint): boolean {
  const lifecycles = registry.families.flatMap((family) => family.lifecycles ?? []);
  const own = lifecycles
    .filter((lifecycle) => lifecycle.resource === resource.name)
    .flatMap(({ transitions }) => transitions.filter(({ by }) => by.includes(id)));
  return own.length > 0 && own.every(({ to }) => to.length === 0);
}

/** The most rows that a page of a list has. */
const MOST_PER_PAGE = 200;

/** Whether a call that waits finds its resource in a list, because no endpoint reads it. */
const isFoundInList = ({ id, resource }: Endpoint): boolean =>
  resource.role !== 'delete' && registry.finalReads.get(id)?.reader.resource.role === 'list';

describe.each(sample(starting))('$id', (endpoint) => {
  it('answers 202 with the absolute URL of its operation, which ends and can be read there', async () => {
    const params = await paramsFor(endpoint, world);
    const answer = await call(endpoint, { params });
    expect(answer.statusCode).toBe(202);
    const body = answer.json<Body>();
    const { id, status } = operationIn(body);
    const location = String(answer.headers['operation-location']);
    expect(location).toBe(`${app.services.baseUrl}/account/v1/operations/${id}`);
    expect(['queued', 'running']).toContain(status);

    await work(app);
    const shown = await app.call({ method: 'GET', url: new URL(location).pathname, key: world.key.key });
    expect(shown.statusCode).toBe(200);
    expect(shown.json<OperationView>()).toMatchObject({ id, href: location, status: 'succeeded' });
    expect(shown.json<OperationView>().finished_at).not.toBeNull();

    if (body.operation === undefined) return;
    const after = await readById(endpoint, params, body.id);
    if (endpoint.resource.role === 'delete') return expect(after).toBeUndefined();
    expect(after).toMatchObject({ operation: null });
    const { status: rest, etag } = after!;
    if (leadsNowhere(endpoint)) expect([rest, etag === body.etag]).toEqual([body.status, false]);
    else expect(rest, 'the status while it was under way').not.toBe(body.status);
  });

  it('answers a waiting caller with the resource as it is after the operation', async () => {
    const params = await paramsFor(endpoint, world);
    const request = await requestTo(endpoint, world, { params });
    await work(app);
    const before = await operationsOf();
    const answering = app.call({ ...request, headers: { prefer: 'wait=60' }, key: world.key.key });
    await untilStarted(answering, before);
    await work(app);
    const answer = await answering;
    expect([answer.statusCode, answer.headers['preference-applied']], answer.body).toEqual([200, 'wait=60']);
    const body = answer.json<Body>();
    if (body.operation == null) return expect(body.status).toBe('succeeded');
    expect(body.operation).toMatchObject({ status: 'succeeded', resource: { id: body.id } });
    const now = await readById(endpoint, params, body.id);
    if (endpoint.resource.role === 'delete')
      return expect([now, body.status]).toEqual([undefined, 'deleted']);
    expect({ ...body, operation: null }).toMatchObject(now!);
  });

  if (isFoundInList(endpoint))
    it('answers a caller who waits with that resource also when its list has several pages', async () => {
      const params = await paramsFor(endpoint, world);
      const request = await requestTo(endpoint, world, { params });
      await work(app);
      const before = await operationsOf();
      const answering = app.call({ ...request, headers: { prefer: 'wait=60' }, key: world.key.key });
      await untilStarted(answering, before);
      await addRowsTo(
        registry.finalReads.get(endpoint.id)!.reader.path,
        world,
        params['id']!,
        MOST_PER_PAGE + 1,
      );
      await work(app);
      const body = (await answering).json<Body>();
      expect([body.operation?.status, body.status]).toEqual([
        'succeeded',
        expect.not.stringMatching('deleted'),
      ]);
    });

  it('starts one operation, however often the call is repeated', async () => {
    const params = await paramsFor(endpoint, world);
    await work(app);
    const headers = { 'idempotency-key': `law-${endpoint.id}` };
    const request = await requestTo(endpoint, world, { params });
    const before = await operationsOf();
    const first = await app.call({ ...request, headers, key: world.key.key });
    const again = await app.call({ ...request, headers, key: world.key.key });
    expect(again.statusCode).toBe(202);
    expect(again.headers['operation-location']).toBe(first.headers['operation-location']);
    expect(await operationsOf()).toBe(before + 1);
    await work(app);
  });

  it('starts nothing in a dry run', async () => {
    const params = await paramsFor(endpoint, world);
    await work(app);
    const request = await requestTo(endpoint, world, { params, query: { dry_run: true } });
    const before = await operationsOf();
    const answer = await app.call({ ...request, key: world.key.key });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['operation-location']).toBeUndefined();
    expect(await operationsOf()).toBe(before);
  });
});

it('every endpoint that answers 202 names the operation that it starts', () => {
  const nameless = endpoints.filter(({ answers, operation }) => 202 in answers && operation === undefined);
  expect(nameless.map(({ id }) => id).sort()).toEqual(exemptFrom('operationOfAccepted'));
});

it('every endpoint that starts an operation may answer 202', () => {
  expect(starting.filter(({ answers }) => !(202 in answers)).map(({ id }) => id)).toEqual([]);
});

describe.each([...registry.kinds.values()])('$type', (kind) => {
  it('has named steps, a strict input schema, a deadline and a family', () => {
    const names = [...kind.steps, ...(kind.undo ?? [])].map(({ name }) => name);
    expect(kind.steps.length).toBeGreaterThan(0);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => !/^[a-z][a-z-]*$/.test(name))).toEqual([]);
    expect(kind.type).toMatch(/^[a-z][a-z_-]*(\.[a-z][a-z_-]*)+$/);
    expect([null, { no_such_member: true }].map((input) => isValid(kind.input, input))).toEqual([
      false,
      false,
    ]);
    expect(kind.deadlineSeconds).toBeGreaterThan(0);
    expect(kind.typicalSeconds).toBeGreaterThan(0);
    expect(kind.typicalSeconds).toBeLessThanOrEqual(kind.deadlineSeconds);
    expect(registry.families.map(({ name }) => name)).toContain(kind.family);
  });

  it('cannot be cancelled if it destroys, and can be if it has undo steps', () => {
    if (kind.queue === 'destroy') expect(kind.cancellable).toBe(false);
    // The undo of a kind that creates its resource is also for `on_failure=delete`.
    if (kind.undo !== undefined && kind.erase === undefined) expect(kind.cancellable).toBe(true);
  });
});
