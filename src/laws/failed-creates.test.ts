/**
 * What every call that creates a resource with an operation promises: `on_failure=delete` leaves nothing, and
 * `provisioned_at` says whether the resource ever came into being.
 */
import { setTimeout } from 'node:timers/promises';
import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Endpoint, isAsyncCreate, isWrite } from '../kernel/record.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { type Mishap, work } from './crashes.ts';
import { sample } from './sample.ts';
import { tablesWithoutHistory, tracesOf } from './table-traces.ts';
import {
  callTo,
  createWorld,
  endpoints,
  type Params,
  paramNames,
  paramsFor,
  probeOf,
  requestTo,
  urlOf,
  type World,
} from './walk.ts';

const creates = endpoints.filter(isAsyncCreate);

let app: TestApp;
let world: World;

beforeAll(async () => {
  app = await createTestApp({ works: false });
  world = await createWorld(app);
});
afterAll(() => app.close());

const failsAt = (place: 'start' | 'end', { operation }: Endpoint): Mishap => ({
  type: operation?.type ?? '',
  step: operation?.steps.at(place === 'start' ? 0 : -1)?.name ?? '',
  what: 'fails after the effect',
});

async function isPending(): Promise<boolean> {
  const { db } = app.services;
  const rows = await db.selectFrom('operations').select('id').where('finished_at', 'is', null).execute();
  return rows.length > 0;
}

/** Runs the workers once the call has started its operation, and returns the answer to the call. */
async function served(
  calling: Promise<LightMyRequestResponse>,
  mishaps: readonly Mishap[],
): Promise<LightMyRequestResponse> {
  const isAnswered = calling.then(() => true);
  while (!(await isPending()) && !(await Promise.race([isAnswered, setTimeout(2, false)])));
  await work(app, mishaps);
  return calling;
}

/** The resource as its read endpoint shows it, or else the list; undefined if it does not exist. */
async function shown(
  create: Endpoint,
  params: Params,
  id: string,
): Promise<Record<string, unknown> | undefined> {
  const { reader, idParam } = app.registry.finalReads.get(create.id)!;
  const url = urlOf(reader, idParam === null ? params : { ...params, [idParam]: id });
  const answer = await app.call({ method: 'GET', url, key: world.key.key });
  if (answer.statusCode === 404) return undefined;
  const body = answer.json<Record<string, unknown> & { data?: Record<string, unknown>[] }>();
  return reader.resource.role === 'list' ? body.data?.find((row) => row['id'] === id) : body;
}

const eventsAbout = async (id: string): Promise<string[]> => {
  const rows = await app.services.db
    .selectFrom('events')
    .select('type')
    .where('resource_id', '=', id)
    .orderBy('sequence')
    .execute();
  return rows.map(({ type }) => type);
};

async function tablesNaming(id: string): Promise<string[]> {
  return [...new Set(tablesWithoutHistory(await tracesOf(app, [id])))];
}

const deleterOf = ({ resource }: Endpoint): Endpoint =>
  endpoints.find((each) => each.resource.name === resource.name && each.resource.role === 'delete')!;

describe.each(sample(creates))('$id', (create) => {
  it('sets provisioned_at once the resource was created, and keeps it when a later change fails', async () => {
    const params = await paramsFor(create, world);
    const accepted = await callTo(create, world, { params });
    const { id, provisioned_at } = accepted.json<{ id: string; provisioned_at: unknown }>();
    expect([accepted.statusCode, provisioned_at]).toEqual([202, null]);
    await work(app);
    const made = (await shown(create, params, id))?.['provisioned_at'];
    expect(Date.parse(String(made))).toBeGreaterThan(0);
    const deleter = deleterOf(create);
    const [own = ''] = paramNames(deleter).toReversed();
    expect((await callTo(deleter, world, { params: { ...params, [own]: id } })).statusCode).toBe(202);
    // A later step of a deletion may come when the resource is already gone.
    await work(app, [failsAt('start', deleter)]);
    expect((await shown(create, params, id))?.['provisioned_at']).toBe(made);
  });

  it('leaves provisioned_at null if the creation failed and the resource is kept', async () => {
    const params = await paramsFor(create, world);
    const { id } = (await callTo(create, world, { params })).json<{ id: string }>();
    await work(app, [failsAt('end', create)]);
    expect((await shown(create, params, id))?.['provisioned_at'] ?? null).toBeNull();
  });

  it('with on_failure=delete returns the failure to a waiting call, and leaves nothing', async () => {
    const params = await paramsFor(create, world);
    const request = await requestTo(create, world, { params, query: { on_failure: 'delete' } });
    const send = (wait: object) =>
      app.call({ ...request, key: world.key.key, headers: { 'idempotency-key': create.id, ...wait } });
    const answer = await served(send({ prefer: 'wait=60' }), [failsAt('end', create)]);
    const { operation_id, ...problem } = answer.json<{ operation_id: string }>();
    expect([answer.statusCode, problem]).toMatchObject([
      502,
      { code: 'create_failed', operation_error: { code: 'engine_failed' } },
    ]);
    expect(String(answer.headers['operation-location'])).toContain(operation_id);
    const operation = await app.services.db
      .selectFrom('operations')
      .select(['status', 'error', 'resource_id'])
      .where('id', '=', operation_id)
      .executeTakeFirstOrThrow();
    expect(operation).toMatchObject({ status: 'failed', error: { code: 'engine_failed' } });
    const id = operation.resource_id ?? '';
    expect(await shown(create, params, id)).toBeUndefined();
    expect(await tablesNaming(id)).toEqual([]);
    const told = await eventsAbout(id);
    expect(told.at(-1)).toBe('operation.failed');
    if (app.registry.eventTypes.has(`${create.resource.name}.deleted`))
      expect(told).toContain(`${create.resource.name}.deleted`);
    const { instance: _, request_id: __, ...again } = (await send({ prefer: 'wait=60' })).json();
    expect({ operation_id, ...problem }).toMatchObject(again);
    expect((await send({})).statusCode).toBe(202);
    const { payload } = request;
    const repeated = await app.call({ ...request, ...(payload ? { payload } : {}), key: world.key.key });
    expect(repeated.statusCode, repeated.body).toBe(202);
    await work(app);
  });

  it('422: for a value of on_failure other than keep and delete', async () => {
    const request = probeOf(create);
    const url = `${request.url}&on_failure=retry`;
    const answer = await app.call({ ...request, url, key: world.key.key });
    expect([answer.statusCode, answer.json().errors]).toMatchObject([422, [{ pointer: 'query/on_failure' }]]);
  });
});

it('no other call accepts on_failure', async () => {
  const others = endpoints.filter((each) => isWrite(each) && !isAsyncCreate(each));
  for (const endpoint of sample(others)) {
    const request = probeOf(endpoint);
    const answer = await app.call({ ...request, url: `${request.url}&on_failure=keep`, key: world.key.key });
    expect([endpoint.id, answer.statusCode]).toEqual([endpoint.id, 422]);
  }
});
