/** The acts that give a browser a session, or a new token of its session. */
import { createWelcomeLink } from '../portal-api/people/welcome.ts';
import type { TestApp } from '../testing/app.ts';
import { SoftwarePasskey } from '../testing/authenticator.ts';
import {
  Browser,
  createOwnedAccount,
  createPerson,
  createSession,
  mailedToken,
  ORIGIN,
  PASSWORD,
} from '../testing/people.ts';
import { appCodeOf, decodeSecret, passkeyOf, personWithCodes } from '../testing/second-factors.ts';
import {
  type ActBearer,
  endingsOfSessions,
  type Given,
  outcomes,
  recovery,
  recoveryToken,
} from './handed-by-acts.ts';

type Answer = ReturnType<Browser['post']>;
type Person = Given['person'];

let serial = 0;
export const freshEmail = (): string => `bearer-${process.pid}-${++serial}@example.com`;

async function requireSession(browser: Browser, before: string | null, answer: Answer): Promise<void> {
  const { statusCode, body } = await answer;
  if (statusCode >= 300 || browser.token === null || browser.token === before)
    throw new Error(`No session was given: ${statusCode} ${body}`);
}

async function findPerson({ services: { db } }: TestApp, email: string): Promise<Person> {
  return db.selectFrom('people').select(['id', 'email']).where('email', '=', email).executeTakeFirstOrThrow();
}

/** `run` signs in with the browser. The token from before, if there was one, has to end as well. */
async function given(
  app: TestApp,
  browser: Browser,
  person: () => Promise<Person>,
  run: (browser: Browser) => Answer,
): Promise<Given> {
  const before = browser.token;
  await requireSession(browser, before, run(browser));
  const tokens = [before, browser.token].filter((token) => token !== null);
  const use = () => outcomes(...tokens.map((token) => new Browser(app, token).get('/me')));
  return { app, person: await person(), browser, use };
}

export async function signedInPerson(app: TestApp): Promise<{ person: Person; browser: Browser }> {
  const person = await createPerson(app.services.db);
  return { person, browser: new Browser(app, await createSession(app.services.db, person)) };
}

export async function ticketFor(app: TestApp, { email }: Person): Promise<string> {
  return (await new Browser(app).post('/sign-in', { email, password: PASSWORD })).json().ticket;
}

/** An invitation of somebody new, by the owner of a new account. */
export async function invite(app: TestApp) {
  const { account, owner } = await createOwnedAccount(app);
  const email = freshEmail();
  const path = `/accounts/${account.id}/invitations`;
  const { id } = (await owner.post(path, { email, role: 'developer' })).json();
  const token = await mailedToken(app.services.db, email, 'invitation');
  return { account, owner, email, path: `${path}/${id}`, token };
}

const gives: Readonly<Record<string, (app: TestApp) => Promise<Given>>> = {
  async signIn(app) {
    const person = await createPerson(app.services.db);
    const input = { email: person.email, password: PASSWORD };
    return given(
      app,
      new Browser(app),
      async () => person,
      (browser) => browser.post('/sign-in', input),
    );
  },
  async completeSecondFactor(app) {
    const { person, codes } = await personWithCodes(app, 1);
    const input = { ticket: await ticketFor(app, person), method: 'recovery_code', code: codes[0] };
    return given(
      app,
      new Browser(app),
      async () => person,
      (browser) => browser.post('/sign-in/second-factor', input),
    );
  },
  async signInWithPasskey(app) {
    const { person, browser } = await signedInPerson(app);
    const passkey = await passkeyOf(browser);
    const { challenge_id, options } = (await new Browser(app).post('/sign-in/passkey/options')).json();
    const input = { challenge_id, response: passkey.sign(options) };
    return given(
      app,
      new Browser(app),
      async () => person,
      (each) => each.post('/sign-in/passkey', input),
    );
  },
  async verifyEmail(app) {
    const email = freshEmail();
    const names = { name: 'Ada', account_name: 'Ada', country: 'DE', terms_accepted: true };
    await new Browser(app).post('/sign-up', { ...names, email, password: PASSWORD });
    const token = await mailedToken(app.services.db, email, 'verify_email');
    return given(
      app,
      new Browser(app),
      () => findPerson(app, email),
      (browser) => browser.post('/verify', { token }),
    );
  },
  async completeRecovery(app) {
    const person = await createPerson(app.services.db);
    const input = { token: await recoveryToken(app, person.email), password: PASSWORD };
    return given(
      app,
      new Browser(app),
      async () => person,
      (browser) => browser.post('/recover/complete', input),
    );
  },
  async acceptWelcome(app) {
    const email = freshEmail();
    const link = await createWelcomeLink(app.services.db, ORIGIN, { name: 'Ada', email });
    const input = { token: link.split('#')[1], password: PASSWORD };
    return given(
      app,
      new Browser(app),
      () => findPerson(app, email),
      (browser) => browser.post('/welcome', input),
    );
  },
  async acceptInvitation(app) {
    const { email, token } = await invite(app);
    return given(
      app,
      new Browser(app),
      () => findPerson(app, email),
      (browser) => browser.post('/invitations/accept', { token, name: 'Ada', password: PASSWORD }),
    );
  },
  async reauthenticate(app) {
    const { person, browser } = await signedInPerson(app);
    return given(
      app,
      browser,
      async () => person,
      () => browser.post('/reauthenticate', { password: PASSWORD }),
    );
  },
  async reauthenticateWithPasskey(app) {
    const { person, browser } = await signedInPerson(app);
    const passkey = await passkeyOf(browser);
    const { challenge_id, options } = (await browser.post('/reauthenticate/passkey/options')).json();
    const input = { challenge_id, response: passkey.sign(options) };
    return given(
      app,
      browser,
      async () => person,
      () => browser.post('/reauthenticate/passkey', input),
    );
  },
  async confirmTotp(app) {
    const { person, browser } = await signedInPerson(app);
    const { secret } = (await browser.post('/me/totp/start')).json();
    return given(
      app,
      browser,
      async () => person,
      () => browser.post('/me/totp', { code: appCodeOf(decodeSecret(secret)) }),
    );
  },
  async addPasskey(app) {
    const { person, browser } = await signedInPerson(app);
    const { challenge_id, options } = (await browser.post('/me/passkeys/options')).json();
    const input = { challenge_id, name: 'Test', response: new SoftwarePasskey(ORIGIN).register(options) };
    return given(
      app,
      browser,
      async () => person,
      () => browser.post('/me/passkeys', input),
    );
  },
};

/** People with a second factor need it to recover the password. */
const withoutFactor = ['signIn', 'verifyEmail', 'acceptWelcome', 'acceptInvitation', 'reauthenticate'];

export const sessionBearers: readonly ActBearer[] = Object.entries(gives).map(([id, give]) => ({
  title: `the session that ${id} gives`,
  acts: [id],
  keptIn: ['sessions.token_hash', 'sessions.previous_token_hash'],
  give,
  endings: withoutFactor.includes(id) ? [...endingsOfSessions, recovery] : endingsOfSessions,
  isLasting: true,
}));
