import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeAt, stepAt } from '../../portal-api/people/totp/totp.ts';
import { createAccount } from '../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { SoftwarePasskey } from '../../testing/authenticator.ts';
import {
  Browser,
  createPerson,
  createSession,
  joinAccount,
  mailsTo,
  ORIGIN,
  PASSWORD,
} from '../../testing/people.ts';
import { appCodeOf, decodeSecret } from '../../testing/second-factors.ts';

let t: TestApp;
beforeAll(async () => {
  t = await createTestApp({ portal: true });
});
afterAll(() => t.close());

async function newPerson() {
  const { db } = t.services;
  const person = await createPerson(db);
  return { person, browser: new Browser(t, await createSession(db, person)) };
}

const withTotp = async () => {
  const { person, browser } = await newPerson();
  const { secret } = (await browser.post('/me/totp/start')).json();
  const key = decodeSecret(secret);
  const code = appCodeOf(key);
  const before = browser.token;
  expect((await browser.post('/me/totp', { code })).statusCode).toBe(200);
  expect(browser.token).not.toBe(before);
  return { person, browser, key };
};

/** The code of the next step, which is accepted early: that of this step was used to set up the app. */
const nextCode = (key: Buffer): string => appCodeOf(key, 1);

const signIn = async (email: string) => {
  const browser = new Browser(t);
  const answer = await browser.post('/sign-in', { email, password: PASSWORD });
  return { browser, ...(answer.json() as { ticket: string; methods: string[]; status: string }) };
};

/** A wrong code whatever the time is. */
const wrongFor = (key: Buffer): string => {
  const now = stepAt(Date.now() / 1000);
  const good = new Set([-2, -1, 0, 1, 2].map((drift) => codeAt(key, now + drift)));
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !good.has(code))!;
};

describe('codes of an app', () => {
  it('are required after the password, and each is accepted once', async () => {
    const { person, key } = await withTotp();
    const first = await signIn(person.email);
    expect(first).toMatchObject({ status: 'second_factor', methods: ['totp'] });
    expect(first.browser.token).toBeNull();
    const code = nextCode(key);
    const enter = (ticket: string, browser: Browser) =>
      browser.post('/sign-in/second-factor', { ticket, method: 'totp', code });
    expect((await enter(first.ticket, first.browser)).json()).toEqual({ status: 'signed_in' });
    expect((await first.browser.get('/me')).json().session.second_factor).toBe(true);
    const second = await signIn(person.email);
    expect((await enter(second.ticket, second.browser)).json()).toMatchObject({ code: 'sign_in_failed' });
    // The ticket was used as well.
    expect((await enter(first.ticket, new Browser(t))).statusCode).toBe(401);
  });

  it('may be wrong five times for one ticket, and wrong codes count as guesses', async () => {
    const { person, key } = await withTotp();
    const { browser, ticket } = await signIn(person.email);
    const enter = (code: string) => browser.post('/sign-in/second-factor', { ticket, method: 'totp', code });
    for (let i = 0; i < 4; i++) expect((await enter(wrongFor(key))).statusCode).toBe(401);
    expect((await enter(nextCode(key))).statusCode).toBe(200);
    const other = await signIn(person.email);
    const codes = [];
    for (let i = 0; i < 7; i++) {
      const answer = await other.browser.post('/sign-in/second-factor', {
        ticket: other.ticket,
        method: 'totp',
        code: wrongFor(key),
      });
      codes.push(answer.json().detail.includes('took too long') ? 'over' : answer.json().code);
    }
    expect(codes).toEqual([...Array(5).fill('sign_in_failed'), 'over', 'over']);
    // Four and five wrong codes; the next ticket has room for one more.
    const third = await signIn(person.email);
    expect(third.status).toBe('second_factor');
    await third.browser.post('/sign-in/second-factor', {
      ticket: third.ticket,
      method: 'totp',
      code: '999999',
    });
    expect((await signIn(person.email)).status).toBe(429);
  });

  it('are mailed when the app is added and removed', async () => {
    const { person, browser } = await withTotp();
    expect((await browser.get('/me/security')).json().totp.enabled).toBe(true);
    expect((await browser.send('DELETE', '/me/totp')).statusCode).toBe(200);
    expect(await mailsTo(t.services.db, person.email)).toEqual([
      'second_factor_changed',
      'second_factor_changed',
    ]);
    expect((await signIn(person.email)).status).toBe('signed_in');
  });
});

describe('recovery codes', () => {
  it('are ten, each works once, in any spelling, and the use is mailed', async () => {
    const { person, browser } = await withTotp();
    const { codes } = (await browser.post('/me/recovery-codes')).json() as { codes: string[] };
    expect([codes.length, new Set(codes).size]).toEqual([10, 10]);
    const [code = ''] = codes;
    expect(code).toMatch(/^[a-z0-9]{5}-[a-z0-9]{5}$/);
    const enter = async (typed: string) => {
      const { browser: at, ticket, methods } = await signIn(person.email);
      expect(methods).toEqual(['totp', 'recovery_code']);
      return at.post('/sign-in/second-factor', { ticket, method: 'recovery_code', code: typed });
    };
    expect((await enter(` ${code.replace('-', ' ').toUpperCase()}`)).statusCode).toBe(200);
    expect((await enter(code)).statusCode).toBe(401);
    expect((await browser.get('/me/security')).json().recovery_codes.left).toBe(9);
    expect(await mailsTo(t.services.db, person.email)).toContain('recovery_code_used');
  });
});

describe('passkeys', () => {
  const withPasskey = async () => {
    const made = await newPerson();
    const passkey = new SoftwarePasskey(ORIGIN);
    const { challenge_id, options } = (await made.browser.post('/me/passkeys/options')).json();
    const response = passkey.register(options);
    const added = await made.browser.post('/me/passkeys', { challenge_id, name: 'Phone', response });
    expect(added.statusCode).toBe(201);
    return { ...made, passkey, registration: { challenge_id, name: 'Again', response } };
  };

  const offer = async (browser: Browser, input: object = {}) =>
    (await browser.post('/sign-in/passkey/options', input)).json();

  it('sign in alone, and count as two factors', async () => {
    const { person, passkey } = await withPasskey();
    const browser = new Browser(t);
    const { challenge_id, options } = await offer(browser);
    expect(options).toMatchObject({ rpId: 'localhost', userVerification: 'required' });
    const answer = { challenge_id, response: passkey.sign(options) };
    expect((await browser.post('/sign-in/passkey', answer)).json()).toEqual({ status: 'signed_in' });
    expect((await browser.get('/me')).json()).toMatchObject({
      person: { id: person.id },
      session: { second_factor: true },
    });
    expect((await new Browser(t).post('/sign-in/passkey', answer)).json().code).toBe('link_not_valid');
  });

  it('work although the password is locked after too many guesses', async () => {
    const { person, passkey } = await withPasskey();
    for (let i = 0; i < 11; i++)
      await new Browser(t).post('/sign-in', { email: person.email, password: 'wrong' });
    const browser = new Browser(t);
    const { challenge_id, options } = await offer(browser);
    const response = passkey.sign(options);
    expect((await browser.post('/sign-in/passkey', { challenge_id, response })).statusCode).toBe(200);
  });

  it('are the second factor after the password, for the person of the password only', async () => {
    const { person, passkey } = await withPasskey();
    const foreign = await withPasskey();
    const { browser, ticket, methods } = await signIn(person.email);
    expect(methods).toEqual(['passkey']);
    const attempt = async (by: SoftwarePasskey) => {
      const { challenge_id, options } = await offer(browser, { ticket });
      return browser.post('/sign-in/passkey', { challenge_id, response: by.sign(options) });
    };
    expect((await attempt(foreign.passkey)).statusCode).toBe(401);
    expect((await attempt(passkey)).statusCode).toBe(200);
    expect((await offer(new Browser(t), { ticket })).status).toBe(401);
  });

  it('are refused without user verification, with a wrong origin, and when they are unknown', async () => {
    const { passkey } = await withPasskey();
    const attempt = async (by: SoftwarePasskey) => {
      const browser = new Browser(t);
      const { challenge_id, options } = await offer(browser);
      return (await browser.post('/sign-in/passkey', { challenge_id, response: by.sign(options) })).json()
        .code;
    };
    expect(await attempt(new SoftwarePasskey(ORIGIN))).toBe('sign_in_failed');
    passkey.verifiesUser = false;
    expect(await attempt(passkey)).toBe('sign_in_failed');
    const elsewhere = Object.assign(new SoftwarePasskey('http://evil.localhost:8080'), { id: passkey.id });
    expect(await attempt(elsewhere)).toBe('sign_in_failed');
  });

  it('can re-authenticate, and the last one of a person without a password cannot be removed', async () => {
    const { person, passkey, browser, registration } = await withPasskey();
    await t.services.db
      .updateTable('sessions')
      .set({ reauthenticated_at: new Date(Date.now() - 11 * 60_000) })
      .where('person_id', '=', person.id)
      .execute();
    const { passkeys } = (await browser.get('/me/security')).json();
    const remove = () => browser.send('DELETE', `/me/passkeys/${passkeys[0].id}`);
    expect((await remove()).json().code).toBe('reauthentication_required');
    const { challenge_id, options } = (await browser.post('/reauthenticate/passkey/options')).json();
    const before = browser.token;
    const again = await browser.post('/reauthenticate/passkey', {
      challenge_id,
      response: passkey.sign(options),
    });
    expect(again.json().reauthenticated_until).toEqual(expect.any(String));
    expect(browser.token).not.toBe(before);
    expect((await browser.post('/me/passkeys', registration)).json().code).toBe('link_not_valid');
    await t.services.db
      .updateTable('people')
      .set({ password_hash: null })
      .where('id', '=', person.id)
      .execute();
    expect((await remove()).json()).toMatchObject({ status: 409, code: 'invalid_state' });
  });
});

describe('an account that requires a second factor', () => {
  it('gives access only to the own profile until a second factor is added, and the last one cannot be removed', async () => {
    const { db } = t.services;
    const { person, browser } = await newPerson();
    const account = await createAccount(db, { mfa_required: true });
    await joinAccount(db, person, account.id, 'owner');
    const members = `/accounts/${account.id}/members`;
    expect((await browser.get('/me')).json().needs_second_factor).toBe(true);
    expect((await browser.get(members)).json()).toMatchObject({
      status: 403,
      code: 'second_factor_required',
    });
    const { secret } = (await browser.post('/me/totp/start')).json();
    await browser.post('/me/totp', { code: appCodeOf(decodeSecret(secret)) });
    expect((await browser.get('/me')).json().needs_second_factor).toBe(false);
    expect((await browser.get(members)).statusCode).toBe(200);
    expect((await browser.send('DELETE', '/me/totp')).json()).toMatchObject({ status: 409 });
    const plain = new Browser(t, await createSession(db, person));
    expect((await plain.get(members)).json().code).toBe('second_factor_required');
  });
});
