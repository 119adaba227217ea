import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount, createKey, createMember, type TestKey } from '../testing/accounts.ts';
import { forgeKey, VECTOR } from './forged-keys.ts';
import { expectWellFormed, likeness, named, outcomeOf } from './responses.ts';
import { sample } from './sample.ts';
import { createWorld, endpoints, requestTo, urlOf, type WalkRequest, type World } from './walk.ts';

const CHALLENGE = 'ApiKey header="X-API-Key"';

let world: World;
/** Keys with the right secret that are refused all the same, each with the expected code. */
const shut: Record<string, { key: TestKey; code: string }> = {};

beforeAll(async () => {
  world = await createWorld();
  const { db } = world.app.services;
  const own = (overrides: Parameters<typeof createKey>[2]) => createKey(db, world.account, overrides);
  const past = new Date(Date.now() - 1000);
  const paused = await createMember(db, world.account.id, 'admin', 'suspended');
  const closed = await createAccount(db, { status: 'closed' });
  const stopped = await createAccount(db, { keys_suspended: true });
  Object.assign(shut, {
    expired: { key: await own({ expires_at: past }), code: 'api_key_expired' },
    suspended: { key: await own({ status: 'suspended' }), code: 'api_key_suspended' },
    revoked: { key: await own({ status: 'revoked' }), code: 'api_key_revoked' },
    'revoked and expired': {
      key: await own({ status: 'revoked', expires_at: past }),
      code: 'api_key_revoked',
    },
    'owner suspended': { key: await own({ owner_id: paused }), code: 'api_key_suspended' },
    'owner gone': { key: await own({ owner_id: null }), code: 'api_key_revoked' },
    'all keys suspended': { key: await createKey(db, stopped), code: 'api_key_suspended' },
    'account closed': { key: await createKey(db, closed), code: 'api_key_invalid' },
  });
});

afterAll(() => world.app.close());

interface Attempt {
  readonly headers?: Record<string, string | string[]>;
  readonly query?: string;
  readonly code: string;
}

function attempts(): Record<string, Attempt> {
  const { key, publicId } = world.key;
  const inHeader = (value: string | string[], code: string): Attempt => ({
    headers: { 'x-api-key': value },
    code,
  });
  const rightSecret = Object.entries(shut).map(([name, { key: held, code }]): [string, Attempt] => [
    name,
    inHeader(held.key, code),
  ]);
  const wrongSecret = Object.entries(shut).map(([name, { key: held }]): [string, Attempt] => [
    `${name}, wrong secret`,
    inHeader(forgeKey(held.publicId), 'api_key_invalid'),
  ]);
  const lastTurned = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
  return {
    'no key': { code: 'api_key_missing' },
    'empty header': inHeader('', 'api_key_missing'),
    'header twice': inHeader([key, key], 'api_key_missing'),
    'two keys': inHeader([key, VECTOR], 'api_key_missing'),
    'in the query': { query: `api_key=${key}&X-API-Key=${key}`, code: 'api_key_missing' },
    bearer: { headers: { authorization: `Bearer ${key}` }, code: 'bearer_not_supported' },
    'bearer in lower case': { headers: { authorization: `bearer ${key}` }, code: 'bearer_not_supported' },
    'by the name of our challenge': {
      headers: { authorization: `ApiKey ${key}` },
      code: 'bearer_not_supported',
    },
    'another scheme': { headers: { authorization: 'Basic dXNlcjpwYXNz' }, code: 'api_key_missing' },
    'bad checksum': inHeader(lastTurned, 'api_key_malformed'),
    'too short': inHeader(key.slice(0, 40), 'api_key_malformed'),
    'too long': inHeader(`${key}0`, 'api_key_malformed'),
    'wrong prefix': inHeader(forgeKey(publicId, 'hpk2'), 'api_key_malformed'),
    'with its scheme': inHeader(`Bearer ${key}`, 'api_key_malformed'),
    'not a key': inHeader('constructor', 'api_key_malformed'),
    'unknown public id': inHeader(forgeKey('NeverIssued0'), 'api_key_invalid'),
    'the reserved example': inHeader(VECTOR, 'api_key_invalid'),
    'wrong secret': inHeader(forgeKey(publicId), 'api_key_invalid'),
    ...Object.fromEntries([...rightSecret, ...wrongSecret]),
  };
}

function send(request: WalkRequest, { headers = {}, query }: Pick<Attempt, 'headers' | 'query'>) {
  const url =
    query === undefined ? request.url : `${request.url}${request.url.includes('?') ? '&' : '?'}${query}`;
  return world.app.call({ ...request, url, headers });
}

describe('without a valid key, every endpoint only answers why', () => {
  it.each(sample(endpoints))('401 $id', async (endpoint) => {
    const request = { method: endpoint.method, url: urlOf(endpoint, endpoint.example.params) };
    const cases = attempts();
    const seen: Record<string, string> = {};
    for (const [name, attempt] of Object.entries(cases)) {
      const response = await send(request, attempt);
      seen[name] = `${outcomeOf(response)} ${response.headers['www-authenticate']}`;
      expectWellFormed(`${endpoint.id}, ${name}`, response);
      expect([endpoint.id, name, response.headers['x-required-permission']]).toEqual([
        endpoint.id,
        name,
        undefined,
      ]);
    }
    const wanted = Object.entries(cases).map(([name, { code }]) => [name, `401 ${code} ${CHALLENGE}`]);
    expect(named(endpoint, seen)).toEqual(named(endpoint, Object.fromEntries(wanted)));
  });

  it.each(sample(endpoints))(
    '401 $id: an unknown id and a wrong secret get the same answer',
    async (endpoint) => {
      const url = urlOf(endpoint, endpoint.example.params);
      const call = (key: string) => world.app.call({ method: endpoint.method, url, key });
      const unknown = likeness(await call(forgeKey('NeverIssued1')));
      for (const { key } of [{ key: world.key }, ...Object.values(shut)]) {
        expect([endpoint.id, likeness(await call(forgeKey(key.publicId)))]).toEqual([endpoint.id, unknown]);
      }
    },
  );
});

describe('with a valid key', () => {
  it.each(sample(endpoints))(
    '$id accepts it, and ignores an Authorization header beside it',
    async (endpoint) => {
      const { key } = world.key;
      const plain = await send(await requestTo(endpoint, world), { headers: { 'x-api-key': key } });
      const both = await send(await requestTo(endpoint, world), {
        headers: { 'x-api-key': key, authorization: `Bearer ${VECTOR}` },
      });
      const { status } = endpoint.example.answer;
      expect([endpoint.id, outcomeOf(plain), outcomeOf(both)]).toEqual([
        endpoint.id,
        `${status}`,
        `${status}`,
      ]);
      expect(plain.headers['www-authenticate']).toBeUndefined();
      expectWellFormed(endpoint.id, plain);
    },
  );
});

it('401: a header that comes twice on a real connection is refused too', async () => {
  await world.app.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = world.app.app.server.address() as AddressInfo;
  const { key } = world.key;
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const headers = ['host', '127.0.0.1', 'connection', 'close', 'x-api-key', key, 'X-Api-Key', key];
    httpRequest({ port, host: '127.0.0.1', path: '/account/v1/whoami', headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    })
      .on('error', reject)
      .end();
  });
  expect(status).toBe(401);
});
