/**
 * What acts of the portal, and the mails that they cause, hand out: sessions, keys, tickets, challenges, secrets, codes
 * and links. For each of them: how a person gets it, how it is used, and what ends it.
 */
import { hasSecret } from '../kernel/serialise.ts';
import { resetSecondFactor } from '../portal-api/people/staff.ts';
import { acts } from '../surfaces/portal/acts/index.ts';
import type { TestApp } from '../testing/app.ts';
import { Browser, createSession, mailedToken, ORIGIN } from '../testing/people.ts';
import { staff } from '../testing/portal.ts';
import { outcomeOfAct } from './act-world.ts';

/** The acts whose answers contain a secret, or give the browser a session. */
export const handingOutActs: readonly string[] = acts
  .filter(({ answer, givesSession }) => givesSession || hasSecret(answer))
  .map(({ id }) => id)
  .sort();

/** Something that was handed out, with what its uses and its ends need to know. */
export interface Given {
  readonly app: TestApp;
  readonly person: { readonly id: string; readonly email: string };
  /** Of the person to whom it was given. */
  readonly browser: Browser;
  /** Codes with which the person can recover the password. */
  readonly codes?: readonly string[];
  /** Uses it, in each form that was given. Returns what was answered. */
  use(): Promise<readonly string[]>;
}

export interface Ending {
  readonly title: string;
  take(given: Given): Promise<unknown>;
}

export interface ActBearer {
  readonly title: string;
  /** The acts that hand it out; none if only mails do. */
  readonly acts: readonly string[];
  /** The columns with its hash. */
  readonly keptIn: readonly string[];
  give(app: TestApp): Promise<Given>;
  readonly endings: readonly Ending[];
  /** It can be used more than once. */
  readonly isLasting?: true;
}

export const NEW_PASSWORD = 'five quite unrelated words here';

export const outcomes = async (...answers: readonly ReturnType<Browser['post']>[]): Promise<string[]> =>
  (await Promise.all(answers)).map(outcomeOfAct);

const anotherBrowser = async ({ app, person }: Given): Promise<Browser> =>
  new Browser(app, await createSession(app.services.db, person));

async function done(answer: ReturnType<Browser['post']>): Promise<void> {
  const { statusCode, body } = await answer;
  if (statusCode >= 300) throw new Error(`${statusCode} ${body}`);
}

export async function recoveryToken(app: TestApp, email: string): Promise<string> {
  await new Browser(app).post('/recover', { email });
  return (await mailedToken(app.services.db, email, 'recover_password')) ?? '';
}

export const signOut: Ending = {
  title: 'the sign-out',
  take: ({ browser }) => done(browser.post('/sign-out')),
};

export const newPassword: Ending = {
  title: 'a new password',
  take: async (given) =>
    done((await anotherBrowser(given)).post('/me/password', { new_password: NEW_PASSWORD })),
};

export const recovery: Ending = {
  title: 'the recovery of the password',
  async take({ app, person, codes }) {
    const token = await recoveryToken(app, person.email);
    const factor = codes === undefined ? {} : { method: 'recovery_code', code: codes.at(-1) };
    await done(new Browser(app).post('/recover/complete', { token, password: NEW_PASSWORD, ...factor }));
  },
};

export const secondFactorReset: Ending = {
  title: 'the reset of the second factor by the provider',
  take: ({ app, person }) => resetSecondFactor(app.services.db, staff, person.id, ORIGIN),
};

export const passkeyRemoved: Ending = {
  title: 'the removal of the passkey',
  async take(given) {
    const browser = await anotherBrowser(given);
    const { passkeys } = (await browser.get('/me/security')).json();
    await done(browser.send('DELETE', `/me/passkeys/${passkeys[0].id}`));
  },
};

export const endingsOfSessions: readonly Ending[] = [
  signOut,
  newPassword,
  secondFactorReset,
  {
    title: 'its end by the person',
    async take(given) {
      const browser = await anotherBrowser(given);
      const { sessions } = (await browser.get('/me/security')).json();
      for (const { id, current } of sessions)
        if (!current) await done(browser.send('DELETE', `/me/sessions/${id}`));
    },
  },
  {
    title: 'the end of all other sessions',
    take: async (given) => done((await anotherBrowser(given)).post('/me/sessions/end-others')),
  },
];
