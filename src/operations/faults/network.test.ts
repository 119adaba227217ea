import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Db, openDatabase, openPool } from '../../store/database.ts';
import { createAccount, createKey, type TestAccount } from '../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { type CuttableNetwork, openCuttableNetwork } from '../../testing/cuttable-network.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts';
import { allEnded, expectWhole } from '../../testing/final-tables.ts';
import { startMixed } from '../../testing/operations.ts';
import { createWidgetsTable } from '../../testing/widgets.ts';

/** Shorter than in production, and long enough for a statement on a busy machine. */
const ANSWER_MS = 2_000;
const WIDGETS = '/workshop/v1/widgets';

let database: TestDatabase;
/** Reaches the database past the network that is cut. */
let direct: Db;
let network: CuttableNetwork;
let account: TestAccount;
let key: string;

beforeAll(async () => {
  database = await createTestDatabase();
  direct = openDatabase(openPool({ ...database.connection, maxConnections: 2 }));
  await createWidgetsTable(direct);
  account = await createAccount(direct);
  key = (await createKey(direct, account)).key;
  network = await openCuttableNetwork(database.connection);
});
afterAll(async () => {
  await direct.destroy();
  await network.close();
  await database.drop();
});

const openApp = (works: boolean): Promise<TestApp> => {
  const connection = { ...network.connection, answerMs: ANSWER_MS };
  return createTestApp({ database: { ...database, connection }, works });
};

const create = (t: TestApp, name: string, headers: Record<string, string> = {}) =>
  t.call({ method: 'POST', url: WIDGETS, key, payload: { name, size: 1 }, headers });

const countOf = async (name: string): Promise<number> =>
  (await sql`select 1 from widgets where name = ${name}`.execute(direct)).rows.length;

type Answer = Awaited<ReturnType<TestApp['call']>>;

const outcome = (answer: Answer) => ({
  status: answer.statusCode,
  code: answer.json().code,
  retryAfter: answer.headers['retry-after'],
});
const UNAVAILABLE = { status: 503, code: 'engine_unavailable', retryAfter: '2' };

const isReady = async (t: TestApp): Promise<boolean> =>
  Object.values(await t.running.health.check()).every(({ status }) => status === 'ok');

describe('while the network to the database drops all packets', () => {
  let t: TestApp;

  beforeAll(async () => {
    t = await openApp(false);
  });
  afterEach(async () => {
    network.mend();
    await expect.poll(() => isReady(t)).toBe(true);
    // The audit entries of refused calls are written later; their commit must not be the one that the next test cuts.
    await t.services.audit.flush();
  });
  afterAll(() => t.close());

  it('a read in flight gets 503, and the next call after the cut is answered', async () => {
    const { id } = (await create(t, 'read')).json();
    const cut = network.cutAt(id);
    const [answer] = await Promise.all([t.call({ url: `${WIDGETS}/${id}`, key }), cut]);
    expect(outcome(answer)).toEqual(UNAVAILABLE);
    network.mend();
    expect((await t.call({ url: `${WIDGETS}/${id}`, key })).statusCode).toBe(200);
  });

  it('a write in flight gets 503 and changes nothing; repeated, it is made once', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const cut = network.cutAt('write-in-flight');
    const [answer] = await Promise.all([create(t, 'write-in-flight', headers), cut]);
    expect(outcome(answer)).toEqual(UNAVAILABLE);
    network.mend();
    expect(await countOf('write-in-flight')).toBe(0);
    await expect.poll(async () => (await create(t, 'write-in-flight', headers)).statusCode).toBe(201);
    expect(await countOf('write-in-flight')).toBe(1);
  });

  it.each([
    { lost: 'all', name: 'request-lost', made: 0 },
    { lost: 'answers', name: 'confirmation-lost', made: 1 },
  ] as const)(
    'a commit in flight gets 503 that says so; repeated, it is made once ($name)',
    async (given) => {
      const headers = { 'idempotency-key': randomUUID() };
      const cut = network.cutAt('commit', given.lost);
      const [answer] = await Promise.all([create(t, given.name, headers), cut]);
      expect(outcome(answer)).toEqual(UNAVAILABLE);
      expect(answer.json()).toMatchObject({
        detail: 'The database did not confirm this change. It may have been made or not.',
        next_step: expect.stringMatching(/same Idempotency-Key .* not made twice/),
      });
      expect(await countOf(given.name)).toBe(given.made);
      network.mend();
      await expect.poll(async () => (await create(t, given.name, headers)).statusCode).toBe(201);
      expect(await countOf(given.name)).toBe(1);
    },
  );

  it('a commit in flight without an Idempotency-Key says to look before repeating', async () => {
    const cut = network.cutAt('commit', 'answers');
    const [answer] = await Promise.all([create(t, 'without-key'), cut]);
    expect(outcome(answer)).toEqual(UNAVAILABLE);
    expect(answer.json().next_step).toMatch(/^Read the resource to see whether the change was made/);
  });

  it('a long-poll ends, instead of missing its notification', async () => {
    const held = t.call({ url: '/account/v1/events?since=now&wait=60', key });
    await expect.poll(() => t.services.waiters.size).toBe(1);
    network.cut();
    expect(outcome(await held)).toEqual(UNAVAILABLE);
    expect(t.services.waiters.size).toBe(0);
  });

  it('a call that waits for its operation still returns the 202 of its change', async () => {
    const url = '/workshop/v1/machines?wait=60';
    const held = t.call({ method: 'POST', url, key, payload: { name: 'awaited' } });
    await expect.poll(() => t.services.waiters.size).toBe(1);
    network.cut();
    const answer = await held;
    expect([answer.statusCode, answer.json().name]).toEqual([202, 'awaited']);
  });

  it('many calls at once all end with 503, and the pool is usable afterwards', async () => {
    await Promise.all(Array.from({ length: 20 }, () => t.call({ url: WIDGETS, key })));
    network.cut();
    const during = await Promise.all(Array.from({ length: 20 }, (_, i) => create(t, `flood-${i}`)));
    expect(during.map(outcome)).toEqual(during.map(() => UNAVAILABLE));
    network.mend();
    await expect.poll(async () => (await t.call({ url: WIDGETS, key })).statusCode).toBe(200);
  });

  it('/readyz answers, and says that the database does not', async () => {
    network.cut();
    await expect
      .poll(() => t.running.health.check())
      .toMatchObject({
        database: { status: 'down', detail: 'no answer; see the log' },
        writes: { status: 'down', detail: 'needs the database' },
      });
  });
});

it('operations of a worker end once, whatever the network swallowed meanwhile', async () => {
  const t = await openApp(true);
  try {
    const count = 40;
    await startMixed({ ...t, services: { ...t.services, db: direct } }, [account], count);
    for (const lost of ['answers', 'all', 'answers'] as const) {
      await network.cutAt('commit', lost);
      t.logged.length = 0;
      await expect.poll(() => t.logged.join('')).toMatch(/"level":"(warn|error)"/);
      network.mend();
    }
    await allEnded(direct);
    await expectWhole(direct, t.registry);
  } finally {
    network.mend();
    await t.close();
  }
});

it('a process that is cut off stops without waiting for the database', async () => {
  const t = await openApp(true);
  await expect.poll(() => isReady(t)).toBe(true);
  network.cut();
  await t.close();
  network.mend();
});
