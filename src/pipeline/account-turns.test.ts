import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createAccount, createKey } from '../testing/accounts.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { accountTurns } from './account-turns.ts';

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the turns of an account', () => {
  it('are taken in order, a few at a time, even if earlier ones failed', async () => {
    const turns = accountTurns(5);
    const begun: number[] = [];
    const ends: (() => void)[] = [];
    const all = Array.from({ length: 5 }, (_, i) =>
      turns.take('a', async () => {
        begun.push(i);
        await new Promise<void>((resolve, reject) => {
          ends.push(i % 2 === 0 ? resolve : () => reject(new Error(`${i}`)));
        });
        return i;
      }),
    );
    const settled = Promise.allSettled(all);
    await tick();
    expect(begun).toEqual([0, 1, 2]);
    expect(await turns.take('b', async () => 'not held up')).toBe('not held up');
    for (let next = 0; next < 5; next++) {
      ends[next]?.();
      await tick();
    }
    expect(begun).toEqual([0, 1, 2, 3, 4]);
    expect((await settled).map(({ status }) => status)).toEqual(
      [0, 1, 2, 3, 4].map((i) => (i % 2 === 0 ? 'fulfilled' : 'rejected')),
    );
  });

  it('time out, and later ones are still served', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const turns = accountTurns(1);
    let end = (): void => undefined;
    const first = turns.take('a', () => new Promise<void>((resolve) => (end = resolve)));
    const late = turns.take('a', async () => 'too late').catch((error: unknown) => error);
    vi.advanceTimersByTime(20_000);
    const patient = turns.take('a', async () => 'in time');
    vi.advanceTimersByTime(20_000);
    expect(await late).toMatchObject({ code: 'engine_unavailable', retryAfterSeconds: 5 });
    end();
    await first;
    expect(await patient).toBe('in time');
  });
});

describe('an account that sends many changes at once', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await createTestApp();
  });
  afterAll(() => t.close());

  it('has each of them made, and does not delay other accounts', async () => {
    const { db } = t.services;
    const [busy, other] = [await createAccount(db), await createAccount(db)];
    const [busyKey, otherKey] = [await createKey(db, busy), await createKey(db, other)];
    const change = (key: string, name: string) =>
      t.call({
        method: 'POST',
        url: '/flexible-vps/v1/placement-groups',
        key,
        payload: { name, policy: 'spread', location: 'fra1' },
      });
    expect((await change(busyKey.key, 'first')).statusCode).toBe(201);
    // Locks the account's audit chain, like a slow change would: no change of this account can commit.
    const held = db.transaction().execute(async (tx) => {
      await tx.selectFrom('audit_heads').selectAll().where('account_id', '=', busy.id).forUpdate().execute();
      const many = Array.from({ length: 40 }, (_, i) => change(busyKey.key, `hook-${i}`));
      const answer = await change(otherKey.key, 'hook');
      // Queries outside the locking transaction, which would see the same snapshot of pg_stat_activity each time.
      const waiting = async () => {
        const { rows } = await sql<{ waiting: number }>`
          select count(*)::int as waiting from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
        return rows[0]?.waiting;
      };
      await vi.waitFor(async () => expect(await waiting()).toBe(6));
      return { many, answer };
    });
    const { many, answer } = await held;
    expect(answer.statusCode, answer.body).toBe(201);
    const statuses = (await Promise.all(many)).map(({ statusCode }) => statusCode);
    expect(statuses.filter((status) => status === 503)).toEqual([]);
  });
});

describe('an account that sends many reads at once', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await createTestApp();
  });
  afterAll(() => t.close());

  it('has each of them answered, and leaves database connections to other accounts', async () => {
    const { db } = t.services;
    const [busyKey, otherKey] = [
      await createKey(db, await createAccount(db)),
      await createKey(db, await createAccount(db)),
    ];
    const read = (key: string, url: string) => t.call({ method: 'GET', url, key });
    const { many, answer } = await db.transaction().execute(async (tx) => {
      // As slow reads do it: each read of this table holds its connection.
      await sql`lock table placement_groups in access exclusive mode`.execute(tx);
      const many = Array.from({ length: 40 }, () => read(busyKey.key, '/flexible-vps/v1/placement-groups'));
      const waiting = async () => {
        const { rows } = await sql<{ waiting: number }>`
          select count(*)::int as waiting from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
        return rows[0]?.waiting;
      };
      await vi.waitFor(async () => expect(await waiting()).toBe(3), { timeout: 10_000 });
      return { many, answer: await read(otherKey.key, '/account/v1/operations') };
    });
    expect(answer.statusCode, answer.body).toBe(200);
    expect(new Set((await Promise.all(many)).map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
  });
});
