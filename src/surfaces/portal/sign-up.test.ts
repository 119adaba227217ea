import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { Browser, createPerson, mailedToken, mailsTo, PASSWORD } from '../../testing/people.ts';

let t: TestApp;
beforeAll(async () => {
  t = await createTestApp({ portal: true });
});
afterAll(() => t.close());

let serial = 0;
const newInput = () => ({
  name: 'Ada Lovelace',
  email: `sign-up-${++serial}@example.com`,
  password: PASSWORD,
  account_name: 'Engines',
  country: 'GB',
  terms_accepted: true,
});

const signUp = async (input = newInput()) => {
  const answer = await new Browser(t).post('/sign-up', input);
  expect([answer.statusCode, answer.json()]).toEqual([202, { status: 'mail_sent' }]);
  return { input, token: await mailedToken(t.services.db, input.email, 'verify_email') };
};

describe('sign-up', () => {
  it('leads from the form by the link in the mail to a first key', async () => {
    const { input, token } = await signUp();
    expect(
      await t.services.db.selectFrom('people').select('id').where('email', '=', input.email).execute(),
    ).toEqual([]);
    const browser = new Browser(t);
    expect((await browser.post('/verify', { token })).json()).toEqual({ status: 'signed_in' });
    const me = (await browser.get('/me')).json();
    expect(me).toMatchObject({
      person: { name: input.name, email: input.email },
      session: { reauthenticated_until: null },
      accounts: [{ name: input.account_name, role: 'owner' }],
    });
    const keys = `/accounts/${me.accounts[0].id}/keys`;
    const key = { name: 'first', preset: 'full-access' };
    expect((await browser.post(keys, key)).json()).toMatchObject({ code: 'reauthentication_required' });
    await browser.post('/reauthenticate', { password: PASSWORD });
    const created = await browser.post(keys, key);
    expect([created.statusCode, created.headers['cache-control']]).toEqual([201, 'no-store']);
    const call = await t.call({ url: '/account/v1/whoami', key: created.json().secret });
    expect(call.json()).toMatchObject({ account: { id: me.accounts[0].id } });
    expect(await mailsTo(t.services.db, input.email)).toEqual(['verify_email', 'welcome']);
  });

  it('answers a known address like an unknown one, and mails its owner', async () => {
    const person = await createPerson(t.services.db);
    await signUp({ ...newInput(), email: person.email });
    expect(await mailsTo(t.services.db, person.email)).toEqual(['already_registered']);
  });

  it('creates the person with the password of the link that is used', async () => {
    const input = newInput();
    await signUp({ ...input, password: 'the password of an attacker' });
    const { token } = await signUp(input);
    expect((await new Browser(t).post('/verify', { token })).statusCode).toBe(200);
    const attacker = { email: input.email, password: 'the password of an attacker' };
    expect((await new Browser(t).post('/sign-in', attacker)).statusCode).toBe(401);
    const owner = { email: input.email, password: input.password };
    expect((await new Browser(t).post('/sign-in', owner)).statusCode).toBe(200);
  });

  it('accepts a link once, not after a day, and not a forged one', async () => {
    const { input, token } = await signUp();
    const codes = async (link: unknown) =>
      (await new Browser(t).post('/verify', { token: link })).json().code;
    expect(await codes('A'.repeat(43))).toBe('link_not_valid');
    await t.services.db
      .updateTable('one_time_tokens')
      .set({ expires_at: new Date(Date.now() - 1000) })
      .where('email', '=', input.email)
      .execute();
    expect(await codes(token)).toBe('link_not_valid');
    const { input: other, token: good } = await signUp();
    const parallel = await Promise.all([codes(good), codes(good)]);
    expect(parallel.sort()).toEqual(['link_not_valid', undefined]);
    // A link of another purpose is a forged one.
    await new Browser(t).post('/recover', { email: other.email });
    expect(await codes(await mailedToken(t.services.db, other.email, 'recover_password'))).toBe(
      'link_not_valid',
    );
  });

  it('sends at most three mails an hour to an address, with the same answer', async () => {
    const input = newInput();
    for (let i = 0; i < 3; i++) await signUp(input);
    expect((await new Browser(t).post('/verify/again', { email: input.email })).statusCode).toBe(202);
    expect((await mailsTo(t.services.db, input.email)).length).toBe(3);
    expect((await new Browser(t).post('/verify/again', { email: 'none@example.com' })).json()).toEqual({
      status: 'mail_sent',
    });
  });

  it('refuses common and short passwords, and a sign-up without the terms, all at once', async () => {
    const bad = { ...newInput(), password: 'Password12345!', terms_accepted: false, country: 'Germany' };
    const answer = await new Browser(t).post('/sign-up', bad);
    expect(answer.statusCode).toBe(422);
    for (const password of [
      'abcdefghijklmn',
      'aaaaaaaaaaaaaaaa',
      '1234567890123',
      'ada.lovelace1',
      'short',
    ]) {
      const refused = await new Browser(t).post('/sign-up', { ...newInput(), password });
      expect([password, refused.json().errors?.[0]?.pointer]).toEqual([password, '/password']);
    }
    const long = { ...newInput(), terms_accepted: false };
    expect((await new Browser(t).post('/sign-up', long)).json().errors[0].pointer).toBe('/terms_accepted');
  });
});

describe('a provider that does not let everybody sign up', () => {
  it('refuses the sign-up and says so on the site', async () => {
    const closed = await createTestApp({
      portal: true,
      database: t.database,
      provider: (config) => ({ ...config, portal: { ...config.portal, sign_up: 'invited' } }),
    });
    try {
      const answer = await new Browser(closed).post('/sign-up', newInput());
      expect(answer.json()).toMatchObject({ status: 403, code: 'sign_up_not_open' });
      expect((await new Browser(closed).get('/site')).json()).toMatchObject({
        sign_up: 'invited',
        signed_in: false,
        mail: 'files',
        api_base_url: 'http://localhost:8080',
      });
    } finally {
      await closed.close();
    }
  });
});
