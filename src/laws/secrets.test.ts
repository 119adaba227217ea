/**
 * A secret is shown once, in the answer that creates it, or by the one call that reads it. No log line, no other answer
 * and no database row contains it: not after calls with any kind of key, not with a key in a wrong place, and not after
 * an internal error.
 */
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { issueKey } from '../kernel/access/key-format.ts';
import type { Endpoint, SuccessStatus } from '../kernel/record.ts';
import { hasSecret } from '../kernel/serialise.ts';
import { queryShapeOf } from '../pipeline/input.ts';
import { createKey, type TestKey } from '../testing/accounts.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import type { JsonSchema } from '../testing/arbitrary.ts';
import { put } from './broken-input.ts';
import { forgeKey } from './forged-keys.ts';
import { expectWellFormed, outcomeOf } from './responses.ts';
import { aboutAll, sample } from './sample.ts';
import { ownersOfShownKeys } from './shown-keys.ts';
import { secretsIn } from './shown-secrets.ts';
import {
  bodyOf,
  createWorld,
  endpoints,
  paramNames,
  paramsFor,
  requestTo,
  takesNewNames,
  urlOf,
  type World,
} from './walk.ts';

let app: TestApp;
let world: World;
/** A valid key that the tests put into wrong places. No answer may repeat it. */
let planted: TestKey;
interface Shown {
  readonly by: Endpoint;
  /** Only a call that reads may show it in more than one answer. */
  readonly answers: ReadonlySet<string>;
}

/** All secrets, each with the answers that may contain it; null: no answer may. */
const secrets = new Map<string, Shown | null>();
const answers: string[] = [];

const remember = (key: string): string => {
  secrets.set(key.slice('hpk1_'.length + 13), null);
  return key;
};

beforeAll(async () => {
  app = await createTestApp();
  world = await createWorld(app);
  planted = await createKey(app.services.db, world.account);
  remember(world.key.key);
  remember(planted.key);
});

afterAll(() => app.close());

async function call(
  endpoint: Endpoint,
  options: InjectOptions & { key?: string },
): Promise<LightMyRequestResponse> {
  const response = await app.call(options);
  const text = JSON.stringify(response.headers) + response.body;
  const schema = endpoint.answers[response.statusCode as SuccessStatus] as JsonSchema | null | undefined;
  const isDry = response.statusCode < 300 && response.body.startsWith('{"dry_run"');
  const shown = schema && !isDry ? secretsIn(schema, response.json()) : [];
  for (const secret of shown) {
    const before = secrets.get(secret);
    const earlier = before?.by === endpoint && endpoint.access === 'read' ? before.answers : [];
    secrets.set(secret, { by: endpoint, answers: new Set([...earlier, text]) });
  }
  answers.push(text);
  return response;
}

describe.each(sample(endpoints))('$id', (endpoint) => {
  it('is called with keys of every status', async () => {
    const { db } = app.services;
    const bad = await Promise.all([
      createKey(db, world.account, { expires_at: new Date(0) }),
      createKey(db, world.account, { status: 'suspended' }),
      createKey(db, world.account, { status: 'revoked' }),
      createKey(db, world.account, { permissions: ['support:tickets:read'] }),
    ]);
    const keys = [
      world.key.key,
      ...bad.map(({ key }) => key),
      forgeKey(planted.publicId),
      issueKey().key,
      `${planted.key.slice(0, -1)}!`,
      `${planted.key}${planted.key}`,
      `${planted.key}, ${planted.key}`,
    ];
    const request = await requestTo(endpoint, world);
    for (const key of keys) {
      remember(key);
      await call(endpoint, { ...request, key });
    }
  });

  it('is called with an API key in places where none belongs', async () => {
    const { key } = planted;
    const request = await requestTo(endpoint, world);
    const elsewhere = (headers: Record<string, string>) =>
      call(endpoint, { ...request, key: world.key.key, headers });
    await call(endpoint, { ...request, headers: { authorization: `Bearer ${key}` } });
    await call(endpoint, { ...request, headers: { cookie: `key=${key}` } });
    for (const name of [
      'user-agent',
      'referer',
      'accept',
      'if-match',
      'if-none-match',
      'x-request-id',
      'host',
    ])
      await elsewhere({ [name]: key });
    for (const name of ['content-type', 'content-encoding', 'prefer', 'x-forwarded-for', 'origin'])
      await elsewhere({ [name]: key });
    await elsewhere({ 'user-agent': `${'x'.repeat(150)}${key}` });
    await elsewhere({ 'idempotency-key': key });
    const params = await paramsFor(endpoint, world);
    const queries = [...Object.keys(queryShapeOf(endpoint).properties), 'api_key', key];
    for (const name of queries) {
      const url = urlOf(endpoint, params, { [name]: key });
      await call(endpoint, { ...request, url, key: world.key.key });
      await call(endpoint, { ...request, url });
    }
    for (const name of paramNames(endpoint)) {
      await call(endpoint, {
        ...request,
        url: urlOf(endpoint, { ...params, [name]: key }),
        key: world.key.key,
      });
    }
    await call(endpoint, { method: endpoint.method, url: `${endpoint.path}/${key}` });
    await call(endpoint, { method: endpoint.method, url: `/${key}/${'a'.repeat(100)}${key}` });
    await call(endpoint, { method: endpoint.method, url: `/%zz/${key}` });
  });

  if (endpoint.body !== undefined) {
    it('is called with an API key anywhere in the body', async () => {
      const { key } = planted;
      const request = await requestTo(endpoint, world);
      const send = (payload: string) =>
        call(endpoint, {
          ...request,
          payload,
          key: world.key.key,
          headers: { 'content-type': 'application/json' },
        });
      for (const at of placesIn(endpoint.body as JsonSchema, [])) {
        await send(JSON.stringify(put(bodyOf(endpoint), at, key)));
        await send(JSON.stringify(put(bodyOf(endpoint), [...at, key], key)));
        await send(JSON.stringify(put(bodyOf(endpoint), at, [key])));
      }
      for (const text of [key, `"${key}"`, `{"a":${key}}`, `{"${key}":1,"${key}":2}`, `{"a":"${key}" "b"}`])
        await send(text);
      await send(JSON.stringify({ ...(bodyOf(endpoint) as object), labels: { env: key } }));
    });
  }

  if (endpoint.access !== 'read' && Object.values(endpoint.answers).some(hasSecret)) {
    it('shows its secrets once, and not in replays or dry runs', async () => {
      // A PUT by name shows the secret only when it creates the resource.
      const made = takesNewNames(endpoint) ? { params: { id: 'not-there-yet' } } : {};
      const request = { ...(await requestTo(endpoint, world, made)), key: world.key.key };
      await call(endpoint, { ...request, url: `${request.url}?dry_run=true` });
      const headers = { 'idempotency-key': `secrets-${endpoint.id}` };
      const first = await call(endpoint, { ...request, headers });
      const [secret] = secretsIn(
        endpoint.answers[first.statusCode as SuccessStatus] as JsonSchema,
        first.json(),
      );
      expect([secret?.length ?? 0, secrets.get(secret ?? '')]).toEqual([
        expect.any(Number),
        expect.objectContaining({ by: endpoint }),
      ]);
      await call(endpoint, { ...request, headers });
      await call(endpoint, { ...request, headers: { 'idempotency-key': 'another' } });
    });
  }

  it('shows an internal error only in the log', async () => {
    const marker = `marker-of-${endpoint.id}`;
    const request = { ...(await requestTo(endpoint, world)), key: world.key.key };
    const broken = vi
      .spyOn(endpoint as { handle: Endpoint['handle'] }, 'handle')
      .mockRejectedValue(
        Object.assign(new Error(`${marker} ${planted.key}`), { detail: `(${planted.key})` }),
      );
    const response = await call(endpoint, request).finally(() => broken.mockRestore());
    expect(outcomeOf(response)).toBe('500 internal_error');
    expectWellFormed(endpoint.id, response);
    expect(JSON.stringify(response.headers) + response.body).not.toContain(marker);
    expect(Object.keys(response.json()).sort()).toEqual(
      [
        'type',
        'title',
        'status',
        'detail',
        'instance',
        'code',
        'request_id',
        'next_step',
        'retryable',
        'errors',
      ].sort(),
    );
    const lines = app.logged.filter((line) => line.includes(marker));
    expect(lines.map((line) => JSON.parse(line).request_id)).toEqual([response.headers['x-request-id']]);
    expect(lines[0]).toContain(`hpk1_${planted.publicId}_***`);
  });
});

describe('after all these calls', () => {
  beforeAll(async () => {
    const { db, audit, denials, activity } = app.services;
    // Database errors quote the row that they failed on. The worst case is a row that contains a key.
    await sql
      .raw(
        `create function fail() returns trigger language plpgsql as $$ begin raise exception 'row % of ${planted.key}', new; end $$;
         create trigger fail before insert on widgets for each row execute function fail();`,
      )
      .execute(db);
    const payload = { name: 'fails', size: 1 };
    const response = await app.call({
      method: 'POST',
      url: '/workshop/v1/widgets',
      payload,
      key: world.key.key,
    });
    expect(response.statusCode).toBe(500);
    answers.push(response.body);
    await Promise.all([audit.flush(), denials.flush(), activity.flush()]);
  });

  const found = (text: string): string[] => [...secrets.keys()].filter((secret) => text.includes(secret));

  it('there are secrets to search for', ({ skip }) => {
    aboutAll(skip);
    expect([...secrets.values()].filter((shown) => shown !== null).length).toBeGreaterThan(0);
    expect(secrets.size).toBeGreaterThan(20);
    expect(app.logged.length).toBeGreaterThan(200);
  });

  it('no log line contains one', () => {
    expect(app.logged.filter((line) => found(line).length > 0)).toEqual([]);
  });

  it('no answer contains one except the answer that shows it', () => {
    const leaks = answers.filter((text) =>
      found(text).some((secret) => !secrets.get(secret)?.answers.has(text)),
    );
    expect(leaks).toEqual([]);
  });

  it('no answer contains the secret of a key, because only the portal creates and rolls keys', async () => {
    for (const text of answers) expect(await ownersOfShownKeys(app.services.db, text)).toEqual([]);
  });

  // Leaves out the sandbox tables: they are the machines, whose user data contains whatever their owners send.
  it('no row of any table contains one', async () => {
    const { db } = app.services;
    const tables = await sql<{ name: string }>`
      select tablename as name from pg_tables where schemaname = 'public' order by 1`.execute(db);
    const names = tables.rows.map(({ name }) => name).filter((name) => !name.startsWith('sandbox_'));
    expect(names).toEqual(
      expect.arrayContaining(['audit_entries', 'key_denials', 'idempotency_keys', 'api_keys']),
    );
    for (const name of names) {
      const { rows } = await sql<{ row: string }>`select t::text as row from ${sql.table(name)} t`.execute(
        db,
      );
      expect([name, rows.filter(({ row }) => found(row).length > 0)]).toEqual([name, []]);
    }
  });
});

/** The paths of all members of a body, outer members first. */
function placesIn(schema: JsonSchema, at: readonly string[]): string[][] {
  const [branch = schema] = (schema.anyOf ?? []).filter(({ type }) => type !== 'null');
  const inner = Object.entries(branch.properties ?? {}).flatMap(([name, member]) =>
    placesIn(member, [...at, name]),
  );
  const items = branch.items === undefined ? [] : placesIn(branch.items, [...at, '0']);
  return [...(at.length === 0 ? [] : [[...at]]), ...inner, ...items];
}
