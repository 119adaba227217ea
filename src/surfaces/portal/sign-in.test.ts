import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount, createKey, type TestAccount } from '../../testing/accounts.ts';
import { createTestApp, freshAddress, type TestApp } from '../../testing/app.ts';
import { Browser, createPerson, createSession, joinAccount, PASSWORD } from '../../testing/people.ts';

let t: TestApp;
let account: TestAccount;

beforeAll(async () => {
  t = await createTestApp({ portal: true });
  account = await createAccount(t.services.db);
});
afterAll(() => t.close());

const newPerson = async () => {
  const person = await createPerson(t.services.db);
  await joinAccount(t.services.db, person, account.id, 'owner');
  return person;
};

describe('sign-in by password', () => {
  it('gives access to the accounts of the person, and to nothing after the sign-out', async () => {
    const person = await newPerson();
    const browser = new Browser(t);
    expect((await browser.get('/me')).json()).toMatchObject({ status: 401, code: 'not_signed_in' });
    const answer = await browser.post('/sign-in', { email: person.email.toUpperCase(), password: PASSWORD });
    expect([answer.statusCode, answer.json()]).toEqual([200, { status: 'signed_in' }]);
    expect(answer.headers['set-cookie']).toMatch(
      /^hp_session=.{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=1209600$/,
    );
    const me = await browser.get('/me');
    expect(me.headers['cache-control']).toBe('no-store');
    expect(me.json()).toMatchObject({
      person: { id: person.id, email: person.email },
      session: { second_factor: false, reauthenticated_until: expect.any(String) },
      accounts: [{ id: account.id, role: 'owner' }],
      needs_second_factor: false,
    });
    const { token } = browser;
    await browser.post('/sign-out');
    expect(browser.token).toBeNull();
    expect((await new Browser(t, token).get('/me')).statusCode).toBe(401);
  });

  it('answers an unknown address, a wrong password and a person without a password in the same way', async () => {
    const person = await newPerson();
    const keyless = await createPerson(t.services.db, { password_hash: null });
    const bodies = [];
    for (const email of [person.email, 'nobody@example.com', keyless.email]) {
      const answer = await new Browser(t).post('/sign-in', { email, password: 'wrong password' });
      const { instance, request_id, ...body } = answer.json();
      bodies.push(JSON.stringify([answer.statusCode, body, answer.headers['set-cookie'] ?? null]));
    }
    expect(new Set(bodies).size).toBe(1);
    expect(bodies[0]).toContain('sign_in_failed');
  });

  it('refuses the eleventh guess for an address, known or not, from any client', async () => {
    for (const email of [(await newPerson()).email, 'unknown-guess@example.com']) {
      const codes = [];
      for (let i = 0; i < 11; i++)
        codes.push((await new Browser(t).post('/sign-in', { email, password: 'wrong' })).json().code);
      expect(codes).toEqual([...Array(10).fill('sign_in_failed'), 'too_many_attempts']);
      const refused = await new Browser(t).post('/sign-in', { email, password: PASSWORD });
      expect([refused.statusCode, Number(refused.headers['retry-after']) > 0]).toEqual([429, true]);
    }
  });

  it('counts guesses of one client for all addresses, an IPv6 network as one client', async () => {
    const { db } = t.services;
    await db
      .insertInto('sign_in_attempts')
      .values(
        Array.from({ length: 100 }, (_, i) => ({ id: `att_${i}`, subject: 'address 2001:db8:0:7::/64' })),
      )
      .execute();
    const browser = new Browser(t);
    browser.address = '2001:db8:0:7:1:2:3:4';
    const { email } = await newPerson();
    expect((await browser.post('/sign-in', { email, password: PASSWORD })).statusCode).toBe(429);
    expect((await new Browser(t).post('/sign-in', { email, password: PASSWORD })).statusCode).toBe(200);
  });

  it('writes guesses to the log of the person, folded, and not to the audit log of the account', async () => {
    const person = await newPerson();
    const before = await auditActions();
    for (let i = 0; i < 3; i++)
      await new Browser(t).post('/sign-in', { email: person.email, password: 'wrong' });
    const browser = new Browser(t);
    await browser.post('/sign-in', { email: person.email, password: PASSWORD });
    const { data } = (await browser.get('/me/activity')).json();
    const shown = data.map(({ type, count }: { type: string; count: number }) => [type, count]);
    // A test that crosses the quarter of an hour finds two entries.
    const guesses = shown.filter(([type]: [string]) => type === 'sign_in_failed');
    expect(guesses.reduce((sum: number, [, count]: [string, number]) => sum + count, 0)).toBe(3);
    expect(guesses.length).toBeLessThan(3);
    expect(shown[0]).toEqual(['signed_in', 1]);
    expect(await auditActions()).toEqual(before);
    await browser.get(`/accounts/${account.id}/members`);
    await browser.get(`/accounts/${account.id}/keys`);
    expect(await auditActions()).toEqual([...before, 'enterAccount']);
  });
});

const auditActions = async (): Promise<string[]> => {
  const rows = await t.services.db
    .selectFrom('audit_entries')
    .select('action')
    .where('account_id', '=', account.id)
    .orderBy('sequence')
    .execute();
  return rows.map(({ action }) => action);
};

describe('sessions and API keys', () => {
  it('a session gives no access to the API, and an API key none to the portal', async () => {
    const person = await newPerson();
    const browser = new Browser(t, await createSession(t.services.db, person));
    const api = await t.call({
      url: '/account/v1/whoami',
      headers: { cookie: `hp_session=${browser.token}` },
    });
    expect(api.json()).toMatchObject({ status: 401, code: 'api_key_missing' });
    const { key } = await createKey(t.services.db, account);
    for (const sent of [browser, new Browser(t)]) {
      const answer = await sent.send('GET', '/me', undefined, { 'x-api-key': key });
      expect(answer.json()).toMatchObject({ status: 403, code: 'key_not_accepted' });
    }
  });

  it('the IP allowlist of the account does not apply to people', async () => {
    const { db } = t.services;
    const home = await createAccount(db);
    const person = await createPerson(db);
    await joinAccount(db, person, home.id, 'owner');
    await db
      .insertInto('ip_allowlist_entries')
      .values({ id: 'ale_test', account_id: home.id, cidr: '198.51.100.0/24', created_by: 'test' })
      .execute();
    await db.insertInto('ip_allowlists').values({ account_id: home.id, mode: 'enforce' }).execute();
    const { key } = await createKey(db, home);
    expect((await t.call({ url: '/account/v1/whoami', key })).statusCode).toBe(403);
    const browser = new Browser(t);
    expect((await browser.post('/sign-in', { email: person.email, password: PASSWORD })).statusCode).toBe(
      200,
    );
    const list = await browser.get(`/accounts/${home.id}/allowlist`);
    expect(list.json()).toMatchObject({ mode: 'enforce', my_address: browser.address });
  });

  it('a path without an act is a 404 that the rate limit of the API does not count', async () => {
    const browser = new Browser(t);
    browser.address = freshAddress();
    for (let i = 0; i < 201; i++) await browser.get('/nothing/here');
    const answer = await browser.get('/nothing');
    expect(answer.statusCode).toBe(404);
    expect(answer.headers['content-type']).toMatch('application/problem+json');
    expect((await browser.send('DELETE', '/site')).statusCode).toBe(404);
  });
});
