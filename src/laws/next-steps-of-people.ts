/** Trials of the problems that only people meet who sign in to the portal. */
import { sql } from 'kysely';
import { createAccount } from '../testing/accounts.ts';
import { createTestApp } from '../testing/app.ts';
import {
  Browser,
  createPerson,
  createSession,
  joinAccount,
  mailedToken,
  PASSWORD,
} from '../testing/people.ts';
import type { Customer, Refusal, Trial, Trials } from './next-step-trial.ts';

type Answer = Awaited<ReturnType<Browser['get']>>;

const trial = (refused: Answer, follow: () => Promise<Answer>): Trial => ({
  refused: refused.json<Refusal>(),
  follow,
});

/** More than run and wait at once. */
const RUSH = 40;
const GUESSES = 10;

let serial = 0;
const newAddress = (): string => `next-step-${++serial}@example.com`;

async function newPerson({ db, accountId }: Customer) {
  const person = await createPerson(db);
  await joinAccount(db, person, accountId, 'owner');
  return person;
}

export const peopleTrials: Trials = {
  async not_signed_in(customer) {
    const { email } = await newPerson(customer);
    const browser = new Browser(customer.app);
    return trial(await browser.get('/me'), async () => {
      await browser.post('/sign-in', { email, password: PASSWORD });
      return browser.get('/me');
    });
  },

  async sign_in_failed(customer) {
    const { email } = await newPerson(customer);
    const browser = new Browser(customer.app);
    const signIn = (password: string) => browser.post('/sign-in', { email, password });
    return trial(await signIn('not the right password'), () => signIn(PASSWORD));
  },

  async reauthentication_required(customer) {
    const person = await newPerson(customer);
    const session = await createSession(customer.db, person, { reauthenticated: false });
    const browser = new Browser(customer.app, session);
    const change = () => browser.post('/me/password', { new_password: `${PASSWORD} and more` });
    return trial(await change(), async () => {
      await browser.post('/reauthenticate', { password: PASSWORD });
      return change();
    });
  },

  async second_factor_required(customer) {
    const person = await newPerson(customer);
    const { db, app, accountId } = customer;
    await sql`update accounts set mfa_required = true where id = ${accountId}`.execute(db);
    const readMembers = async (secondFactor: boolean) =>
      new Browser(app, await createSession(db, person, { secondFactor })).get(
        `/accounts/${accountId}/members`,
      );
    return trial(await readMembers(false), () => readMembers(true));
  },

  async origin_not_allowed(customer) {
    const session = await createSession(customer.db, await newPerson(customer));
    const browser = new Browser(customer.app, session);
    return trial(await browser.send('POST', '/sign-out', {}, { origin: 'https://other.example' }), () =>
      browser.post('/sign-out'),
    );
  },

  async key_not_accepted(customer) {
    const session = await createSession(customer.db, await newPerson(customer));
    const browser = new Browser(customer.app, session);
    return trial(await browser.send('GET', '/me', undefined, { 'x-api-key': customer.vps.key }), () =>
      browser.get('/me'),
    );
  },

  async sign_up_not_open() {
    const app = await createTestApp({
      portal: true,
      provider: (config) => ({ ...config, portal: { ...config.portal, sign_up: 'invited' } }),
    });
    const { db } = app.services;
    const email = newAddress();
    const form = { name: 'Ada', account_name: 'Engines', country: 'GB', terms_accepted: true };
    const refused = await new Browser(app).post('/sign-up', { ...form, email, password: PASSWORD });
    return trial(refused, async () => {
      const account = await createAccount(db);
      const owner = await createPerson(db);
      await joinAccount(db, owner, account.id, 'owner');
      const invites = new Browser(app, await createSession(db, owner));
      await invites.post(`/accounts/${account.id}/invitations`, { email, role: 'developer' });
      const token = await mailedToken(db, email, 'invitation');
      const answer = await new Browser(app).post('/invitations/accept', {
        token,
        name: 'Ada',
        password: PASSWORD,
      });
      await app.close();
      return answer;
    });
  },

  async link_not_valid({ app, db }) {
    const email = newAddress();
    const form = { name: 'Ada', account_name: 'Engines', country: 'GB', terms_accepted: true };
    const browser = new Browser(app);
    await browser.post('/sign-up', { ...form, email, password: PASSWORD });
    const token = await mailedToken(db, email, 'verify_email');
    return trial(await browser.post('/verify', { token: `${token?.slice(0, -4)}AAAA` }), async () => {
      await browser.post('/verify/again', { email });
      return browser.post('/verify', { token: await mailedToken(db, email, 'verify_email') });
    });
  },

  async too_many_attempts(customer) {
    const { email } = await newPerson(customer);
    const browser = new Browser(customer.app);
    const signIn = (password: string) => browser.post('/sign-in', { email, password });
    for (let guess = 0; guess < GUESSES; guess++) await signIn('a wrong password');
    const refused = await signIn(PASSWORD);
    return trial(refused, async () => {
      const seconds = Number(refused.headers['retry-after']);
      await sql`update sign_in_attempts set at = at - ${seconds} * interval '1 second'`.execute(customer.db);
      return signIn(PASSWORD);
    });
  },

  async sign_in_busy(customer) {
    const { email } = await newPerson(customer);
    const { app } = customer;
    const strangers = Array.from({ length: RUSH }, () =>
      new Browser(app).post('/sign-in', { email: newAddress(), password: PASSWORD }),
    );
    const answers = await Promise.all(strangers);
    const refused = answers.find(({ statusCode }) => statusCode === 503);
    if (refused === undefined) throw new Error('Nobody was refused, although so many signed in at once.');
    return trial(refused, () => new Browser(app).post('/sign-in', { email, password: PASSWORD }));
  },
};
