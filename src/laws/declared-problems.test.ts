/**
 * Endpoints answer with the problems that their records declare. This law provokes those that need nothing but the records:
 * names that are taken, limits that are reached and resources that are protected, so families need no tests of them.
 * `states.test.ts` provokes `invalid_state`, `references.test.ts` references to nothing, and `next-steps.test.ts` every other
 * code at least once.
 */
import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { membersOf } from '../kernel/managed-resource.ts';
import type { Endpoint } from '../kernel/record.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { exemptFrom } from './exemptions.ts';
import { collect } from './fixtures.ts';
import { outcomeOf } from './responses.ts';
import { aboutAll, sample } from './sample.ts';
import {
  callTo,
  createWorld,
  endpoints,
  type Params,
  paramNames,
  paramsFor,
  requestTo,
  takesNewNames,
  type World,
} from './walk.ts';
import { freshName } from './world.ts';

let app: TestApp;

beforeAll(async () => {
  app = await createTestApp();
});
afterAll(() => app.close());

const declaring = (code: Endpoint['problems'][number]): Endpoint[] =>
  endpoints.filter(({ problems }) => problems.includes(code));

const withRole = ({ resource }: Endpoint, role: string): Endpoint | undefined =>
  endpoints.find((each) => each.resource.name === resource.name && each.resource.role === role);

/** Creates another resource in the same place. Returns its id and name. */
async function makeAnother(endpoint: Endpoint, world: World, params: Params) {
  const creator = withRole(endpoint, 'create');
  if (creator === undefined) throw new Error(`Nothing creates what ${endpoint.id} names.`);
  const outer = Object.fromEntries(paramNames(creator).map((name) => [name, params[name] ?? '']));
  const answer = await callTo(creator, world, { params: outer });
  expect(answer.statusCode, answer.body).toBeLessThan(300);
  return answer.json<{ id: string; name: string }>();
}

describe.each(sample(declaring('name_taken')))('$id', (endpoint) => {
  it('409 name_taken: is refused with the id of the resource that has the name', async () => {
    const world = await createWorld(app);
    const params = await paramsFor(endpoint, world);
    const { id, name } = await makeAnother(endpoint, world, params);
    const { payload, ...request } = await requestTo(endpoint, world, { params });
    const answer = await app.call({
      ...request,
      payload: { ...(payload as object), name },
      key: world.key.key,
    });
    expect([outcomeOf(answer), answer.json().existing_id]).toEqual(['409 name_taken', id]);
  });
});

const otherRequests = [collect('counted'), collect('variations')];

/** Sets every limit to zero, also those of a single machine or network. */
async function leaveNoRoom({ account }: World): Promise<void> {
  const { db, provider } = app.services;
  const none = provider.catalogue.limits.map(({ id }) => ({
    account_id: account.id,
    limit_id: id,
    value: 0,
  }));
  await db
    .insertInto('account_limits')
    .values(none)
    .onConflict((conflict) => conflict.columns(['account_id', 'limit_id']).doUpdateSet({ value: 0 }))
    .execute();
}

/** Dry runs of the example and of its variations, without any room in the limits of the account. */
async function* triesWithoutRoom(endpoint: Endpoint): AsyncGenerator<LightMyRequestResponse> {
  const variations = otherRequests.flatMap((all) => Object.values(all[endpoint.id] ?? {}));
  for (const vary of [undefined, ...variations]) {
    const world = await createWorld(app);
    // A declaration counts only if it creates.
    const made = takesNewNames(endpoint) ? { id: freshName() } : await paramsFor(endpoint, world);
    const { params = made, body, query = endpoint.example.query } = (await vary?.(world, made)) ?? {};
    const request = await requestTo(endpoint, world, { params, query: { ...query, dry_run: true } });
    await leaveNoRoom(world);
    const payload = body === undefined ? {} : { payload: { ...(request.payload as object), ...body } };
    yield await app.call({ ...request, ...payload, key: world.key.key });
  }
}

/** The provider's file of tests has no limits for the test family. */
const limited = declaring('quota_exceeded').filter(({ family }) => family !== 'workshop');
const tooSpecial = exemptFrom('declaredLimits');

describe.each(sample(limited.filter(({ id }) => !tooSpecial.includes(id))))('$id', (endpoint) => {
  it('409 quota_exceeded: is refused if the account has no room', async () => {
    const outcomes: string[] = [];
    for await (const answer of triesWithoutRoom(endpoint)) {
      outcomes.push(outcomeOf(answer));
      if (outcomes.at(-1) === '409 quota_exceeded') break;
    }
    expect(outcomes).toContain('409 quota_exceeded');
  });
});

/** The calls of a resource that its update can protect. */
const guarded = declaring('resource_protected').filter((endpoint) => {
  const updater = withRole(endpoint, 'update');
  return updater !== undefined && 'protection' in membersOf(updater.body);
});

describe.each(sample(guarded))('$id', (endpoint) => {
  it('409 resource_protected: is refused if the resource is protected', async () => {
    const world = await createWorld(app);
    const params = await paramsFor(endpoint, world);
    const updater = withRole(endpoint, 'update')!;
    const own = Object.fromEntries(paramNames(updater).map((name) => [name, params[name] ?? '']));
    const members = Object.keys(membersOf(membersOf(updater.body)['protection']));
    const protection = Object.fromEntries(members.map((name) => [name, true]));
    const { url } = await requestTo(updater, world, { params: own });
    const changed = await app.call({
      method: updater.method,
      url,
      payload: { protection },
      key: world.key.key,
    });
    expect(changed.statusCode, changed.body).toBeLessThan(300);
    expect(outcomeOf(await callTo(endpoint, world, { params }))).toBe('409 resource_protected');
  });
});

it('the law tries endpoints of each of these problems', ({ skip }) => {
  aboutAll(skip);
  expect(limited.map(({ id }) => id)).toEqual(expect.arrayContaining([...tooSpecial]));
  expect(guarded.length).toBeGreaterThan(0);
});
