import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { codeAt, stepAt } from '../../portal-api/people/totp/totp.ts';
import { createWelcomeLink } from '../../portal-api/people/welcome.ts';
import { createAccount } from '../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import {
  Browser,
  createPerson,
  createSession,
  mailedToken,
  mailsTo,
  ORIGIN,
  PASSWORD,
} from '../../testing/people.ts';

let t: TestApp;
beforeAll(async () => {
  t = await createTestApp({ portal: true });
});
afterAll(() => t.close());

const NEW_PASSWORD = 'quite another sentence';

async function recover(email: string) {
  const answer = await new Browser(t).post('/recover', { email });
  expect([answer.statusCode, answer.json()]).toEqual([202, { status: 'mail_sent' }]);
  return mailedToken(t.services.db, email, 'recover_password');
}

const withTotp = async () => {
  const { db, secrets } = t.services;
  const person = await createPerson(db);
  const key = Buffer.from('12345678901234567890');
  const values = { totp_secret: secrets.close(key, person.id), totp_enabled_at: new Date() };
  await db.updateTable('people').set(values).where('id', '=', person.id).execute();
  return { person, code: () => codeAt(key, stepAt(Date.now() / 1000)) };
};

const canSignIn = async (email: string, password: string): Promise<string> => {
  const answer = await new Browser(t).post('/sign-in', { email, password });
  return answer.json().status === 401 ? 'refused' : answer.json().status;
};

describe('recovery', () => {
  it('sets a new password by a link that works once, and ends all sessions', async () => {
    const person = await createPerson(t.services.db);
    const old = new Browser(t, await createSession(t.services.db, person));
    const token = await recover(person.email);
    const browser = new Browser(t);
    const input = { token, password: NEW_PASSWORD };
    expect((await browser.post('/recover/complete', input)).json()).toEqual({ status: 'signed_in' });
    expect((await browser.get('/me')).statusCode).toBe(200);
    expect((await old.get('/me')).statusCode).toBe(401);
    expect((await new Browser(t).post('/recover/complete', input)).json().code).toBe('link_not_valid');
    expect(await canSignIn(person.email, PASSWORD)).toBe('refused');
    expect(await canSignIn(person.email, NEW_PASSWORD)).toBe('signed_in');
    expect(await mailsTo(t.services.db, person.email)).toEqual(['recover_password', 'recovery_used']);
  });

  it('answers an unknown address like a known one, and mails that there is no account', async () => {
    expect(await recover('unknown-recovery@example.com')).toBeNull();
    expect(await mailsTo(t.services.db, 'unknown-recovery@example.com')).toEqual(['recovery_unknown']);
  });

  it('still needs the second factor', async () => {
    const { person, code } = await withTotp();
    const token = await recover(person.email);
    const browser = new Browser(t);
    const complete = async (more: object = {}) =>
      (await browser.post('/recover/complete', { token, password: NEW_PASSWORD, ...more })).json();
    expect(await complete()).toEqual({ status: 'second_factor_needed', methods: ['totp', 'wait'] });
    expect(await complete({ method: 'totp', code: 'abcdef' })).toMatchObject({ code: 'sign_in_failed' });
    expect(await canSignIn(person.email, NEW_PASSWORD)).toBe('refused');
    expect(await complete({ method: 'totp', code: code() })).toEqual({ status: 'signed_in' });
    expect((await browser.get('/me')).json().session.second_factor).toBe(true);
    expect(await canSignIn(person.email, NEW_PASSWORD)).toBe('second_factor');
  });

  it('without the second factor takes effect after a day, and the owner is mailed', async () => {
    const { person } = await withTotp();
    const token = await recover(person.email);
    const complete = async (more: object = {}) =>
      (await new Browser(t).post('/recover/complete', { token, password: NEW_PASSWORD, ...more })).json();
    const waiting = await complete({ method: 'wait' });
    expect(waiting).toEqual({ status: 'waiting', until: expect.any(String) });
    const hours = (Date.parse(waiting.until) - Date.now()) / 3_600_000;
    expect([hours > 23.9, hours < 24.1]).toEqual([true, true]);
    expect(await complete()).toEqual(waiting);
    expect(await mailsTo(t.services.db, person.email)).toContain('recovery_used');
    const past = { usable_from: new Date(Date.now() - 1000) };
    await t.services.db.updateTable('one_time_tokens').set(past).where('person_id', '=', person.id).execute();
    expect(await complete()).toEqual({ status: 'signed_in' });
    expect(await canSignIn(person.email, NEW_PASSWORD)).toBe('signed_in');
  });

  it('that is waiting is stopped by a sign-in of the owner', async () => {
    const { person, code } = await withTotp();
    const token = await recover(person.email);
    const input = { token, password: NEW_PASSWORD, method: 'wait' };
    await new Browser(t).post('/recover/complete', input);
    const owner = new Browser(t);
    const { ticket } = (await owner.post('/sign-in', { email: person.email, password: PASSWORD })).json();
    await owner.post('/sign-in/second-factor', { ticket, method: 'totp', code: code() });
    expect((await owner.get('/me')).statusCode).toBe(200);
    expect((await new Browser(t).post('/recover/complete', input)).json().code).toBe('link_not_valid');
  });
});

describe('the welcome link', () => {
  it('lets a member whom staff added choose a password once, and opens the account', async () => {
    const { db } = t.services;
    const account = await createAccount(db);
    const owner = await db
      .selectFrom('members')
      .selectAll()
      .where('id', '=', account.ownerId)
      .executeTakeFirstOrThrow();
    const link = await createWelcomeLink(db, ORIGIN, owner);
    expect(link).toMatch(/^http:\/\/localhost:8080\/portal\/welcome#.{43}$/);
    const [, token] = link.split('#');
    const browser = new Browser(t);
    const answer = await browser.post('/welcome', { token, password: NEW_PASSWORD });
    expect(answer.json()).toEqual({ status: 'signed_in' });
    expect((await browser.get('/me')).json()).toMatchObject({
      session: { reauthenticated_until: expect.any(String) },
      accounts: [{ id: account.id, role: 'owner' }],
    });
    expect((await new Browser(t).post('/welcome', { token })).json().code).toBe('link_not_valid');
    await expect(createWelcomeLink(db, ORIGIN, owner)).rejects.toThrow('has a password or a passkey already');
  });
});

describe('sessions', () => {
  it('of two tabs continue while one of them re-authenticates, with one new token', async () => {
    const person = await createPerson(t.services.db);
    const first = new Browser(t, await createSession(t.services.db, person, { reauthenticated: false }));
    const second = new Browser(t, first.token);
    await first.post('/reauthenticate', { password: PASSWORD });
    expect(first.token).not.toBe(second.token);
    // A call that the other tab sent before the new cookie arrived.
    const { session } = (await second.get('/me')).json();
    expect(session.reauthenticated_until).toBeNull();
    expect((await first.get('/me')).json().session).toMatchObject({
      id: session.id,
      reauthenticated_until: expect.any(String),
    });
    await t.services.db
      .updateTable('sessions')
      .set({ previous_token_until: new Date(Date.now() - 1000) })
      .where('id', '=', session.id)
      .execute();
    expect((await second.get('/me')).statusCode).toBe(401);
  });

  it('end after 12 hours without a call and after 14 days, each by itself', async () => {
    const { db } = t.services;
    const person = await createPerson(db);
    const [browser, idle, old, other] = await Promise.all(
      [1, 2, 3, 4].map(async () => new Browser(t, await createSession(db, person))),
    );
    const idOf = async (of: Browser | undefined) => (await of!.get('/me')).json().session.id;
    const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000);
    const [idleId, oldId, otherId] = [await idOf(idle), await idOf(old), await idOf(other)];
    await db
      .updateTable('sessions')
      .set({ last_seen_at: ago(12.1) })
      .where('id', '=', idleId)
      .execute();
    await db
      .updateTable('sessions')
      .set({ expires_at: ago(0) })
      .where('id', '=', oldId)
      .execute();
    const { sessions } = (await browser!.get('/me/security')).json();
    expect(sessions.map(({ id, current }: { id: string; current: boolean }) => [id, current]).sort()).toEqual(
      [
        [otherId, false],
        [await idOf(browser), true],
      ].sort(),
    );
    expect([(await idle!.get('/me')).statusCode, (await old!.get('/me')).statusCode]).toEqual([401, 401]);
    expect((await browser!.send('DELETE', `/me/sessions/${otherId}`)).statusCode).toBe(200);
    expect((await other!.get('/me')).statusCode).toBe(401);
    const foreign = await createPerson(db);
    const theirs = new Browser(t, await createSession(db, foreign));
    expect((await browser!.send('DELETE', `/me/sessions/${await idOf(theirs)}`)).statusCode).toBe(404);
    expect((await theirs.get('/me')).statusCode).toBe(200);
  });

  it('end with a new password, except the current one, and so do recovery links', async () => {
    const { db } = t.services;
    const person = await createPerson(db);
    const [here, elsewhere] = [
      new Browser(t, await createSession(db, person)),
      new Browser(t, await createSession(db, person)),
    ];
    await new Browser(t).post('/recover', { email: person.email });
    const token = await mailedToken(db, person.email, 'recover_password');
    expect((await here.post('/me/password', { new_password: NEW_PASSWORD })).statusCode).toBe(200);
    expect([(await here.get('/me')).statusCode, (await elsewhere.get('/me')).statusCode]).toEqual([200, 401]);
    const recovered = await new Browser(t).post('/recover/complete', { token, password: NEW_PASSWORD });
    expect(recovered.json().code).toBe('link_not_valid');
    expect(
      (await new Browser(t).post('/sign-in', { email: person.email, password: NEW_PASSWORD })).json(),
    ).toEqual({ status: 'signed_in' });
  });

  it('a sign-in in the same browser gets a new session and ends the old one', async () => {
    const person = await createPerson(t.services.db);
    const planted = await createSession(t.services.db, person);
    const browser = new Browser(t, planted);
    await browser.post('/sign-in', { email: person.email, password: PASSWORD });
    expect(browser.token).not.toBe(planted);
    expect((await new Browser(t, planted).get('/me')).statusCode).toBe(401);
  });

  it('may make 600 calls a minute', async () => {
    const person = await createPerson(t.services.db);
    const browser = new Browser(t, await createSession(t.services.db, person));
    // The minute does not end while the test runs, however slow the machine is.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    try {
      const codes: number[] = [];
      for (let i = 0; i < 601; i++) codes.push((await browser.get('/me')).statusCode);
      expect(codes).toEqual([...Array(600).fill(200), 429]);
      expect((await new Browser(t, await createSession(t.services.db, person)).get('/me')).statusCode).toBe(
        200,
      );
    } finally {
      vi.useRealTimers();
    }
  });
});
