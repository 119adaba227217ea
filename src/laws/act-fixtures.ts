/** For each act of a signed-in person that changes something: an input with which it succeeds. */
import { randomBytes } from 'node:crypto';
import { newId } from '../kernel/ids.ts';
import { setBudget } from '../portal-api/budgets/budgets.ts';
import { codeAt, stepAt } from '../portal-api/people/totp/totp.ts';
import { createKey, createMember, type TestAccount } from '../testing/accounts.ts';
import type { TestApp } from '../testing/app.ts';
import { SoftwarePasskey } from '../testing/authenticator.ts';
import { CLI_VERIFIER, challengeFor } from '../testing/cli-login.ts';
import { type Browser, createSession, ORIGIN, PASSWORD } from '../testing/people.ts';

/** Who acts, in which account. */
export interface Acting {
  readonly app: TestApp;
  readonly account: TestAccount;
  readonly personId: string;
  readonly memberId: string;
  readonly browser: Browser;
}

export interface ActInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly input?: object;
}

type Prepare = (acting: Acting) => Promise<ActInput>;

let serial = 0;
const fresh = (): string => `act-${process.pid}-${++serial}`;

/** A key of the member who acts: members other than admins may change only their own. */
const ownKey =
  (input: object = {}, values: object = {}): Prepare =>
  async ({ app, account, memberId }) => {
    const { id } = await createKey(app.services.db, account, { owner_id: memberId, ...values });
    return { params: { key_id: id }, input };
  };

const otherMember =
  (input: object = {}, status: 'active' | 'suspended' = 'active'): Prepare =>
  async ({ app, account }) => ({
    params: { member_id: await createMember(app.services.db, account.id, 'developer', status) },
    input,
  });

const invited: Prepare = async ({ app, account }) => {
  const { db } = app.services;
  const member_id = await createMember(db, account.id, 'viewer');
  await db.updateTable('members').set({ status: 'invited' }).where('id', '=', member_id).execute();
  const id = newId('invitation');
  const expires_at = new Date(Date.now() + 3_600_000);
  const inviter = { invited_by: 'test', inviter_name: 'Ada' };
  await db
    .insertInto('invitations')
    .values({ id, account_id: account.id, member_id, token_hash: randomBytes(32), expires_at, ...inviter })
    .execute();
  return { params: { invitation_id: id } };
};

const asked: Prepare = async ({ app, account }) => {
  const { key } = await createKey(app.services.db, account, { approval: 'writes' });
  const payload = { name: fresh(), size: 1 };
  const answer = await app.call({ method: 'POST', url: '/workshop/v1/widgets', key, payload });
  return { params: { operation_id: answer.json().operation_id } };
};

const entry: Prepare = async ({ app, account }) => {
  const id = newId('allowlist_entry');
  await app.services.db
    .insertInto('ip_allowlist_entries')
    .values({ id, account_id: account.id, cidr: `10.9.${++serial % 250}.0/24`, created_by: 'test' })
    .execute();
  return { params: { entry_id: id } };
};

const totp =
  (column: 'totp_secret' | 'totp_pending', input: (secret: Buffer) => object): Prepare =>
  async ({ app, personId }) => {
    const secret = randomBytes(20);
    const sealed = app.services.secrets.close(secret, personId);
    await app.services.db
      .updateTable('people')
      .set({ [column]: sealed, totp_enabled_at: column === 'totp_secret' ? new Date() : null })
      .where('id', '=', personId)
      .execute();
    return { input: input(secret) };
  };

async function offered({ browser }: Acting, path: string) {
  const answer = await browser.post(path);
  return answer.json() as { challenge_id: string; options: { challenge: string } };
}

async function newPasskey(acting: Acting): Promise<SoftwarePasskey> {
  const passkey = new SoftwarePasskey(ORIGIN);
  const { challenge_id, options } = await offered(acting, '/me/passkeys/options');
  const response = passkey.register(options);
  await acting.browser.post('/me/passkeys', { challenge_id, name: 'Test', response });
  return passkey;
}

export const actFixtures: Readonly<Record<string, Prepare>> = {
  changeRole: otherMember({ role: 'operator' }),
  suspendMember: otherMember(),
  reinstateMember: otherMember({}, 'suspended'),
  removeMember: otherMember(),
  setMfaRequired: async () => ({ input: { required: false } }),
  inviteMember: async () => ({ input: { email: `${fresh()}@example.com`, role: 'viewer' } }),
  withdrawInvitation: invited,
  sendInvitationAgain: invited,
  createApiKey: async () => ({
    input: { name: fresh(), permissions: ['account:profile:read'], expires_in: '1d' },
  }),
  allowCliLogin: async () => ({
    input: {
      challenge: challengeFor(CLI_VERIFIER),
      computer: 'laptop',
      name: fresh(),
      permissions: ['account:profile:read'],
      expires_in: '1d',
    },
  }),
  rollApiKey: ownKey({}, { permissions: ['account:profile:read'] }),
  changeApiKey: ownKey({ notes: 'For the build' }),
  suspendApiKey: ownKey(),
  resumeApiKey: ownKey({}, { status: 'suspended' }),
  revokeApiKey: ownKey({ reason: 'unused' }),
  transferApiKey: async (acting) => {
    const { params } = await ownKey()(acting);
    const member_id = await createMember(acting.app.services.db, acting.account.id, 'developer');
    return { params: params ?? {}, input: { member_id } };
  },
  changeAccountProfile: async () => ({
    input: {
      name: fresh(),
      timezone: 'Europe/Paris',
      contacts: { technical: [`${fresh()}@example.com`], abuse: [], security: [] },
    },
  }),
  closeAccount: async ({ app, account }) => {
    const { name } = await app.services.db
      .selectFrom('accounts')
      .select('name')
      .where('id', '=', account.id)
      .executeTakeFirstOrThrow();
    return { input: { name } };
  },
  setBudgetLock: async ({ app, account }) => {
    const actor = { kind: 'provider_staff', name: 'test' } as const;
    const budget = { account_id: account.id, budget: fresh(), amount: '10', thresholds: [{ percent: 80 }] };
    const { id } = await setBudget(app.services.db, actor, budget, app.services.provider.catalogue);
    return { params: { budget_id: id }, input: { locked: true } };
  },
  setKeyPolicy: async () => ({ input: { default_approval: 'off' } }),
  suspendAllKeys: async () => ({ input: { suspended: false } }),
  addIpAllowlistEntry: async () => ({ input: { cidr: `10.8.${++serial % 250}.0/24` } }),
  removeIpAllowlistEntry: entry,
  setIpAllowlistMode: async () => ({ input: { mode: 'off' } }),
  approveRequest: asked,
  denyRequest: async (acting) => ({ ...(await asked(acting)), input: { reason: 'not today' } }),

  signOut: async () => ({}),
  reauthenticate: async () => ({ input: { password: PASSWORD } }),
  offerPasskeyReauthentication: async () => ({}),
  reauthenticateWithPasskey: async (acting) => {
    const passkey = await newPasskey(acting);
    const { challenge_id, options } = await offered(acting, '/reauthenticate/passkey/options');
    return { input: { challenge_id, response: passkey.sign(options) } };
  },
  changeMe: async () => ({ input: { name: fresh() } }),
  changePassword: async () => ({ input: { new_password: `${PASSWORD}, and one more` } }),
  startTotp: async () => ({}),
  confirmTotp: totp('totp_pending', (secret) => ({ code: codeAt(secret, stepAt(Date.now() / 1000)) })),
  removeTotp: totp('totp_secret', () => ({})),
  offerPasskey: async () => ({}),
  addPasskey: async (acting) => {
    const { challenge_id, options } = await offered(acting, '/me/passkeys/options');
    return {
      input: { challenge_id, name: 'Phone', response: new SoftwarePasskey(ORIGIN).register(options) },
    };
  },
  removePasskey: async (acting) => {
    await newPasskey(acting);
    const { passkeys } = (await acting.browser.get('/me/security')).json();
    return { params: { passkey_id: passkeys[0].id } };
  },
  createRecoveryCodes: async () => ({}),
  endSession: async ({ app, personId }) => {
    await createSession(app.services.db, { id: personId });
    const row = await app.services.db
      .selectFrom('sessions')
      .select('id')
      .where('person_id', '=', personId)
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow();
    return { params: { session_id: row.id } };
  },
  endOtherSessions: async () => ({}),
};

/** The parameters of paths that are only read. */
export const readParams: Prepare = async (acting) => {
  const { params: key } = await ownKey()(acting);
  const { params: approval } = await asked(acting);
  return { params: { ...key, ...approval } };
};
