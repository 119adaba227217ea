import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RoleName, roleAllows, roleNames } from '../kernel/access/roles.ts';
import type { Endpoint } from '../kernel/record.ts';
import { createAccount, createKey, createMember, type TestKey } from '../testing/accounts.ts';
import { contractTriples } from './contract.ts';
import { expectWellFormed, named, outcomeOf } from './responses.ts';
import { isImplicit, isSensitive, mayOwn } from './role-ceilings.ts';
import { sample } from './sample.ts';
import { callTo, createWorld, endpoints, probeOf, type World } from './walk.ts';

const workshopTriples = [...new Set(endpoints.map(({ permission }) => permission))].filter(
  (permission) => !contractTriples.includes(permission),
);
const vocabulary = [...contractTriples, ...workshopTriples];

let world: World;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world.app.close());

const keysOf = new Map<string, Promise<TestKey>>();

/** Sends the probe of an endpoint with a key of the world's owner that has these patterns. Many endpoints share it. */
async function callWith(endpoint: Endpoint, permissions: string[]) {
  const made =
    keysOf.get(permissions.join()) ?? createKey(world.app.services.db, world.account, { permissions });
  keysOf.set(permissions.join(), made);
  return world.app.call({ ...probeOf(endpoint), key: (await made).key });
}

/** The outcome of the probe for a key with all permissions. It must reach the handler and pass all checks before. */
async function reachedOutcome(endpoint: Endpoint): Promise<string> {
  const outcome = outcomeOf(await world.app.call({ ...probeOf(endpoint), key: world.key.key }));
  expect([endpoint.id, outcome]).not.toEqual([endpoint.id, expect.stringMatching(/^(401|403|429|5)/)]);
  return outcome;
}

describe('a key without the permission of the endpoint is refused', () => {
  it.each(sample(endpoints))('$id', async (endpoint) => {
    const { permission } = endpoint;
    const response = await callWith(
      endpoint,
      vocabulary.filter((triple) => triple !== permission),
    );
    if (isImplicit(permission)) {
      expect([endpoint.id, outcomeOf(response)]).toEqual([endpoint.id, await reachedOutcome(endpoint)]);
      return;
    }
    expect([endpoint.id, outcomeOf(response), response.headers['x-required-permission']]).toEqual([
      endpoint.id,
      '403 permission_denied',
      permission,
    ]);
    expect(response.json()).toMatchObject({ required_permission: permission, denied_by: ['key'] });
    expect(response.json().detail).toContain(permission);
    expectWellFormed(endpoint.id, response);
  });
});

describe('a key with only the permission of the endpoint is accepted', () => {
  it.each(sample(endpoints))('$id', async (endpoint) => {
    const { permission } = endpoint;
    const [family, resource, verb] = permission.split(':');
    const other = vocabulary
      .map((triple) => triple.split(':'))
      .find(([f, r]) => f !== family && r !== resource);
    const otherVerb = verb === 'read' ? 'write' : 'read';
    const cases: Record<string, { patterns: string[]; allowed: boolean }> = {
      exact: { patterns: [permission], allowed: true },
      'whole family': { patterns: [`${family}:*:*`], allowed: true },
      'resource in any family': { patterns: [`*:${resource}:*`], allowed: true },
      'verb of anything': { patterns: [`*:*:${verb}`], allowed: true },
      'any verb': { patterns: [`${family}:${resource}:*`], allowed: true },
      everything: { patterns: ['*:*:*'], allowed: true },
      'other verb': { patterns: [`*:*:${otherVerb}`], allowed: false },
      'other family': { patterns: [`${other?.[0]}:*:*`], allowed: false },
      'other resource': { patterns: [`*:${other?.[1]}:*`], allowed: false },
      'no pattern': { patterns: [], allowed: false },
    };
    const seen: Record<string, string> = {};
    const reached = await reachedOutcome(endpoint);
    for (const [name, { patterns }] of Object.entries(cases)) {
      seen[name] = outcomeOf(await callWith(endpoint, patterns));
    }
    const wanted = Object.entries(cases).map(([name, { allowed }]) => [
      name,
      allowed || isImplicit(permission) ? reached : '403 permission_denied',
    ]);
    expect(named(endpoint, seen)).toEqual(named(endpoint, Object.fromEntries(wanted)));
  });
});

describe('the role of the owner limits a key', () => {
  const keys = new Map<RoleName, string>();

  beforeAll(async () => {
    const { db } = world.app.services;
    for (const role of roleNames) {
      const owner = await createMember(db, world.account.id, role);
      keys.set(role, (await createKey(db, world.account, { owner_id: owner })).key);
    }
  });

  it.each(sample(endpoints))('$id', async (endpoint) => {
    const { permission } = endpoint;
    const reached = await reachedOutcome(endpoint);
    for (const role of roleNames) {
      const response = await world.app.call({ ...probeOf(endpoint), key: keys.get(role) ?? '' });
      const mayCall = isImplicit(permission) || mayOwn(role, permission);
      expect([endpoint.id, role, outcomeOf(response)]).toEqual([
        endpoint.id,
        role,
        mayCall ? reached : '403 permission_denied',
      ]);
      if (!mayCall) expect(response.json().denied_by).toEqual(['role']);
    }
  });

  it.each(roleNames)('%s has the permissions that the conventions list', (role) => {
    const allowed = contractTriples.filter((triple) =>
      roleAllows(role, triple as Endpoint['permission'], isSensitive(triple)),
    );
    expect(allowed).toEqual(contractTriples.filter((triple) => mayOwn(role, triple)));
  });

  it.each(endpoints.filter(({ family }) => family !== 'workshop'))(
    '$id is marked as sensitive correctly',
    (endpoint) => {
      expect([endpoint.id, endpoint.sensitive ?? false]).toEqual([
        endpoint.id,
        isSensitive(endpoint.permission),
      ]);
    },
  );
});

describe('product and account status', () => {
  /** The calls that each account status still allows, written from the table of account statuses. */
  const calmed = {
    restricted: (endpoint: Endpoint) => endpoint.raisesCost !== true,
    suspended: ({ id, method, family }: Endpoint) =>
      method === 'GET' || method === 'DELETE' || id === 'cancelOperation' || family === 'support',
    closing: ({ method }: Endpoint) => method === 'GET' || method === 'DELETE',
  } as const;
  const statuses = Object.keys(calmed) as (keyof typeof calmed)[];

  let bare: string;

  beforeAll(async () => {
    const { db } = world.app.services;
    const account = await createAccount(db);
    await db
      .updateTable('account_products')
      .set({ enabled: false })
      .where('account_id', '=', account.id)
      .execute();
    bare = (await createKey(db, account)).key;
  });

  it.each(sample(endpoints))('$id without its product', async (endpoint) => {
    const params = endpoint.example.params ?? {};
    const response = await callTo(endpoint, world, { key: bare, params });
    if (endpoint.family === 'account') {
      expect([endpoint.id, response.statusCode]).not.toEqual([endpoint.id, 403]);
      return;
    }
    expect([endpoint.id, outcomeOf(response)]).toEqual([endpoint.id, '403 product_not_enabled']);
    expect(response.headers['x-required-permission']).toBe(endpoint.permission);
    expect(response.json()).toMatchObject({ family: endpoint.family, denied_by: ['product'] });
  });

  describe.each(statuses)('%s', (status) => {
    let key: string;

    beforeAll(async () => {
      const { db } = world.app.services;
      key = (await createKey(db, await createAccount(db, { status }))).key;
    });

    it.each(sample(endpoints))('$id', async (endpoint) => {
      const response = await callTo(endpoint, world, { key, params: endpoint.example.params ?? {} });
      if (calmed[status](endpoint)) {
        expect([endpoint.id, response.statusCode]).not.toEqual([endpoint.id, 403]);
        return;
      }
      const code = status === 'restricted' ? 'account_restricted' : 'account_suspended';
      expect([endpoint.id, outcomeOf(response)]).toEqual([endpoint.id, `403 ${code}`]);
      expect(response.headers['x-required-permission']).toBe(endpoint.permission);
      expect(response.json().denied_by).toEqual(['account_status']);
    });
  });

  it('403: with several reasons, the first in the order of the pipeline is the code, and all are named', async () => {
    const { db } = world.app.services;
    const account = await createAccount(db, { status: 'suspended' });
    const owner = await createMember(db, account.id, 'viewer');
    const key = await createKey(db, account, { owner_id: owner, permissions: ['account:profile:read'] });
    await db
      .updateTable('account_products')
      .set({ enabled: false })
      .where('account_id', '=', account.id)
      .execute();
    for (const endpoint of sample(endpoints).filter(
      (endpoint) =>
        endpoint.family !== 'account' && endpoint.method === 'POST' && !calmed.suspended(endpoint),
    )) {
      const response = await world.app.call({ ...probeOf(endpoint), key: key.key });
      expect([endpoint.id, outcomeOf(response), response.json().denied_by]).toEqual([
        endpoint.id,
        '403 account_suspended',
        ['key', 'role', 'product', 'account_status'],
      ]);
    }
  });
});
