/** A POST that changes something can be repeated with its Idempotency-Key: the change happens once. */
import { randomUUID } from 'node:crypto';
import type { LightMyRequestResponse } from 'fastify';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { takesIdempotencyKey } from '../kernel/problems/possible.ts';
import type { Endpoint, SuccessStatus } from '../kernel/record.ts';
import { hasSecret, serialiseWithoutSecrets } from '../kernel/serialise.ts';
import { createKey } from '../testing/accounts.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import type { JsonSchema } from '../testing/arbitrary.ts';
import { expectWellFormed, outcomeOf } from './responses.ts';
import { rowsOf } from './rows.ts';
import { sample } from './sample.ts';
import { secretsIn } from './shown-secrets.ts';
import {
  createWorld,
  endpoints,
  paramsFor,
  probeOf,
  requestTo,
  type WalkRequest,
  type World,
} from './walk.ts';

let app: TestApp;
let world: World;

beforeAll(async () => {
  app = await createTestApp();
});

afterAll(() => app.close());

beforeEach(async () => {
  world = await createWorld(app);
});

async function send(request: WalkRequest, key: string, apiKey: string = world.key.key) {
  const response = await app.call({ ...request, headers: { 'idempotency-key': key }, key: apiKey });
  expectWellFormed(request.url, response);
  return response;
}

const isReplay = ({ headers }: LightMyRequestResponse): boolean => headers['idempotent-replayed'] === 'true';
const isFresh = (response: LightMyRequestResponse): boolean =>
  response.statusCode < 300 && response.headers['idempotent-replayed'] === undefined;

const stored = async (of: World = world): Promise<number> => (await rowsOf(of, 'idempotency_keys')).length;

/** Counts the audit entries of the endpoint: each effect writes exactly one entry. */
async function effectsOf(endpoint: Endpoint, of: World = world): Promise<number> {
  const entries = (await rowsOf(of, 'audit_entries')) as { action: string; outcome: string }[];
  return entries.filter(
    ({ action, outcome }) => action === endpoint.id && (outcome === 'succeeded' || outcome === 'accepted'),
  ).length;
}

const repeatable = endpoints.filter(takesIdempotencyKey);

it('at least one endpoint is tested', () => {
  expect(repeatable.length).toBeGreaterThan(0);
});

describe.each(sample(repeatable))('$id', (endpoint) => {
  const request = async (of: World = world): Promise<WalkRequest> =>
    requestTo(endpoint, of, { params: await paramsFor(endpoint, of) });

  it('answers a repeated request with the same answer, without its secrets', async () => {
    const same = await request();
    const key = randomUUID();
    const first = await send(same, key);
    expect([isFresh(first), await effectsOf(endpoint)]).toEqual([true, 1]);
    const schema = endpoint.answers[first.statusCode as SuccessStatus];
    for (let i = 0; i < 3; i++) {
      const again = await send(same, key);
      expect([again.statusCode, again.headers['idempotent-replayed']]).toEqual([first.statusCode, 'true']);
      for (const name of ['content-type', 'cache-control', 'etag', 'location', 'operation-location'])
        expect([name, again.headers[name]]).toEqual([name, first.headers[name]]);
      if (schema) {
        expect(again.json()).toEqual(JSON.parse(serialiseWithoutSecrets(schema, first.json())));
        if (hasSecret(schema)) expect(again.json().secret_returned_before).toBe(true);
        expect(secretsIn(schema as JsonSchema, again.json())).toEqual([]);
      }
    }
    expect(await effectsOf(endpoint)).toBe(1);
  });

  it('treats the same members in another order as the same request', async () => {
    const { payload, ...rest } = await request();
    const key = randomUUID();
    await send({ ...rest, ...(payload === undefined ? {} : { payload }) }, key);
    const turned = Object.fromEntries(Object.entries((payload ?? {}) as object).reverse());
    expect(
      isReplay(await send({ ...rest, ...(payload === undefined ? {} : { payload: turned }) }, key)),
    ).toBe(true);
  });

  it('refuses the key for another body or another call', async () => {
    const key = randomUUID();
    const first = await request();
    const before = await effectsOf(endpoint);
    expect(isFresh(await send(first, key))).toBe(true);
    // Sends the key of each endpoint to the next endpoint in the list, so each endpoint is tested in both roles.
    const next = repeatable[(repeatable.indexOf(endpoint) + 1) % repeatable.length]!;
    const others = [probeOf(next), ...(endpoint.body === undefined ? [] : [await request()])];
    for (const { url, ...other } of others) {
      const earnest = { ...other, url: url.replace(/[?&]dry_run=true/, '') };
      expect(outcomeOf(await send(earnest, key))).toBe('409 idempotency_key_conflict');
    }
    expect(await effectsOf(endpoint)).toBe(before + 1);
  });

  it('runs once if the repeat arrives while the first is still running', async () => {
    const rounds = 5;
    for (let round = 0; round < rounds; round++) {
      const same = await request();
      const key = randomUUID();
      const answers = await Promise.all(Array.from({ length: round === 0 ? 8 : 2 }, () => send(same, key)));
      expect(answers.filter(isFresh)).toHaveLength(1);
      for (const other of answers.filter((answer) => !isFresh(answer) && !isReplay(answer))) {
        expect(outcomeOf(other)).toBe('409 idempotency_in_progress');
        expect(Number(other.headers['retry-after'])).toBeGreaterThanOrEqual(1);
      }
      expect(isReplay(await send(same, key))).toBe(true);
    }
    expect(await effectsOf(endpoint)).toBe(rounds);
  });

  it('stores nothing for an answer without an effect', async () => {
    const same = await request();
    const key = randomUUID();
    const narrow = await createKey(app.services.db, world.account, { permissions: ['account:profile:read'] });
    const held = await createKey(app.services.db, world.account, { approval: 'writes' });
    const separator = same.url.includes('?') ? '&' : '?';
    const dry = { ...same, url: `${same.url}${separator}dry_run=true` };
    const wrong = { ...same, url: `${same.url}${separator}nothing-like-it=1` };
    expect(outcomeOf(await send(wrong, key))).toBe('422 validation_failed');
    expect(outcomeOf(await send(same, key, narrow.key))).toBe('403 permission_denied');
    expect(outcomeOf(await send(same, key, held.key))).toBe('409 approval_required');
    expect((await send(dry, key)).json()).toMatchObject({ dry_run: true });
    expect(await stored()).toBe(0);
    expect(isFresh(await send(same, key))).toBe(true);
    const afterwards = await send(dry, key);
    expect(isReplay(afterwards)).toBe(false);
    expect([await stored(), await effectsOf(endpoint)]).toEqual([1, 1]);
    // With a new key the same request may be refused, for example because the name is taken; it then has no effect.
    const second = await send(same, randomUUID());
    expect(await stored()).toBe(second.statusCode < 300 ? 2 : 1);
  });

  it('keeps the keys of accounts apart', async () => {
    const stranger = await createWorld(app);
    const key = randomUUID();
    expect(isFresh(await send(await request(), key))).toBe(true);
    const foreign = await request(stranger);
    const other = await app.call({ ...foreign, headers: { 'idempotency-key': key }, key: stranger.key.key });
    expect(isFresh(other)).toBe(true);
    expect([await effectsOf(endpoint), await effectsOf(endpoint, stranger)]).toEqual([1, 1]);
  });

  it('forgets the key after 24 hours, and not before', async () => {
    const key = randomUUID();
    const first = await request();
    await send(first, key);
    const age = (interval: string) =>
      sql`update idempotency_keys set created_at = now() - ${interval}::interval where key = ${key}`.execute(
        app.services.db,
      );
    await age('23 hours 59 minutes');
    expect(isReplay(await send(first, key))).toBe(true);
    await age('24 hours 1 second');
    const second = await request();
    expect(isFresh(await send(second, key))).toBe(true);
    expect(isReplay(await send(second, key))).toBe(true);
    expect([await stored(), await effectsOf(endpoint)]).toEqual([1, 2]);
  });

  it.each([
    ['the connection is lost', 'perform pg_terminate_backend(pg_backend_pid())', '503 engine_unavailable'],
    ['something fails', "raise exception 'no'", '500 internal_error'],
  ])('stores neither the effect nor the answer when %s before the commit', async (_, fault, expected) => {
    const same = await request();
    const key = randomUUID();
    await sql
      .raw(
        `create function fail() returns trigger language plpgsql as $$ begin ${fault}; perform pg_sleep(5); return new; end $$;
         create trigger fail before insert on idempotency_keys for each row execute function fail();`,
      )
      .execute(app.services.db);
    const failed = await send(same, key).finally(() =>
      sql`drop function fail() cascade`.execute(app.services.db),
    );
    expect(outcomeOf(failed)).toBe(expected);
    expect([await stored(), await effectsOf(endpoint)]).toEqual([0, 0]);
    expect(isFresh(await send(same, key))).toBe(true);
    expect(isReplay(await send(same, key))).toBe(true);
    expect([await stored(), await effectsOf(endpoint)]).toEqual([1, 1]);
  });
});

describe.each(sample(endpoints.filter((endpoint) => !takesIdempotencyKey(endpoint))))('$id', (endpoint) => {
  it('ignores an Idempotency-Key', async () => {
    const key = randomUUID();
    const set = await stored();
    const answers = [
      await send(await requestTo(endpoint, world), key),
      await send(await requestTo(endpoint, world), key),
    ];
    expect(answers.map(isFresh)).toEqual([true, true]);
    expect(await stored()).toBe(set);
  });
});
