import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AllowlistMode } from '../kernel/access/tables.ts';
import { newId } from '../kernel/ids.ts';
import type { Endpoint } from '../kernel/record.ts';
import { createKey } from '../testing/accounts.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { expectWellFormed, outcomeOf } from './answers.ts';
import { forgeKey } from './forged-keys.ts';
import { callTo, createWorld, endpoints, type World } from './walk.ts';

const INSIDE = '203.0.113.7';

let app: TestApp;

beforeAll(async () => {
  app = await createTestApp();
});

afterAll(() => app.close());

interface Entry {
  readonly cidr: string;
  readonly expires_at?: Date;
}

async function createGuardedWorld(mode: AllowlistMode, entries: readonly Entry[]): Promise<World> {
  const world = await createWorld(app);
  const { db } = app.services;
  const { id: account_id } = world.account;
  await db.insertInto('ip_allowlists').values({ account_id, mode }).execute();
  for (const entry of entries) {
    await db
      .insertInto('ip_allowlist_entries')
      .values({ id: newId('allowlist_entry'), account_id, created_by: 'a test', ...entry })
      .execute();
  }
  return world;
}

interface Denial {
  readonly operation_id: string;
  readonly count: number;
  readonly client_ip: string;
  readonly [member: string]: unknown;
}

async function denialsOf(world: World, from = INSIDE): Promise<Denial[]> {
  await app.services.denials.flush();
  const url = '/account/v1/key-denials?limit=200';
  return (await app.call({ url, key: world.key.key, remoteAddress: from })).json().data;
}

const success = (endpoint: Endpoint): string => String(endpoint.example.answer.status);

/** One call each from an address that is not on the list, made by someone who may do everything else. */
describe.each([
  { mode: 'off', refused: false, header: undefined },
  { mode: 'report_only', refused: false, header: 'would-deny' },
  { mode: 'enforce', refused: true, header: undefined },
] as const)('$mode, from outside the list', ({ mode, refused, header }) => {
  const outside = `198.51.100.${mode.length}`;
  let world: World;
  /** The same account without the list, through which the walk makes what it needs. */
  let maker: World;

  beforeAll(async () => {
    world = await createGuardedWorld(mode, [{ cidr: '203.0.113.0/24' }]);
    const call: TestApp['call'] = (options) => app.call({ ...options, remoteAddress: INSIDE });
    maker = { ...world, app: { ...app, call } };
  });

  const callFrom = (endpoint: Endpoint, remoteAddress: string) =>
    callTo(endpoint, { ...maker, app: { ...app, call: (o) => app.call({ ...o, remoteAddress }) } });

  it.each(endpoints)('$id', async (endpoint) => {
    const inside = await callFrom(endpoint, INSIDE);
    expect([endpoint.id, outcomeOf(inside), inside.headers['hostplane-allowlist']]).toEqual([
      endpoint.id,
      success(endpoint),
      undefined,
    ]);
    const params = /\{/.test(endpoint.path) ? { params: await paramsInside(endpoint) } : {};
    const response = await callTo(endpoint, world, { ...params, remoteAddress: outside });
    expect([endpoint.id, outcomeOf(response), response.headers['hostplane-allowlist']]).toEqual([
      endpoint.id,
      refused ? '403 ip_not_allowed' : success(endpoint),
      header,
    ]);
    if (!refused) {
      const { 'hostplane-allowlist': _, ...headers } = response.headers;
      expect([endpoint.id, Object.keys(headers).sort()]).toEqual([endpoint.id, Object.keys(inside.headers).sort()]);
      expect([endpoint.id, shapeOf(response.body)]).toEqual([endpoint.id, shapeOf(inside.body)]);
      return;
    }
    expectWellFormed(endpoint.id, response);
    expect(response.json()).toMatchObject({ client_ip: outside });
    expect(response.headers['x-required-permission']).toBe(endpoint.permission);
  });
});
