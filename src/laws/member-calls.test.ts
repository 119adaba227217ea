/**
 * A member who calls an endpoint without an API key gets what a key with all rights of the role gets. What the role may do
 * only in person is refused to its keys.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allowsInPerson, type RoleName, roleNames } from '../kernel/access/roles.ts';
import type { Endpoint } from '../kernel/record.ts';
import { createAccount, createKey, createMember, type TestAccount } from '../testing/accounts.ts';
import { createTestApp } from '../testing/app.ts';
import { SignedIn } from '../testing/signed-in.ts';
import { outcomeOf } from './responses.ts';
import { sample } from './sample.ts';
import { createWorld, endpoints, probeOf, type World } from './walk.ts';

let world: World;
const members = new Map<RoleName, SignedIn>();
const keys = new Map<RoleName, string>();

beforeAll(async () => {
  world = await createWorld(await createTestApp({ portal: true }));
  const { db } = world.app.services;
  for (const role of roleNames) {
    members.set(role, await SignedIn.open(world.app, world.account.id, role));
    const owner_id = await createMember(db, world.account.id, role);
    keys.set(role, (await createKey(db, world.account, { owner_id })).key);
  }
});
afterAll(() => world.app.close());

/** A member has no key `self`, so both ask for the same key. */
function callOf(endpoint: Endpoint) {
  const { method, url, payload } = probeOf(endpoint);
  const body = payload === undefined ? {} : { payload };
  return { method, ...body, url: url.replace('/api-keys/self', `/api-keys/${world.key.id}`) };
}

describe('a call by each role gets the same answer as by a key of that role', () => {
  it.each(sample(endpoints))('$id', async (endpoint) => {
    const probe = callOf(endpoint);
    for (const role of roleNames) {
      const byKey = await world.app.call({ ...probe, key: keys.get(role) ?? '' });
      const response = await members.get(role)!.call(probe);
      const isInPerson = allowsInPerson(role, endpoint.permission);
      const likeKey = isInPerson
        ? [endpoint.id, role, '403 permission_denied']
        : [endpoint.id, role, outcomeOf(response)];
      expect([endpoint.id, role, outcomeOf(byKey)]).toEqual(likeKey);
      if (isInPerson) expect(outcomeOf(response)).not.toMatch(/^403/);
      if (response.statusCode !== 403) continue;
      expect(response.json()).toMatchObject({
        required_permission: endpoint.permission,
        denied_by: ['role'],
        detail: expect.stringMatching(`${endpoint.permission}.*role ${role}`),
        next_step: expect.stringMatching('owner or admin'),
      });
      expect(response.headers['x-required-permission']).toBe(endpoint.permission);
    }
  });
});

describe('a call in the name of another account answers 404', () => {
  let foreign: TestAccount;
  beforeAll(async () => {
    foreign = await createAccount(world.app.services.db);
  });

  it.each(sample(endpoints))('$id', async (endpoint) => {
    const owner = members.get('owner')!;
    for (const accountId of [foreign.id, 'acc_01jqzv2m7xe9rs5d3k8w4t6y0b', 'x'])
      expect([endpoint.id, outcomeOf(await owner.call({ ...callOf(endpoint), accountId }))]).toEqual([
        endpoint.id,
        '404 not_found',
      ]);
  });
});

describe('a sensitive call without a recent re-authentication is refused', () => {
  let stale: SignedIn;
  beforeAll(async () => {
    stale = await SignedIn.open(world.app, world.account.id, 'owner', { reauthenticated: false });
  });

  it.each(sample(endpoints.filter(({ sensitive }) => sensitive)))('$id', async (endpoint) => {
    const response = await stale.call(callOf(endpoint));
    expect([endpoint.id, outcomeOf(response)]).toEqual([endpoint.id, '403 reauthentication_required']);
  });
});
