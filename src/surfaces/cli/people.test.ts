import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount } from '../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { runCommand, urlOf } from '../../testing/command-line.ts';
import {
  Browser,
  createPerson,
  createSession,
  joinAccount,
  mailsTo,
  PASSWORD,
} from '../../testing/people.ts';

let t: TestApp;
beforeAll(async () => {
  t = await createTestApp({ portal: true });
});
afterAll(() => t.close());

const run = (...argv: string[]) =>
  runCommand(argv, {
    env: {
      HOSTPLANE_DATABASE_URL: urlOf(t.database.connection),
      HOSTPLANE_BASE_URL: 'https://portal.example',
    },
    answers: ['yes'],
  });

describe('hostplane admin people', () => {
  it('finds a person, shows what the person signs in with, and ends the sessions', async () => {
    const { db } = t.services;
    const account = await createAccount(db);
    const person = await createPerson(db);
    await joinAccount(db, person, account.id, 'admin');
    const browser = new Browser(t, await createSession(db, person));
    expect((await run('people', 'list', person.email.slice(4, 20))).out).toContain(person.email);
    const { out } = await run('people', 'show', person.email);
    expect(out).toMatch(/password +yes/);
    expect(out).toContain(`${account.id}), admin`);
    expect((await run('people', 'end-sessions', person.id)).out).toBe(`${person.email}: 1 session ended.\n`);
    expect((await browser.get('/me')).statusCode).toBe(401);
    expect(await run('people', 'show', 'nobody@example.com')).toMatchObject({ code: 1 });
  });

  it('resets a lost second factor, which the person and the accounts can see', async () => {
    const { db } = t.services;
    const account = await createAccount(db);
    const values = { totp_secret: Buffer.from('x'), totp_enabled_at: new Date() };
    const person = await createPerson(db, values);
    await joinAccount(db, person, account.id, 'owner');
    const signIn = async (browser = new Browser(t)) =>
      (await browser.post('/sign-in', { email: person.email, password: PASSWORD })).json().status;
    expect(await signIn()).toBe('second_factor');
    const ran = await run('people', 'reset-second-factor', person.email);
    expect([ran.code, ran.asked.length]).toEqual([0, 1]);
    expect(await signIn()).toBe('signed_in');
    expect(await mailsTo(db, person.email)).toContain('second_factor_changed');
    const audited = await db
      .selectFrom('audit_entries')
      .select(['action'])
      .where('account_id', '=', account.id)
      .execute();
    expect(audited).toEqual([{ action: 'resetSecondFactor' }]);
  });

  it('prints a welcome link for a member who never signed in, and mails a recovery link to one who did', async () => {
    const { db } = t.services;
    const { id, ownerId } = await createAccount(db);
    const { out } = await run('people', 'welcome-link', ownerId, '--account', id);
    const token = /https:\/\/portal\.example\/portal\/welcome#(\S{43})/.exec(out)?.[1];
    expect((await new Browser(t).post('/welcome', { token })).json()).toEqual({ status: 'signed_in' });
    const person = await createPerson(db);
    const sent = await run('people', 'recovery-link', person.email);
    expect(sent.out).not.toContain('#');
    expect(await mailsTo(db, person.email)).toEqual(['recover_password']);
  });
});
