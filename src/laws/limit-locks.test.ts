/**
 * Calls in parallel never exceed a limit, also if they create resources of different types. Two calls that count against
 * the same limit run at once, with room for one of them. Neither can commit before both have checked the limit or wait
 * for each other, so the result does not depend on luck.
 */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { families } from '../families/index.ts';
import type { Endpoint } from '../kernel/record.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { exemptFrom } from './exemptions.ts';
import type { Variant } from './fixture.ts';
import { collect } from './fixtures.ts';
import { outcomeOf } from './responses.ts';
import {
  createWorld,
  paramsFor,
  requestTo,
  takesNewNames,
  type WalkRequest,
  type World,
  writes,
} from './walk.ts';
import { freshName } from './world.ts';

const OFTEN = { interval: 10, timeout: 10_000 };

let app: TestApp;

beforeAll(async () => {
  app = await createTestApp();
});
afterAll(() => app.close());

interface Case {
  readonly title: string;
  readonly endpoint: Endpoint;
  readonly vary?: Variant;
}

const varied = [collect('counted'), collect('variations')];

const cases: readonly Case[] = writes
  .filter(({ problems, family }) => problems.includes('quota_exceeded') && family !== 'workshop')
  .flatMap((endpoint) => [
    { title: endpoint.id, endpoint },
    ...varied.flatMap((all) =>
      Object.entries(all[endpoint.id] ?? {}).map(([title, vary]) => ({
        title: `${endpoint.id} ${title}`,
        endpoint,
        vary,
      })),
    ),
  ]);

async function requestOf(world: World, { endpoint, vary }: Case): Promise<WalkRequest> {
  // A declaration counts only if it creates.
  const made = takesNewNames(endpoint) ? { id: freshName() } : await paramsFor(endpoint, world);
  const { params = made, body, query } = (await vary?.(world, made)) ?? {};
  const request = await requestTo(endpoint, world, { params, ...(query === undefined ? {} : { query }) });
  return body === undefined
    ? request
    : { ...request, payload: { ...(request.payload as object | undefined), ...body } };
}

const send = (world: World, request: WalkRequest) => app.call({ ...request, key: world.key.key });

const dry = (request: WalkRequest): WalkRequest => ({
  ...request,
  url: `${request.url}${request.url.includes('?') ? '&' : '?'}dry_run=true`,
});

const setLimit = ({ account }: World, value: number | null, limitId?: string) => {
  const update = app.services.db
    .updateTable('account_limits')
    .set({ value })
    .where('account_id', '=', account.id);
  return (limitId === undefined ? update : update.where('limit_id', '=', limitId)).execute();
};

/** The limits that the request counts against, each with the amount: those that refuse it if nothing is allowed. */
async function limitsOf(world: World, request: WalkRequest): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  await setLimit(world, 0);
  for (;;) {
    const answer = await send(world, dry(request));
    if (outcomeOf(answer) !== '409 quota_exceeded') break;
    const { limit_id, requested, used } = answer.json<Record<string, number> & { limit_id: string }>();
    if (found.has(limit_id)) break;
    found.set(limit_id, (used ?? 0) + (requested ?? 0));
    await setLimit(world, null, limit_id);
  }
  await setLimit(world, null);
  return found;
}

async function countWaiting(): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`
    select count(*)::int as waiting from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(app.services.db);
  return rows[0]?.waiting ?? 0;
}

/** Sends both while the account's audit chain is locked: each checks its limits, and none can commit. */
async function race(world: World, requests: readonly WalkRequest[]): Promise<string[]> {
  const { db } = app.services;
  const answers = await db.transaction().execute(async (tx) => {
    await tx
      .selectFrom('audit_heads')
      .selectAll()
      .where('account_id', '=', world.account.id)
      .forUpdate()
      .execute();
    const sent = requests.map((request) => send(world, request));
    await expect.poll(countWaiting, OFTEN).toBe(requests.length);
    return { sent };
  });
  return (await Promise.all(answers.sent)).map(outcomeOf).sort();
}

/** Runs both calls at once, with room for the larger of them. */
async function raceFor(limit: string, ...both: readonly [Case, Case]): Promise<string[]> {
  const world = await createWorld(app);
  const requests: WalkRequest[] = [];
  for (const each of both) requests.push(await requestOf(world, each));
  const needs: number[] = [];
  for (const request of requests) needs.push((await limitsOf(world, request)).get(limit) ?? 0);
  await setLimit(world, Math.max(...needs), limit);
  return race(world, requests);
}

/** By limit and endpoint: a case that counts against the limit. */
const callers = new Map<string, Map<string, Case>>();

describe('a limit of an account', () => {
  it('has endpoints that count against it, unless only portal acts do', async () => {
    for (const each of cases) {
      const world = await createWorld(app);
      for (const limit of (await limitsOf(world, await requestOf(world, each))).keys())
        callers.set(limit, (callers.get(limit) ?? new Map()).set(each.endpoint.id, each));
    }
    const counted = families.flatMap(({ resources = [], limitCounts = [] }) => [
      ...resources.flatMap(({ limit }) => limit ?? []),
      ...limitCounts.flatMap(({ limits }) => limits),
    ]);
    const known = app.services.provider.catalogue.limits.filter(({ scope }) => scope !== 'parent');
    const expected = known.map(({ id }) => id).filter((id) => counted.includes(id));
    expect([...callers.keys(), ...exemptFrom('limitsOfCalls')].sort()).toEqual([...new Set(expected)].sort());
  }, 120_000);

  it('is not exceeded by two concurrent calls, of the same or of different endpoints', async () => {
    const exceeded: string[] = [];
    for (const [limit, all] of callers)
      for (const [i, first] of [...all.values()].entries())
        for (const second of [...all.values()].slice(i)) {
          const outcomes = await raceFor(limit, first, second);
          if (!/^20\d,409 quota_exceeded$/.test(outcomes.join()))
            exceeded.push(`${limit}: ${first.title} ${outcomes[0]}, ${second.title} ${outcomes[1]}`);
        }
    expect(exceeded).toEqual([]);
  }, 300_000);
});
