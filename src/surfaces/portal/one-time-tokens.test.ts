/**
 * Whatever works once works once also when it is used several times at the same moment: one use wins, all others are
 * refused, and no session is left of them. All uses wait behind one lock, so that they truly meet.
 */
import type { LightMyRequestResponse } from 'fastify';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Purpose } from '../../portal-api/people/tokens/store.ts';
import { hashOf } from '../../portal-api/people/tokens/tokens.ts';
import { normaliseCode } from '../../portal-api/people/typed-codes.ts';
import { createWelcomeLink } from '../../portal-api/people/welcome.ts';
import { createKey, type TestAccount } from '../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { SoftwarePasskey } from '../../testing/authenticator.ts';
import { allowLogin } from '../../testing/cli-login.ts';
import {
  Browser,
  createOwnedAccount,
  createPerson,
  createSession,
  mailedToken,
  ORIGIN,
  PASSWORD,
} from '../../testing/people.ts';
import { untilWaiting } from '../../testing/portal.ts';
import { passkeyOf, personWithCodes } from '../../testing/second-factors.ts';

let t: TestApp;
let account: TestAccount;
let owner: Browser;

beforeAll(async () => {
  t = await createTestApp({ portal: true });
  ({ account, owner } = await createOwnedAccount(t));
});
afterAll(() => t.close());

const AT_ONCE = 3;
let serial = 0;
const fresh = (): string => `once-${++serial}@example.com`;
const passwordOf = (n: number): string => `a sentence for number ${n} of them`;

type Use = (n: number) => Promise<LightMyRequestResponse>;

interface Case {
  readonly use: Use;
  /** The row that every use has to lock. */
  readonly meet: ReturnType<typeof sql>;
  /** The codes with which a use may be refused. */
  readonly refusals: readonly string[];
  /** Whose sessions are counted, and how many are left. */
  readonly sessions?: readonly [email: string, count: number];
  readonly check?: (winner: number) => Promise<void>;
}

const tokenRow = (token: string) =>
  sql`select 1 from one_time_tokens where hash = ${hashOf(token)} for update`;
const accountRow = () => sql`select 1 from accounts where id = ${account.id} for update`;

const LINK = ['link_not_valid'];
const browsers = Array.from({ length: AT_ONCE }, () => null);

async function useAtOnce({ use, meet }: Case): Promise<string[]> {
  let uses: Promise<string>[] = [];
  await t.services.db.transaction().execute(async (tx) => {
    await meet.execute(tx);
    uses = browsers.map(async (_, n) => {
      const answer = await use(n);
      return answer.statusCode < 300 ? 'done' : String(answer.json().code);
    });
    await untilWaiting(t.services.db, AT_ONCE);
  });
  return Promise.all(uses);
}

const countSessions = async (email: string): Promise<number> => {
  const { rows } = await sql`
    select 1 from sessions s join people p on p.id = s.person_id where p.email = ${email}`.execute(
    t.services.db,
  );
  return rows.length;
};

const canSignIn = async (email: string, password: string): Promise<boolean> =>
  (await new Browser(t).post('/sign-in', { email, password })).statusCode === 200;

async function recoveryToken(email: string): Promise<string> {
  await new Browser(t).post('/recover', { email });
  return (await mailedToken(t.services.db, email, 'recover_password')) ?? '';
}

/** Recovery with different new passwords, and more input by the number of the use. */
async function recovery(email: string, more: (n: number) => object = () => ({})): Promise<Case> {
  const token = await recoveryToken(email);
  return {
    meet: tokenRow(token),
    refusals: LINK,
    sessions: [email, 1],
    use: (n) => new Browser(t).post('/recover/complete', { token, password: passwordOf(n), ...more(n) }),
    async check(winner) {
      for (const [n] of browsers.entries())
        if (n !== winner) expect(await canSignIn(email, passwordOf(n))).toBe(false);
      expect(await canSignIn(email, passwordOf(winner))).toBe(true);
    },
  };
}

async function signedIn() {
  const person = await createPerson(t.services.db);
  const browser = new Browser(t, await createSession(t.services.db, person));
  return { person, browser };
}

/** Every purpose that a one-time token can have. */
const purposes: Readonly<Record<Purpose, () => Promise<Case>>> = {
  async verify_email() {
    const email = fresh();
    const input = {
      name: 'Ada',
      email,
      password: PASSWORD,
      account_name: 'Ada',
      country: 'DE',
      terms_accepted: true,
    };
    await new Browser(t).post('/sign-up', input);
    const token = (await mailedToken(t.services.db, email, 'verify_email')) ?? '';
    return {
      meet: tokenRow(token),
      refusals: LINK,
      sessions: [email, 1],
      use: () => new Browser(t).post('/verify', { token }),
    };
  },
  recover: async () => recovery((await createPerson(t.services.db)).email),
  async welcome() {
    const email = fresh();
    const [, token = ''] = (await createWelcomeLink(t.services.db, ORIGIN, { name: 'Ada', email })).split(
      '#',
    );
    return {
      meet: tokenRow(token),
      refusals: LINK,
      sessions: [email, 1],
      use: (n) => new Browser(t).post('/welcome', { token, password: passwordOf(n) }),
    };
  },
  async second_factor() {
    const { person, codes } = await personWithCodes(t, AT_ONCE);
    const { ticket } = (
      await new Browser(t).post('/sign-in', { email: person.email, password: PASSWORD })
    ).json();
    return {
      meet: tokenRow(ticket),
      refusals: ['sign_in_failed'],
      sessions: [person.email, 1],
      use: (n) =>
        new Browser(t).post('/sign-in/second-factor', { ticket, method: 'recovery_code', code: codes[n] }),
    };
  },
  async passkey_sign_in() {
    const { person, browser } = await signedIn();
    const passkey = await passkeyOf(browser);
    const { challenge_id, options } = (await new Browser(t).post('/sign-in/passkey/options')).json();
    const response = passkey.sign(options);
    return {
      meet: tokenRow(challenge_id),
      refusals: LINK,
      sessions: [person.email, 2],
      use: () => new Browser(t).post('/sign-in/passkey', { challenge_id, response }),
    };
  },
  async passkey_registration() {
    const { person, browser } = await signedIn();
    const { challenge_id, options } = (await browser.post('/me/passkeys/options')).json();
    const response = new SoftwarePasskey(ORIGIN).register(options);
    return {
      meet: tokenRow(challenge_id),
      refusals: LINK,
      sessions: [person.email, 1],
      use: () => new Browser(t, browser.token).post('/me/passkeys', { challenge_id, name: 'Test', response }),
    };
  },
  async passkey_reauthentication() {
    const { person, browser } = await signedIn();
    const passkey = await passkeyOf(browser);
    const { challenge_id, options } = (await browser.post('/reauthenticate/passkey/options')).json();
    const response = passkey.sign(options);
    return {
      meet: tokenRow(challenge_id),
      refusals: LINK,
      sessions: [person.email, 1],
      use: () => new Browser(t, browser.token).post('/reauthenticate/passkey', { challenge_id, response }),
    };
  },
  async cli_login() {
    const grant = await allowLogin(owner, account.id);
    return {
      meet: sql`select 1 from one_time_tokens where hash = ${hashOf(normaliseCode(grant.code))} for update`,
      refusals: LINK,
      use: () => new Browser(t).post('/cli-logins/complete', grant),
    };
  },
};

type WithCodes = Awaited<ReturnType<typeof personWithCodes>>;

/** One code, entered in two sign-ins and to choose a new password. */
async function codeUses(
  method: 'totp' | 'recovery_code',
  { person, codes, appCode }: WithCodes,
  meet: Case['meet'],
): Promise<Case> {
  const { email } = person;
  const tickets = await Promise.all(
    browsers.map(async () => (await new Browser(t).post('/sign-in', { email, password: PASSWORD })).json()),
  );
  const token = await recoveryToken(email);
  const entered = { method, code: method === 'totp' ? appCode() : codes[0] };
  return {
    meet,
    refusals: ['sign_in_failed'],
    sessions: [email, 1],
    use: (n) =>
      n === 0
        ? new Browser(t).post('/recover/complete', { token, password: passwordOf(n), ...entered })
        : new Browser(t).post('/sign-in/second-factor', { ticket: tickets[n].ticket, ...entered }),
  };
}

const personRow = ({ id }: { readonly id: string }) => sql`select 1 from people where id = ${id} for update`;

async function invite(): Promise<{ readonly email: string; readonly token: string | null }> {
  const email = fresh();
  await owner.post(`/accounts/${account.id}/invitations`, { email, role: 'developer' });
  return { email, token: await mailedToken(t.services.db, email, 'invitation') };
}

const others: Readonly<Record<string, () => Promise<Case>>> = {
  async 'a recovery link with a recovery code each'() {
    const { person, codes } = await personWithCodes(t, AT_ONCE);
    return {
      ...(await recovery(person.email, (n) => ({ method: 'recovery_code', code: codes[n] }))),
      check: async () => {},
    };
  },
  async 'a recovery link after the wait of a day'() {
    const { person } = await personWithCodes(t, AT_ONCE);
    const made = await recovery(person.email, () => ({ method: 'wait' }));
    expect((await made.use(0)).json().status).toBe('waiting');
    await sql`update one_time_tokens set usable_from = clock_timestamp() where person_id = ${person.id}`.execute(
      t.services.db,
    );
    return made;
  },
  async 'a code of the app in several sign-ins and a recovery'() {
    const made = await personWithCodes(t, 1);
    return codeUses('totp', made, personRow(made.person));
  },
  async 'a recovery code in several sign-ins and a recovery'() {
    const made = await personWithCodes(t, 1);
    return codeUses('recovery_code', made, personRow(made.person));
  },
  async 'a code of the app with which a person signs in and re-authenticates'() {
    const { person, appCode } = await personWithCodes(t, 1);
    const token = await createSession(t.services.db, person);
    const { ticket } = (
      await new Browser(t).post('/sign-in', { email: person.email, password: PASSWORD })
    ).json();
    const code = appCode();
    return {
      meet: personRow(person),
      refusals: ['sign_in_failed'],
      use: (n) =>
        n === 0
          ? new Browser(t).post('/sign-in/second-factor', { ticket, method: 'totp', code })
          : new Browser(t, token).post('/reauthenticate', { code }),
    };
  },
  async 'an invitation of somebody new'() {
    const { email, token } = await invite();
    return {
      meet: accountRow(),
      refusals: LINK,
      sessions: [email, 1],
      use: (n) =>
        new Browser(t).post('/invitations/accept', { token, name: `Ada ${n}`, password: passwordOf(n) }),
    };
  },
  async 'an invitation that is accepted and declined'() {
    const { token } = await invite();
    const accept = { token, name: 'Ada', password: PASSWORD };
    return {
      meet: accountRow(),
      refusals: LINK,
      use: (n) =>
        n === 0
          ? new Browser(t).post('/invitations/accept', accept)
          : new Browser(t).post('/invitations/decline', { token }),
    };
  },
  async 'the decision about a call of a key'() {
    const { key } = await createKey(t.services.db, account, { approval: 'writes' });
    const payload = { name: `once-${++serial}`, size: 1 };
    const asked = await t.call({ method: 'POST', url: '/workshop/v1/widgets', key, payload });
    const path = `/accounts/${account.id}/approvals/${asked.json().operation_id}`;
    return {
      meet: accountRow(),
      refusals: ['invalid_state'],
      use: (n) => owner.post(`${path}/${n === 0 ? 'deny' : 'approve'}`),
    };
  },
  async 'an approval that a key uses'() {
    const { key } = await createKey(t.services.db, account, { approval: 'writes' });
    const call = {
      method: 'POST' as const,
      url: '/workshop/v1/widgets',
      key,
      payload: { name: `once-${++serial}`, size: 1 },
    };
    const { operation_id } = (await t.call(call)).json();
    await owner.post(`/accounts/${account.id}/approvals/${operation_id}/approve`);
    return {
      meet: sql`select 1 from approvals where operation_id = ${operation_id} for update`,
      refusals: ['approval_used', 'approval_mismatch', 'name_taken'],
      use: () => t.call({ ...call, headers: { 'approval-id': operation_id } }),
    };
  },
};

describe('a one-time token used several times at the same time', () => {
  it.each([...Object.entries(purposes), ...Object.entries(others)])('%s works once', async (_, prepare) => {
    const made = await prepare();
    const outcomes = await useAtOnce(made);
    const winners = outcomes.flatMap((outcome, n) => (outcome === 'done' ? [n] : []));
    expect([outcomes, winners.length]).toEqual([outcomes, 1]);
    const refused = outcomes.filter((outcome) => outcome !== 'done');
    expect(refused.filter((outcome) => !made.refusals.includes(outcome))).toEqual([]);
    if (made.sessions) expect(await countSessions(made.sessions[0])).toBe(made.sessions[1]);
    await made.check?.(winners[0] ?? -1);
  });

  it('starts one waiting period if it is a recovery link', async () => {
    const { person } = await personWithCodes(t, AT_ONCE);
    const made = await recovery(person.email, () => ({ method: 'wait' }));
    expect(await useAtOnce(made)).toEqual(browsers.map(() => 'done'));
    expect(await countSessions(person.email)).toBe(0);
    const { rows } = await sql`
      select 1 from person_events where person_id = ${person.id} and type = 'recovery_waits'`.execute(
      t.services.db,
    );
    expect(rows).toHaveLength(1);
  });
});
