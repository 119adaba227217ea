import type { LightMyRequestResponse } from 'fastify';
import { type KyselyPlugin, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditEntry } from '../kernel/audit/entry.ts';
import { newId } from '../kernel/ids.ts';
import { isOfOnlyOne } from '../kernel/managed-resource.ts';
import { declares } from '../kernel/named/named.ts';
import { takesIdempotencyKey, takesIfMatch } from '../kernel/problems/possible.ts';
import { rateLimitResult } from '../kernel/rate-limit/port.ts';
import { type Endpoint, isWrite } from '../kernel/record.ts';
import { hasSecret } from '../kernel/serialise.ts';
import type { Services } from '../kernel/services.ts';
import { DRY_RUN_FORMAT } from '../pipeline/format.ts';
import { type Db, openDatabase, openPool } from '../store/database.ts';
import { createServer } from '../surfaces/http/server.ts';
import { resourceMark } from '../surfaces/openapi/resource-mark.ts';
import { createKey } from '../testing/accounts.ts';
import { freshAddress } from '../testing/app.ts';
import { forgeKey } from './forged-keys.ts';
import { outcomeOf } from './responses.ts';
import { sample } from './sample.ts';
import {
  callTo,
  createWorld,
  endpoints,
  goneParamsFor,
  paramNames,
  requestTo,
  type World,
  writes,
} from './walk.ts';

let world: World;
let nowhere: Db;
/** The same world on broken apps: without a database, with a bug in every query, and over the rate limit. */
let away: World;
let confused: World;
let tired: World;

beforeAll(async () => {
  world = await createWorld();
  const { db, limiter } = world.app.services;
  nowhere = openDatabase(openPool({ host: '127.0.0.1', port: 1, user: 'nobody', database: 'none' }));
  away = worldWith({ db: nowhere });
  confused = worldWith({ db: db.withPlugin(confusion) });
  const take = () => rateLimitResult(false, 200, 200, 1000);
  tired = worldWith({ limiter: { ...limiter, take } as Services['limiter'] });
});

afterAll(async () => {
  await nowhere.destroy();
  await world.app.close();
});

async function entriesOf(response: LightMyRequestResponse): Promise<AuditEntry[]> {
  const { db, audit } = world.app.services;
  await audit.flush();
  const { rows } = await sql<{ entry: AuditEntry }>`
    select entry from audit_entries where entry ->> 'request_id' = ${response.headers['x-request-id']}`.execute(
    db,
  );
  return rows.map(({ entry }) => entry);
}

async function countEntries(): Promise<number> {
  const { db, audit } = world.app.services;
  await audit.flush();
  const { rows } = await sql<{ count: number }>`select count(*) as count from audit_entries`.execute(db);
  return rows[0]?.count ?? 0;
}

/** The same world on an app in which these services are replaced. */
function worldWith(parts: Partial<Services>): World {
  const server = createServer({ ...world.app.services, ...parts });
  const call: World['app']['call'] = ({ key, headers, ...options }) =>
    server.inject({
      remoteAddress: freshAddress(),
      ...options,
      headers: { ...(key === undefined ? {} : { 'x-api-key': key }), ...headers },
    });
  return { ...world, app: { ...world.app, call } };
}

const confusion: KyselyPlugin = {
  transformQuery: () => {
    throw new Error('A handler met something it did not expect.');
  },
  transformResult: ({ result }) => Promise.resolve(result),
};

const keyWith = async (overrides: Parameters<typeof createKey>[2]): Promise<string> =>
  (await createKey(world.app.services.db, world.account, overrides)).key;

interface Case {
  readonly applies?: (endpoint: Endpoint) => boolean;
  readonly answer: string | ((endpoint: Endpoint) => string);
  call(endpoint: Endpoint): Promise<LightMyRequestResponse>;
}

const hasIds = (endpoint: Endpoint): boolean => paramNames(endpoint).length > 0;
const example = (endpoint: Endpoint) => endpoint.example.params ?? {};

/** Endpoints that leave an audit entry: every write, and every read that answers with a secret. */
const audited = endpoints.filter((e) => isWrite(e) || Object.values(e.answers).some(hasSecret));
const isSilent = (e: Endpoint): boolean => !audited.includes(e);

/** Calls with a valid key, each with its expected outcome. */
const known: Record<string, Case> = {
  done: {
    // The walk creates the resource before the call, so a PUT by name updates it and answers 200.
    answer: (e) => (declares(e) ? '200' : String(e.example.answer.status)),
    call: (e) => callTo(e, world),
  },
  'unknown parameter': {
    answer: '422 validation_failed',
    call: (e) => callTo(e, world, { params: example(e), query: { no_such_parameter: 1 } }),
  },
  'unreadable header': {
    answer: '400 malformed_request',
    call: (e) => callTo(e, world, { params: example(e), headers: { 'if-match': 'not quoted' } }),
  },
  'foreign format': {
    answer: '406 not_acceptable',
    call: (e) => callTo(e, world, { params: example(e), headers: { accept: 'text/html' } }),
  },
  'foreign media': {
    applies: ({ body }) => body !== undefined,
    answer: '415 unsupported_media_type',
    call: (e) =>
      callTo(e, world, {
        params: example(e),
        payload: 'size=3',
        headers: { 'content-type': 'text/plain' },
      }),
  },
  'no such thing': {
    applies: hasIds,
    answer: '404 not_found',
    call: async (e) => callTo(e, world, { params: await goneParamsFor(e, world) }),
  },
  'stale version': {
    applies: (e) => takesIfMatch(e) && hasIds(e),
    answer: '412 etag_mismatch',
    call: (e) => callTo(e, world, { headers: { 'if-match': '"stale"' } }),
  },
  'Idempotency-Key of another request': {
    applies: takesIdempotencyKey,
    answer: '409 idempotency_key_conflict',
    call: async (e) => {
      const headers = { 'idempotency-key': newId('request') };
      await callTo(e, world, { headers });
      return callTo(e, world, { headers });
    },
  },
  'permission missing': {
    answer: '403 permission_denied',
    call: async (e) => callTo(e, world, { params: example(e), key: await keyWith({ permissions: [] }) }),
  },
  'approval needed': {
    applies: isWrite,
    answer: '409 approval_required',
    call: async (e) => callTo(e, world, { key: await keyWith({ approval: 'writes' }) }),
  },
  'database away': {
    answer: '503 engine_unavailable',
    call: (e) => callTo(e, away, { params: example(e) }),
  },
  'our own fault': {
    answer: '500 internal_error',
    call: (e) => callTo(e, confused, { params: example(e) }),
  },
};

/** What another resource has exactly once has no id: the entry may name that resource. */
const typesOf = (endpoint: Endpoint): string[] => {
  const { name, parent } = resourceMark(endpoint, endpoints);
  return isOfOnlyOne(endpoint) && parent !== undefined ? [name, parent.name] : [endpoint.resource.name];
};

function wantedEntry(endpoint: Endpoint, response: LightMyRequestResponse) {
  const { statusCode: status } = response;
  const outcome =
    status < 400 ? (status === 202 ? 'accepted' : 'succeeded') : status < 500 ? 'rejected' : 'failed';
  return expect.objectContaining({
    action: endpoint.id,
    outcome,
    http_status: status,
    problem_code: status < 400 ? null : response.json().code,
    source: 'api',
    actor: expect.objectContaining({ kind: 'api_key', member_id: world.account.ownerId }),
    client_ip: expect.stringMatching(/^10\./),
    resource: status < 400 ? expect.objectContaining({ type: expect.toBeOneOf(typesOf(endpoint)) }) : null,
  });
}

describe('each write, and each read of a secret, of a known caller adds one audit entry, whatever its outcome', () => {
  describe.each(sample(audited))('$id', (endpoint) => {
    const cases = Object.entries(known).filter(([, { applies }]) => applies?.(endpoint) ?? true);
    it.each(cases)('%s', async (_, { answer, call }) => {
      const response = await call(endpoint);
      const wanted = typeof answer === 'string' ? answer : answer(endpoint);
      expect([endpoint.id, outcomeOf(response)]).toEqual([endpoint.id, wanted]);
      expect([endpoint.id, await entriesOf(response)]).toEqual([
        endpoint.id,
        [wantedEntry(endpoint, response)],
      ]);
    });
  });
});

describe('no audit entry is added by', () => {
  it.each(sample(endpoints.filter(isSilent)))(
    '$id, a read without a secret, whatever its outcome',
    async (endpoint) => {
      const params = await callTo(endpoint, world);
      const before = await countEntries();
      const outcomes = [
        params,
        await callTo(endpoint, world, { params: example(endpoint), query: { no_such_parameter: 1 } }),
        await callTo(endpoint, world, { params: example(endpoint), key: await keyWith({ permissions: [] }) }),
        await callTo(endpoint, away, { params: example(endpoint) }),
      ];
      for (const response of outcomes)
        expect([endpoint.id, await entriesOf(response)]).toEqual([endpoint.id, []]);
      expect([endpoint.id, await countEntries()]).toEqual([endpoint.id, before]);
    },
  );

  it.each(sample(writes))('$id as a dry run, allowed or refused', async (endpoint) => {
    const query = { dry_run: true };
    const granted = await callTo(endpoint, world, { query });
    expect([
      endpoint.id,
      granted.statusCode,
      granted.headers['content-type'],
      granted.json().dry_run,
    ]).toEqual([endpoint.id, 200, DRY_RUN_FORMAT, true]);
    const refused = [
      await callTo(endpoint, world, { params: example(endpoint), query: { ...query, no_such_parameter: 1 } }),
      await callTo(endpoint, world, {
        params: example(endpoint),
        query,
        key: await keyWith({ permissions: [] }),
      }),
    ];
    expect(refused.map(({ statusCode }) => statusCode)).toEqual([422, 403]);
    for (const response of [granted, ...refused]) {
      expect([endpoint.id, await entriesOf(response)]).toEqual([endpoint.id, []]);
    }
  });

  it.each(sample(writes.filter(takesIdempotencyKey)))(
    '$id replayed from its Idempotency-Key',
    async (endpoint) => {
      const headers = { 'idempotency-key': newId('request') };
      const request = { ...(await requestTo(endpoint, world)), headers, key: world.key.key };
      const first = await world.app.call(request);
      const again = await world.app.call(request);
      expect([endpoint.id, again.headers['idempotent-replayed']]).toEqual([endpoint.id, 'true']);
      expect([endpoint.id, (await entriesOf(first)).length, await entriesOf(again)]).toEqual([
        endpoint.id,
        1,
        [],
      ]);
    },
  );

  it.each(sample(audited))(
    '$id by an unknown caller, or refused before the caller is known',
    async (endpoint) => {
      const { db } = world.app.services;
      const guarded = await createWorld(world.app);
      await db
        .insertInto('ip_allowlists')
        .values({ account_id: guarded.account.id, mode: 'enforce' })
        .execute();
      const params = example(endpoint);
      const before = await countEntries();
      const responses = [
        await callTo(endpoint, world, { params, key: '' }),
        await callTo(endpoint, world, { params, key: 'no key' }),
        await callTo(endpoint, world, { params, key: forgeKey(world.key.publicId) }),
        await callTo(endpoint, world, { params, key: await keyWith({ status: 'revoked' }) }),
        await callTo(endpoint, world, { params, key: guarded.key.key }),
        await callTo(endpoint, tired, { params }),
      ];
      expect([endpoint.id, responses.map(outcomeOf)]).toEqual([
        endpoint.id,
        [
          '401 api_key_missing',
          '401 api_key_malformed',
          '401 api_key_invalid',
          '401 api_key_revoked',
          '403 ip_not_allowed',
          '429 rate_limited',
        ],
      ]);
      expect([endpoint.id, await countEntries()]).toEqual([endpoint.id, before]);
    },
  );
});
