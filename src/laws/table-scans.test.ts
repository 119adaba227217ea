/**
 * No statement of an endpoint reads the rows of other accounts. Every table whose rows belong to accounts must be
 * reached through an index, by the account, by an id, or by a column that refers to another such table. Otherwise the
 * call becomes slower with every tenant of the provider.
 *
 * Each statement is explained with the values that the endpoint sent, as if every table had millions of rows, and
 * without sequential scans, hash joins and merge joins. PostgreSQL then uses an index wherever one fits, so a plan that
 * still scans a table means that there is no such index. The result does not depend on how many rows a test writes.
 * (Whether the planner chooses the index with real statistics is measured by `npm run bench`.)
 */
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AccessCache } from '../kernel/access/cache.ts';
import type { Endpoint } from '../kernel/record.ts';
import { type Db, openDatabase, openPool } from '../store/database.ts';
import { createServer } from '../surfaces/http/server.ts';
import { createTestApp, freshAddress, type TestApp } from '../testing/app.ts';
import { filterQueries, sortsOf } from './list-queries.ts';
import { fill } from './rows.ts';
import { openPlanner, type Planner } from './table-scans.ts';
import { createWorld, endpoints, lists, type Query, requestTo, type World } from './walk.ts';

let app: TestApp;
let world: World;
let server: FastifyInstance;
let recorded: Db;
/** The values of each statement, and the endpoint that sent it first. */
const statements = new Map<string, { readonly sender: string; readonly values: readonly unknown[] }>();
let sender = '';

beforeAll(async () => {
  app = await createTestApp();
  world = await createWorld(app);
  await fill(world, 2, 'scan');
  await releaseAddress();
  recorded = openDatabase(openPool(app.database.connection), {
    log({ query: { sql, parameters } }) {
      if (sender !== '' && !statements.has(sql)) statements.set(sql, { sender, values: parameters });
    },
  });
  const access = new AccessCache(recorded, app.registry);
  access.up();
  server = createServer({ ...app.services, db: recorded, access });
});

afterAll(async () => {
  await recorded.destroy();
  await app.close();
});

/** PostgreSQL chooses among the indexes of addresses otherwise as long as the one for released addresses is empty. */
async function releaseAddress(): Promise<void> {
  const { rows } = await sql`
    update public_addresses set former_account_id = ${world.account.id}, quarantined_until = now() + interval '1 day'
    where id = (select id from public_addresses where account_id is null and kind = 'ephemeral' limit 1)
    returning id`.execute(app.services.db);
  expect(rows).toHaveLength(1);
}

/** A filter for something that does not exist may be refused; its statement was sent then too. */
const isAnswered = (status: number): boolean => status === 200 || status === 422;

async function send(endpoint: Endpoint, query?: Query): Promise<LightMyRequestResponse> {
  const request = await requestTo(endpoint, world, query === undefined ? {} : { query });
  sender = endpoint.id;
  const headers = { 'x-api-key': world.key.key };
  const response = await server.inject({ ...request, headers, remoteAddress: freshAddress() });
  sender = '';
  return response;
}

it.each(endpoints)('$id sends its statements', async (endpoint) => {
  const response = await send(endpoint);
  expect([endpoint.id, response.statusCode]).toEqual([endpoint.id, endpoint.example.answer.status]);
});

it.each(lists)('$id sends those of its filters and sorts', async (list) => {
  for (const query of [...filterQueries(list), ...sortsOf(list).map((sort) => ({ sort }))])
    expect([query, (await send(list, query)).statusCode]).toEqual([query, expect.toSatisfy(isAnswered)]);
});

describe('planned as if the tables were large', () => {
  let planner: Planner;

  beforeAll(async () => {
    planner = await openPlanner(app.database.connection);
  });
  afterAll(() => planner.close());

  it('none of them reads the rows of other accounts', async () => {
    const found = new Map<string, string>();
    for (const [text, { sender, values }] of statements)
      for (const table of await planner.findScans(text, values)) found.set(`${sender}: ${table}`, text);
    expect([...found.keys()], [...found.values()].join('\n')).toEqual([]);
  });

  it('a scan would be found, also one of an index', async () => {
    expect(await planner.findScans('select * from vms where name = $1', ['a'])).toEqual(['vms']);
    expect(await planner.findScans('select id from vms order by id limit $1', [1])).toEqual(['vms']);
    expect(await planner.findScans('select * from vms where account_id = $1', ['a'])).toEqual([]);
  });

  it('no list walks through the rows of other accounts, whatever account it is for', async () => {
    const pages = [...statements].filter(([text]) => text.includes('page_position'));
    const walks = await planner.findWalks(pages.map(([text]) => text));
    const walking = pages.filter((_, i) => walks[i] === true).map(([, { sender }]) => sender);
    expect([pages.length > 0, ...new Set(walking)]).toEqual([true]);
  });

  it('no deletion looks for the rows that refer to its own without an index', async () => {
    expect(await planner.findUnindexed()).toEqual([]);
  });
});
