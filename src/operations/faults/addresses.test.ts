/** Orders twice as many machines as there are public addresses, all at once, from two servers. */
import type { LightMyRequestResponse } from 'fastify';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { outcomeOf } from '../../laws/responses.ts';
import { createWorld, type World } from '../../laws/walk.ts';
import type { ProviderConfig } from '../../provider/schema.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts';
import { isLong } from '../../testing/long-form.ts';
import { settle } from '../../testing/operations.ts';
import { createWidgetsTable } from '../../testing/widgets.ts';

const ADDRESSES = isLong ? 1000 : 253;
const MACHINES = 2 * ADDRESSES;
/** More than the servers have connections, so that many requests wait for locks that other requests hold. */
const AT_ONCE = 100;
const ACCOUNTS = 8;
/** Without their network, gateway and broadcast addresses these ranges hold exactly `ADDRESSES` addresses. */
const RANGES = isLong
  ? [
      '198.18.0.0/23',
      '198.18.2.0/24',
      '198.18.3.0/25',
      '198.18.3.128/26',
      '198.18.3.192/27',
      '198.18.3.224/28',
      '198.18.3.240/29',
      '198.18.3.248/29',
    ]
  : ['198.18.0.0/24'];

let database: TestDatabase;
let servers: TestApp[];
let worlds: World[];

const narrow = (config: ProviderConfig): ProviderConfig => {
  const others = config.catalogue.address_pools.filter(
    ({ location, cidr }) => location !== 'fra1' || cidr.includes(':'),
  );
  const pools = RANGES.map((cidr, i) => ({
    slug: `narrow-${i}`,
    location: 'fra1',
    cidr,
    purpose: 'single' as const,
  }));
  return { ...config, catalogue: { ...config.catalogue, address_pools: [...others, ...pools] } };
};

beforeAll(async () => {
  database = await createTestDatabase();
  servers = [];
  for (let i = 0; i < 2; i++) servers.push(await createTestApp({ database, provider: narrow }));
  await createWidgetsTable(servers[0]!.services.db);
  worlds = [];
  for (let i = 0; i < ACCOUNTS; i++) worlds.push(await createWorld(servers[i % servers.length]));
});
afterAll(async () => {
  for (const server of servers) await server.close();
  await database.drop();
});

/**
 * Orders a machine. Retries while the server answers 503, because it was too busy, and while the transaction of a call
 * that was answered in this way has not ended yet.
 */
async function order(n: number): Promise<LightMyRequestResponse> {
  const { app, key } = worlds[n % worlds.length]!;
  const source = { type: 'image', image_id: 'ubuntu-24.04' };
  // With user data the machine needs no password, so the server does not have to hash one.
  const payload = {
    name: `rush-${n}`,
    location: 'fra1',
    plan: 'flex-1-1',
    source,
    user_data: '#cloud-config\n',
  };
  const headers = { 'idempotency-key': `rush-${n}` };
  for (;;) {
    const url = '/flexible-vps/v1/vms';
    const answer = await app.call({ method: 'POST', url, payload, headers, key: key.key });
    if (answer.statusCode !== 503 && outcomeOf(answer) !== '409 idempotency_in_progress') return answer;
  }
}

async function orderAll(count: number): Promise<LightMyRequestResponse[]> {
  const answers: LightMyRequestResponse[] = [];
  let next = 0;
  const customer = async (): Promise<void> => {
    while (next < count) answers.push(await order(next++));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, customer));
  return answers;
}

function tally(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

interface Held {
  readonly block: string;
  readonly vm_id: string | null;
}

async function readHeld(): Promise<Held[]> {
  const { rows } = await sql<Held>`
    select block::text as block, vm_id from public_addresses where account_id is not null and family(block) = 4
  `.execute(servers[0]!.services.db);
  return rows;
}

it(`${ADDRESSES} of ${MACHINES} machines get an address, the others are refused, and no address is shared`, async () => {
  const answers = await orderAll(MACHINES);
  expect(tally(answers.map(outcomeOf))).toEqual({
    '202': ADDRESSES,
    '409 capacity_unavailable': MACHINES - ADDRESSES,
  });
  const held = await readHeld();
  expect([held.length, new Set(held.map(({ block }) => block)).size]).toEqual([ADDRESSES, ADDRESSES]);
  const served = answers.filter(({ statusCode }) => statusCode === 202);
  expect(held.map(({ vm_id }) => vm_id).sort()).toEqual(
    served.map((answer) => answer.json<{ id: string }>().id).sort(),
  );
}, 600_000);

it('a released address goes to one more machine a week later', async () => {
  const [{ app, account, key }] = worlds as [World];
  const { db } = app.services;
  const vms = db.selectFrom('vms').select('id').where('account_id', '=', account.id);
  const { id } = await vms.limit(1).executeTakeFirstOrThrow();
  // Postpones the creation of the other machines: running a thousand of them adds nothing to this test.
  await sql`update operations set run_at = now() + interval '1 day' where resource_id <> ${id}`.execute(db);
  const url = `/flexible-vps/v1/vms/${id}`;
  expect((await app.call({ method: 'DELETE', url, key: key.key })).statusCode).toBe(202);
  await settle(app);
  // The account that gave it back could have it again; this is another one.
  expect(outcomeOf(await order(MACHINES + ACCOUNTS + 1))).toBe('409 capacity_unavailable');

  await sql`update public_addresses set quarantined_until = now() where quarantined_until > now()`.execute(
    db,
  );
  const late = await Promise.all([1, 2, 3].map((n) => order(MACHINES + n)));
  expect(tally(late.map(outcomeOf))).toEqual({ '202': 1, '409 capacity_unavailable': 2 });
  expect(new Set((await readHeld()).map(({ block }) => block)).size).toBe(ADDRESSES);
});
