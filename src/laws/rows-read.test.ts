/**
 * No request reads a number of rows that grows with the account, beyond its page. Each endpoint is called in a small
 * account and in one that has four times as many of everything; a write as a dry run, which makes the same reads. Lists
 * are called in each order and for the second page, but without filters: to find few rows, a filter without an index of
 * its own goes through all of the account.
 */
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AccessCache } from '../kernel/access/cache.ts';
import { type Endpoint, isWrite } from '../kernel/record.ts';
import { foldMeter } from '../money/metering/totals/folding.ts';
import { foldAllCounts } from '../resources/limits/kept/folding.ts';
import { type Db, openDatabase } from '../store/database.ts';
import { createServer } from '../surfaces/http/server.ts';
import { createTestApp, freshAddress, type TestApp } from '../testing/app.ts';
import { exemptFrom } from './exemptions.ts';
import { sortsOf } from './list-queries.ts';
import { fill } from './rows.ts';
import { openRowCounter, type RowCounter } from './rows-read.ts';
import { aboutAll, sample } from './sample.ts';
import { createWorld, endpoints, requestTo, type WalkRequest, type World } from './walk.ts';

const FEW = 10;
const MANY = 4 * FEW;
const PAGE = 5;
/** Statements of others are counted now and then, so only what is read every time belongs to the request. */
const TIMES = 3;

let app: TestApp;
let small: World;
let large: World;
let counter: RowCounter;
let db: Db;
let server: FastifyInstance;
/**
 * All are prepared before the first is sent, so that nothing changes between the small and the large account; also if
 * only some are tried, because the plans of PostgreSQL depend on the rows that are there.
 */
const requests = new Map<string, readonly WalkRequest[]>();

beforeAll(async () => {
  app = await createTestApp();
  [small, large] = [await createWorld(app), await createWorld(app)];
  await fill(small, FEW, 'small');
  await fill(large, MANY, 'large');
  await endOperations();
  for (const world of [small, large]) {
    await meter(world);
    for (const endpoint of endpoints)
      requests.set(`${endpoint.id} ${world.account.id}`, await prepare(endpoint, world));
  }
  await ageSums();
  await stopReports();
  counter = await openRowCounter(app.database);
  db = openDatabase(counter.pool);
  const access = new AccessCache(db, app.registry);
  access.up();
  server = createServer({ ...app.services, db, access });
}, 300_000);

afterAll(async () => {
  await db?.destroy();
  await counter?.close();
  await app.close();
});

const LINE = {
  sku: 'vps.flex-2-4',
  unit: 'hour',
  pace: 'hour',
  quantity: '1000000',
  billable: '1000000',
  // The monthly price is reached an hour and a half later.
  hourly: '3993333333333',
  monthly: '5990000',
};

/** Gives each resource a cost, and the account a budget that blocks. */
async function meter({ app: { services, call }, account, key }: World): Promise<void> {
  await sql`
    insert into meter_spans (account_id, resource_id, family, type, name, labels, priced_as, contract_months,
      is_stopped, configuration, lines, priced_at, started_at)
    select account_id, id, family, type, name, '{}', type, 1, false, '{}', ${JSON.stringify([LINE])}::jsonb, now(), now()
    from resources r where account_id = ${account.id}
      and not exists (select from meter_spans s where s.resource_id = r.id)`.execute(services.db);
  const payload = { amount: '10000000', scope: {}, thresholds: [{ percent: 100 }], action: 'block_new_cost' };
  const answer = await call({ method: 'PUT', url: '/account/v1/budgets/all', payload, key: key.key });
  expect(answer.statusCode).toBe(201);
}

/** A limit keeps it small how many operations have not ended. */
async function endOperations(): Promise<void> {
  await sql`
    update operations set status = 'succeeded', finished_at = now(), lease_owner = null
    where finished_at is null`.execute(app.services.db);
}

/** As if all costs had begun five minutes ago, and been added up since: what changed lately is read one by one. */
async function ageSums(): Promise<void> {
  const { db } = app.services;
  await sql`
    update meter_entries set at = at - interval '5 minutes', known_at = known_at - interval '5 minutes'`.execute(
    db,
  );
  await foldMeter(db);
  await foldAllCounts(db);
}

/** Otherwise each call, which comes from an address of its own, would add a row that getIpAllowlist reads. */
async function stopReports(): Promise<void> {
  await app.services.denials.flush();
  await app.services.db.updateTable('ip_allowlists').set({ mode: 'off' }).execute();
}

async function prepare(endpoint: Endpoint, world: World): Promise<readonly WalkRequest[]> {
  const { example, resource } = endpoint;
  if (resource.role !== 'list') {
    const query = { ...example.query, ...(isWrite(endpoint) ? { dry_run: true } : {}) };
    return [await requestTo(endpoint, world, { query })];
  }
  const first = await requestTo(endpoint, world, { query: { limit: PAGE } });
  const answer = await world.app.call({ ...first, key: world.key.key });
  const { next_cursor: cursor } = answer.json<{ next_cursor?: string | null }>();
  const others = sortsOf(endpoint).map((sort) => `sort=${sort}`);
  if (cursor) others.push(`cursor=${cursor}`);
  return [first, ...others.map((other) => ({ ...first, url: `${first.url}&${other}` }))];
}

/** The fewest rows of each table that one of several equal requests read. */
async function rowsFor(request: WalkRequest, world: World): Promise<Map<string, number>> {
  const headers = { 'x-api-key': world.key.key };
  const fewest = new Map<string, number>();
  for (let time = 0; time < TIMES; time++) {
    await counter.take();
    const answer = await server.inject({ ...request, headers, remoteAddress: freshAddress() });
    expect(answer.statusCode, answer.body).toBe(200);
    const rows = await counter.take();
    if (time === 0) for (const [table, count] of rows) fewest.set(table, count);
    for (const [table, count] of fewest) fewest.set(table, Math.min(count, rows.get(table) ?? 0));
  }
  return fewest;
}

/** Exempt for all endpoints. */
const boundedTables = exemptFrom('rowsRead').filter((subject) => !subject.includes(':'));
const found = new Set<string>();

it.each(sample(endpoints))(
  '$id reads as many rows in a large account as in a small one',
  async (endpoint) => {
    const ofSmall = requests.get(`${endpoint.id} ${small.account.id}`) ?? [];
    const ofLarge = requests.get(`${endpoint.id} ${large.account.id}`) ?? [];
    expect(ofLarge).toHaveLength(ofSmall.length);
    const growing: string[] = [];
    for (const [i, request] of ofLarge.entries()) {
      const few = await rowsFor(ofSmall[i]!, small);
      const many = await rowsFor(request, large);
      const grows = ([table, count]: [string, number], than: ReadonlyMap<string, number>): boolean =>
        count - (than.get(table) ?? 0) >= FEW;
      const more = [...many].filter((each) => grows(each, few));
      // The versions of rows that dry runs leave behind are read, too: what is read in the small account by now counts.
      const fewByNow = more.length === 0 ? few : await rowsFor(ofSmall[i]!, small);
      for (const [table, count] of more.filter((each) => grows(each, fewByNow))) {
        const name = boundedTables.includes(table) ? table : `${endpoint.id}: ${table}`;
        found.add(name);
        if (!exemptFrom('rowsRead').includes(name))
          growing.push(`${name}, ${few.get(table) ?? 0} and ${count} rows, ${request.url}`);
      }
    }
    expect(growing).toEqual([]);
  },
);

it('each exemption is still needed', ({ skip }) => {
  aboutAll(skip);
  expect([...found].sort()).toEqual(exemptFrom('rowsRead'));
});
