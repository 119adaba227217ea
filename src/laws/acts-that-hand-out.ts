/** What acts hand out beside sessions: keys, tickets, challenges, secrets and codes; and the links in mails. */
import { readPublicId } from '../kernel/access/key-format.ts';
import { createAccount } from '../testing/accounts.ts';
import type { TestApp } from '../testing/app.ts';
import { SoftwarePasskey } from '../testing/authenticator.ts';
import { allowLogin } from '../testing/cli-login.ts';
import { Browser, createSession, ORIGIN, PASSWORD } from '../testing/people.ts';
import { appCodeOf, decodeSecret, passkeyOf, personWithCodes } from '../testing/second-factors.ts';
import { SignedIn } from '../testing/signed-in.ts';
import { invite, signedInPerson, ticketFor } from './acts-that-sign-in.ts';
import {
  type ActBearer,
  type Ending,
  type Given,
  newPassword,
  outcomes,
  passkeyRemoved,
  recovery,
  recoveryToken,
  secondFactorReset,
  signOut,
} from './handed-by-acts.ts';
import { type Holder, losses } from './lost-rights.ts';
import { outcomeOf } from './responses.ts';

interface GivenKey extends Given, Holder {}

let serial = 0;

interface Shown {
  readonly key: { readonly id: string; readonly name: string };
  readonly secret: string;
}

/** Gets a key of the member whose browser it is. */
type MakeKey = (browser: Browser, accountId: string) => Promise<Shown>;

const chosen = () => ({ name: `bearer-${++serial}`, permissions: ['*:*:*'], expires_in: '1d' });

const createdKey: MakeKey = async (browser, accountId) =>
  (await browser.post(`/accounts/${accountId}/keys`, chosen())).json();

const rolledKey: MakeKey = async (browser, accountId) => {
  const { key } = await createdKey(browser, accountId);
  return (await browser.post(`/accounts/${accountId}/keys/${key.id}/roll`, {})).json();
};

const fetchedKey =
  (app: TestApp): MakeKey =>
  async (browser, accountId) => {
    const grant = await allowLogin(browser, accountId, chosen());
    return (await new Browser(app).post('/cli-logins/complete', grant)).json();
  };

/** A key of a member who is no owner. */
async function giveKey(app: TestApp, make: MakeKey): Promise<GivenKey> {
  const { db } = app.services;
  const account = await createAccount(db);
  const member = await SignedIn.open(app, account.id, 'admin');
  const browser = new Browser(app, member.token);
  const shown = await make(browser, account.id);
  const key = { id: shown.key.id, name: shown.key.name, publicId: readPublicId(shown.secret) ?? '' };
  const use = async () => {
    const payload = { name: `used-${++serial}`, size: 1 };
    const call = { method: 'POST' as const, url: '/workshop/v1/widgets', payload, key: shown.secret };
    return [outcomeOf(await app.call(call))];
  };
  const { memberId } = member;
  const person = { id: member.personId, email: '' };
  return { app, db, account, memberId, key: { ...key, key: shown.secret }, person, browser, use };
}

const keyBearer = (act: string, make: (app: TestApp) => MakeKey): ActBearer => ({
  title: `the key that ${act} shows`,
  acts: [act],
  keptIn: ['api_keys.hash'],
  give: (app) => giveKey(app, make(app)),
  endings: losses.map(({ title, take }) => ({ title, take: (given) => take(given as GivenKey) })),
  isLasting: true,
});

const MOST_WRONG_CODES = 5;

/** Somebody who has only the password tries codes. */
const wrongCodes: Ending = {
  title: 'many wrong codes',
  async take(given) {
    for (let n = 0; n < MOST_WRONG_CODES; n++) await (given as GivenCodes).enter('wrong-wrong');
  },
};

interface GivenCodes extends Given {
  enter(code: string): Promise<unknown>;
}

async function giveTicket(app: TestApp): Promise<GivenCodes> {
  const { person, codes } = await personWithCodes(app, 2);
  const ticket = await ticketFor(app, person);
  const enter = (code = codes[0]) =>
    new Browser(app).post('/sign-in/second-factor', { ticket, method: 'recovery_code', code });
  return { app, person, codes, browser: new Browser(app), use: () => outcomes(enter()), enter };
}

async function giveSecret(app: TestApp): Promise<Given> {
  const { person, browser } = await signedInPerson(app);
  const secret = decodeSecret((await browser.post('/me/totp/start')).json().secret);
  await browser.post('/me/totp', { code: appCodeOf(secret) });
  // The code of this step was used to set up the app; that of the next one is accepted early.
  const use = () =>
    outcomes(new Browser(app, browser.token).post('/reauthenticate', { code: appCodeOf(secret, 1) }));
  return { app, person, browser, use };
}

const otherApp: Ending = {
  title: 'the set-up of another app',
  async take({ browser }) {
    const secret = decodeSecret((await browser.post('/me/totp/start')).json().secret);
    await browser.post('/me/totp', { code: appCodeOf(secret) });
  },
};

async function giveCodes(app: TestApp): Promise<Given> {
  const { person } = await personWithCodes(app, 0);
  const browser = new Browser(app, await createSession(app.services.db, person));
  const { codes } = (await browser.post('/me/recovery-codes')).json();
  const ticket = await ticketFor(app, person);
  const input = { ticket, method: 'recovery_code', code: codes[0] };
  const use = () => outcomes(new Browser(app).post('/sign-in/second-factor', input));
  return { app, person, browser, use };
}

/** Answers a challenge that `offer` gives, at `path`. */
const giveChallenge =
  (offer: string, path: string, byStranger: boolean) =>
  async (app: TestApp): Promise<Given> => {
    const { person, browser } = await signedInPerson(app);
    const passkey = await passkeyOf(browser);
    const visitor = byStranger ? new Browser(app) : browser;
    const { challenge_id, options } = (await visitor.post(offer)).json();
    const isNew = path === '/me/passkeys';
    const response = isNew ? new SoftwarePasskey(ORIGIN).register(options) : passkey.sign(options);
    const input = { challenge_id, response, ...(isNew ? { name: 'Other' } : {}) };
    const token = visitor.token;
    return { app, person, browser, use: () => outcomes(new Browser(app, token).post(path, input)) };
  };

const challenges = { keptIn: ['one_time_tokens.hash'] };

async function giveRecoveryLink(app: TestApp): Promise<Given> {
  const { person, browser } = await signedInPerson(app);
  const input = { token: await recoveryToken(app, person.email), password: PASSWORD };
  return { app, person, browser, use: () => outcomes(new Browser(app).post('/recover/complete', input)) };
}

interface GivenInvitation extends Given {
  readonly path: string;
  readonly owner: Browser;
  readonly accountId: string;
}

async function giveInvitation(app: TestApp): Promise<GivenInvitation> {
  const { account, email, owner, path, token } = await invite(app);
  const input = { token, name: 'Ada', password: PASSWORD };
  const use = () => outcomes(new Browser(app).post('/invitations/accept', input));
  return { app, person: { id: '', email }, browser: owner, owner, path, accountId: account.id, use };
}

const ofInvitation = (title: string, take: (given: GivenInvitation) => Promise<unknown>): Ending => ({
  title,
  take: (given) => take(given as GivenInvitation),
});

export const otherBearers: readonly ActBearer[] = [
  keyBearer('createApiKey', () => createdKey),
  keyBearer('rollApiKey', () => rolledKey),
  keyBearer('completeCliLogin', fetchedKey),
  {
    title: 'the ticket that signIn gives for a right password',
    acts: ['signIn'],
    keptIn: ['one_time_tokens.hash'],
    give: giveTicket,
    endings: [newPassword, recovery, secondFactorReset, wrongCodes],
  },
  {
    title: 'the secret that startTotp shows',
    acts: ['startTotp'],
    keptIn: [],
    give: giveSecret,
    endings: [
      { title: 'the removal of the app', take: ({ browser }) => browser.send('DELETE', '/me/totp') },
      otherApp,
      secondFactorReset,
    ],
  },
  {
    title: 'the codes that createRecoveryCodes shows',
    acts: ['createRecoveryCodes'],
    keptIn: ['recovery_codes.hash'],
    give: giveCodes,
    endings: [
      { title: 'new codes', take: ({ browser }) => browser.post('/me/recovery-codes') },
      secondFactorReset,
    ],
  },
  {
    ...challenges,
    title: 'the challenge of offerPasskeySignIn',
    acts: ['offerPasskeySignIn'],
    give: giveChallenge('/sign-in/passkey/options', '/sign-in/passkey', true),
    endings: [passkeyRemoved, secondFactorReset],
  },
  {
    ...challenges,
    title: 'the challenge of offerPasskeyReauthentication',
    acts: ['offerPasskeyReauthentication'],
    give: giveChallenge('/reauthenticate/passkey/options', '/reauthenticate/passkey', false),
    endings: [signOut, newPassword, passkeyRemoved, secondFactorReset],
  },
  {
    ...challenges,
    title: 'the challenge of offerPasskey',
    acts: ['offerPasskey'],
    give: giveChallenge('/me/passkeys/options', '/me/passkeys', false),
    endings: [signOut, newPassword, secondFactorReset],
  },
  {
    ...challenges,
    title: 'the link of a recovery mail',
    acts: [],
    give: giveRecoveryLink,
    endings: [newPassword, recovery],
  },
  {
    title: 'the link of an invitation',
    acts: [],
    keptIn: ['invitations.token_hash'],
    give: giveInvitation,
    endings: [
      ofInvitation('its withdrawal', ({ owner, path }) => owner.send('DELETE', path)),
      ofInvitation('another mail', ({ owner, path }) => owner.post(`${path}/send-again`)),
      ofInvitation('the end of the account', ({ app, accountId }) =>
        app.services.db
          .updateTable('accounts')
          .set({ status: 'closed' })
          .where('id', '=', accountId)
          .execute(),
      ),
    ],
  },
];
