/** Two API processes behind one proxy, with a Redis that hangs, is killed or answers, while clients attack them. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { issueKey } from './kernel/access/key-format.ts';
import { LIMIT } from './kernel/rate-limit/port.ts';
import { revokeKey } from './portal-api/keys/life.ts';
import { codeAt, stepAt } from './portal-api/people/totp/totp.ts';
import { createAccount, createKey, type TestAccount, type TestKey } from './testing/accounts.ts';
import {
  type Answer,
  type ApiProcesses,
  type Asked,
  ask,
  startApiProcesses,
} from './testing/api-processes.ts';
import { createTestApp, type TestApp } from './testing/app.ts';
import { allEnded } from './testing/final-tables.ts';
import { createPerson, ORIGIN, PASSWORD } from './testing/people.ts';
import { staff } from './testing/portal.ts';
import { findRedis, NO_REDIS, startRedis, type TestRedis } from './testing/redis.ts';

const isHere = findRedis() !== undefined;
const PROCESSES = 2;
const AT_ONCE = 200;
const PATIENCE = { timeout: 120_000 };
const BROWSER = { host: new URL(ORIGIN).host, origin: ORIGIN };

describe.skipIf(!isHere)(
  isHere ? 'API processes under attack' : `API processes under attack: ${NO_REDIS}`,
  () => {
    let redis: TestRedis;
    let app: TestApp;
    let api: ApiProcesses;
    let account: TestAccount;
    let key: TestKey;
    let other: TestKey;

    beforeAll(async () => {
      redis = (await startRedis())!;
      app = await createTestApp({ works: true, serves: false });
      const { db } = app.services;
      account = await createAccount(db);
      key = await createKey(db, account);
      other = await createKey(db, await createAccount(db));
      const environment = { HOSTPLANE_REDIS_URL: redis.url };
      api = await startApiProcesses(app.database, { count: PROCESSES, environment });
      await untilRateLimitIs('ok');
    });
    afterAll(async () => {
      await api?.close();
      await app?.close();
      await redis?.stop();
    });

    let lastAddress = 0;
    /** Another client of the proxy: addresses of the loopback network that nobody has used. */
    const newAddress = (): string => `127.9.${++lastAddress >> 8}.${lastAddress & 255}`;
    const as = ({ key: sent }: Pick<TestKey, 'key'>): Record<string, string> => ({ 'x-api-key': sent });
    const whoami = (from: string, headers = as(key)): Promise<Answer> =>
      api.ask('/account/v1/whoami', { from, headers });
    const at = (number: number): string => api.servers[number % PROCESSES]!.url;

    /** How many answers had which status. At most so many requests wait at once, because a socket has a backlog. */
    async function statuses(count: number, send: (number: number) => Promise<Answer>) {
      const counts: Record<string, number> = {};
      let next = 0;
      const sender = async (): Promise<void> => {
        while (next < count) {
          const { status } = await send(next++);
          counts[status] = (counts[status] ?? 0) + 1;
        }
      };
      await Promise.all(times(AT_ONCE, sender));
      return counts;
    }
    const times = <T>(count: number, make: (number: number) => T): T[] =>
      Array.from({ length: count }, (_, i) => make(i));
    const componentOf = async (url: string): Promise<string> =>
      (JSON.parse((await ask(url, '/readyz')).body) as { components: Record<string, { status: string }> })
        .components['rate_limit']!.status;
    const untilRateLimitIs = (status: string) =>
      vi.waitFor(async () => {
        const found = await Promise.all(api.servers.map(({ url }) => componentOf(url)));
        expect(found).toEqual(times(PROCESSES, () => status));
      }, PATIENCE);
    /** Calls of an account that is not attacked, each from another address. */
    const bystander = () => api.ask('/account/v1/operations', { from: newAddress(), headers: as(other) });
    async function loseRedis(lose: () => unknown): Promise<void> {
      await lose();
      // A process notices it with the next call.
      await Promise.all(times(PROCESSES, (i) => ask(at(i), '/account/v1/whoami', { headers: as(key) })));
      await untilRateLimitIs('degraded');
    }

    /**
     * Exactly 200 pass as long as Redis answers within 50 ms. On a busy machine it may not, and then each process counts
     * its share as well.
     */
    function expectShared(counts: Record<string, number>): void {
      expect(Object.keys(counts).sort()).toEqual(['200', '429']);
      expect(counts['200']).toBeGreaterThanOrEqual(LIMIT / PROCESSES);
      expect(counts['200']).toBeLessThanOrEqual(LIMIT * PROCESSES);
    }

    it('let an address have 200 calls in all, whatever it writes into X-Forwarded-For', async () => {
      const [plain, forging] = [newAddress(), newAddress()];
      expectShared(await statuses(500, () => whoami(plain)));
      const forged = (i: number) =>
        whoami(forging, { ...as(key), 'x-forwarded-for': `198.51.100.${i % 250}, 127.0.0.1` });
      expectShared(await statuses(500, forged));
    });

    it('divide the limit while Redis hangs, say so, and serve everybody else', async () => {
      await loseRedis(() => redis.pause());
      const from = newAddress();
      const flood = statuses(600, () => whoami(from));
      expect(await statuses(50, bystander)).toEqual({ 200: 50 });
      expect(await flood).toEqual({ 200: 200, 429: 400 });
      for (const { url } of api.servers)
        expect((await ask(url, '/metrics')).body).toContain('hostplane_limiter_degraded 1');
    });

    it('answer thousands of wrong keys with 401, and serve everybody else', async () => {
      const guesses = times(2000, () => issueKey().key);
      const addresses = times(20, newAddress);
      const guessing = statuses(2000, (i) => whoami(addresses[i % 20]!, { 'x-api-key': guesses[i]! }));
      expect(await statuses(50, bystander)).toEqual({ 200: 50 });
      expect(await guessing).toEqual({ 401: 2000 });
      for (const { url } of api.servers) {
        const { body } = await ask(url, '/metrics');
        expect(Number(/^hostplane_access_cache_keys (\d+)/m.exec(body)?.[1])).toBeLessThan(10);
      }
    });

    it('count exactly again when Redis is back', async () => {
      redis.resume();
      await untilRateLimitIs('ok');
      const from = newAddress();
      expectShared(await statuses(500, () => whoami(from)));
    });

    it('divide the limit again when Redis is killed', async () => {
      await loseRedis(() => redis.stop());
      const from = newAddress();
      expect(await statuses(600, () => whoami(from))).toEqual({ 200: 200, 429: 400 });
      expect(await statuses(20, bystander)).toEqual({ 200: 20 });
    });

    it('serve everybody else while one account reads from hundreds of addresses at once', async () => {
      const flood = Promise.all(
        times(800, (i) =>
          ask(at(i), '/account/v1/operations', {
            headers: { ...as(key), 'x-forwarded-for': `198.51.${i % 200}.1` },
          }),
        ),
      );
      expect(await statuses(50, bystander)).toEqual({ 200: 50 });
      expect(new Set((await flood).map(({ status }) => status))).toEqual(new Set([200]));
    });

    const guess = (number: number, path: string, body: object, from = newAddress()): Promise<Answer> =>
      ask(at(number), `/portal/v1/${path}`, { headers: { ...BROWSER, 'x-forwarded-for': from }, body });

    it('check ten passwords of a person in all, although each guess comes from another address', async () => {
      const { email } = await createPerson(app.services.db);
      const body = { email, password: 'not the right words' };
      expect(await statuses(40, (i) => guess(i, 'sign-in', body))).toEqual({ 401: 10, 429: 30 });
    });

    it('check five codes of a sign-in in all', async () => {
      const { db, secrets } = app.services;
      const { id, email } = await createPerson(db);
      const secret = Buffer.alloc(20, 'secret of the app');
      const app_secret = { totp_secret: secrets.close(secret, id), totp_enabled_at: new Date() };
      await db.updateTable('people').set(app_secret).where('id', '=', id).execute();
      const { ticket } = JSON.parse((await guess(0, 'sign-in', { email, password: PASSWORD })).body) as {
        ticket: string;
      };
      const now = stepAt(Date.now() / 1000);
      const right = new Set([-2, -1, 0, 1, 2, 3].map((drift) => codeAt(secret, now + drift)));
      const wrong = times(20, (i) => String(i).repeat(6).slice(0, 6)).find((code) => !right.has(code))!;
      const enter = (i: number) => guess(i, 'sign-in/second-factor', { ticket, method: 'totp', code: wrong });
      const answers = await Promise.all(times(20, enter));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 429]));
      const checked = answers.filter(({ body }) => body.includes('The code is wrong'));
      expect(checked.length).toBeLessThanOrEqual(5);
    });

    it('make one thing of calls with the same Idempotency-Key at once', async () => {
      const body = { name: 'once', policy: 'spread', location: 'fra1' };
      const headers = { ...as(key), 'idempotency-key': 'the-same' };
      const create = (): Promise<Answer> =>
        api.ask('/flexible-vps/v1/placement-groups', { from: newAddress(), headers, body });
      const answers = await Promise.all(times(20, create));
      const made = [...answers, await create()].filter(({ status }) => status === 201);
      expect(new Set(answers.map(({ status }) => status))).not.toContain(500);
      expect(new Set(made.map((answer) => (JSON.parse(answer.body) as { id: string }).id)).size).toBe(1);
      const rows = await app.services.db
        .selectFrom('placement_groups')
        .select('id')
        .where('account_id', '=', account.id)
        .execute();
      expect(rows).toHaveLength(1);
    });

    it('leave nothing of machines that are cancelled and deleted at once', async () => {
      const { db } = app.services;
      const send = (path: string, asked: Asked) =>
        api.ask(path, { ...asked, from: newAddress(), headers: as(key) });
      for (const name of ['race-1', 'race-2', 'race-3']) {
        const source = { type: 'image', image_id: 'ubuntu-24.04' };
        const body = { name, location: 'fra1', plan: 'flex-1-1', source, user_data: '#cloud-config\n' };
        const made = await send('/flexible-vps/v1/vms', { body });
        const { id, operation } = JSON.parse(made.body) as { id: string; operation: { id: string } };
        const cancel = () => send(`/account/v1/operations/${operation.id}/cancel`, { body: {} });
        const remove = () => send(`/flexible-vps/v1/vms/${id}`, { method: 'DELETE' });
        const answers = await Promise.all([cancel(), remove(), cancel(), remove()]);
        expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
      }
      await allEnded(db);
      expect(await db.selectFrom('vms').select('id').execute()).toEqual([]);
      expect(
        await db.selectFrom('sandbox_things').select('id').where('kind', '=', 'machine').execute(),
      ).toEqual([]);
      const open = db.selectFrom('meter_spans').select('resource_id').where('ended_at', 'is', null);
      expect(await open.where('type', '=', 'vm').execute()).toEqual([]);
    });

    it('hold hundreds of waiting calls, and end them in all processes when their key is revoked', async () => {
      const { db } = app.services;
      const revoked = await createKey(db, account);
      const asking = await createKey(db, account, { approval: 'writes' });
      const body = { name: 'asked', policy: 'spread', location: 'fra1' };
      const asked = await api.ask('/flexible-vps/v1/placement-groups', {
        from: newAddress(),
        headers: as(asking),
        body,
      });
      const [operation] = /op_[0-9a-z]+/.exec(asked.body) ?? [];
      const headers = { ...as(revoked), prefer: 'wait=60' };
      const held = times(600, (i) =>
        ask(at(i), `/account/v1/operations/${operation}`, {
          headers: { ...headers, 'x-forwarded-for': `198.18.${i % 200}.1` },
        }),
      );
      const waiters = async () => {
        const pages = await Promise.all(api.servers.map(({ url }) => ask(url, '/metrics')));
        return pages.reduce((sum, page) => sum + Number(/^hostplane_waiters (\d+)/m.exec(page.body)?.[1]), 0);
      };
      await expect.poll(waiters, PATIENCE).toBe(600);
      expect(await statuses(50, bystander)).toEqual({ 200: 50 });
      await revokeKey(db, staff, { account_id: account.id, key_id: revoked.id, reason: 'leaked' });
      expect(new Set((await Promise.all(held)).map(({ status }) => status))).toEqual(new Set([401]));
      const again = (i: number) =>
        ask(at(i), '/account/v1/whoami', { headers: { ...as(revoked), 'x-forwarded-for': newAddress() } });
      expect(await statuses(PROCESSES, again)).toEqual({ 401: PROCESSES });
      // A page of metrics may be a second old.
      await expect.poll(waiters, PATIENCE).toBe(0);
    });
  },
);
