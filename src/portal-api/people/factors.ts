/** Adds and removes what a person signs in with: the password, the app and passkeys. */
import { randomBytes } from 'node:crypto';
import { newId } from '../../kernel/ids.ts';
import { Problem } from '../../kernel/problems/problem.ts';
import { sendMail } from '../../mail/outbox.ts';
import type { Tx } from '../../store/database.ts';
import { transact } from '../../store/transaction.ts';
import { notFound } from '../portal-write.ts';
import { countGuess } from './attempts/guesses.ts';
import { logGuess, logPerson, type PersonEventType } from './log/log.ts';
import {
  checkRegistration,
  type Offered,
  offerRegistration,
  type RegistrationResponseJSON,
  takeChallenge,
} from './passkeys/ceremony.ts';
import {
  deletePasskey,
  deletePasskeys,
  findCredential,
  findPasskeys,
  insertPasskey,
} from './passkeys/store.ts';
import { hashPassword } from './passwords/hashing.ts';
import { requireGoodPassword } from './passwords/rules.ts';
import { replaceCodes } from './recovery-codes/store.ts';
import type { PeopleServices, RequestContext } from './request-context.ts';
import { changeData, type FoundSession, type Renewed, renewSession } from './sessions/sessions.ts';
import { deleteSessions } from './sessions/store.ts';
import { signInFailed, wrongCode } from './sign-in.ts';
import {
  enableTotp,
  findMemberships,
  lockPerson,
  markPasswordChanged,
  noteSecondFactor,
  type PersonRow,
  updatePerson,
} from './store.ts';
import { revokeTokens } from './tokens/store.ts';
import { base32, matchingStep, otpauthUri } from './totp/totp.ts';

const SECRET_BYTES = 20;
const MOST_PASSKEYS = 20;

type FactorChange = Extract<
  PersonEventType,
  'totp_added' | 'totp_removed' | 'passkey_added' | 'passkey_removed'
>;

async function requirePerson(tx: Tx, session: FoundSession): Promise<PersonRow> {
  const person = await lockPerson(tx, session.person.id);
  if (person === undefined) throw notFound('person', session.person.id);
  return person;
}

async function noteFactor(
  tx: Tx,
  context: RequestContext,
  person: PersonRow,
  change: FactorChange,
  passkey_name?: string,
): Promise<void> {
  const named = passkey_name === undefined ? {} : { passkey_name };
  await noteSecondFactor(tx, person.id);
  await logPerson(tx, context, person.id, change, named);
  const data = { ...changeData(context, person), change, ...named };
  await sendMail(tx, { to: person.email, template: 'second_factor_changed', data });
}

function impossible(detail: string): Problem {
  return new Problem('invalid_state', {
    detail,
    nextStep: 'Add another one first.',
    extra: { current_state: 'last', allowed_states: [] },
  });
}

/** The last way to sign in stays, and the last second factor while an account of the person requires one. */
async function requireRest(
  tx: Tx,
  person: PersonRow,
  rest: { passkeys: number; totp: boolean },
): Promise<void> {
  if (person.password_hash === null && rest.passkeys === 0)
    throw impossible('This is your only way to sign in, because you have no password.');
  if (rest.passkeys > 0 || rest.totp) return;
  const account = (await findMemberships(tx, person.id)).find(({ mfa_required }) => mfa_required);
  if (account !== undefined)
    throw impossible(
      `The account ${account.account_name} requires a second factor, and this is your last one.`,
    );
}

/**
 * Ends the other sessions, the links of recovery mails, and sign-ins that wait for the second factor: somebody who knew
 * the old password may hold one of them.
 */
export async function changePassword(
  { db }: PeopleServices,
  context: RequestContext,
  session: FoundSession,
  password: string,
): Promise<void> {
  requireGoodPassword(password, [session.person.name, session.person.email], '/new_password');
  const hash = await hashPassword(password);
  await transact(db, async (tx) => {
    const person = await requirePerson(tx, session);
    await markPasswordChanged(tx, person.id, hash);
    await revokeTokens(tx, person.id, ['recover', 'second_factor']);
    const ended = await deleteSessions(tx, person.id, session.id);
    await logPerson(tx, context, person.id, 'password_changed', { ended });
    await sendMail(tx, { to: person.email, template: 'password_changed', data: changeData(context, person) });
  });
}

export interface NewTotp {
  /** For people whose app cannot read the QR code. */
  readonly secret: string;
  readonly uri: string;
}

/** Nothing changes for the sign-in until a code of the app was entered. */
export async function startTotp(
  { db, secrets, provider }: PeopleServices,
  session: FoundSession,
): Promise<NewTotp> {
  const secret = randomBytes(SECRET_BYTES);
  const { id, email } = session.person;
  await transact(db, (tx) => updatePerson(tx, id, { totp_pending: secrets.close(secret, id) }));
  const issuer = provider.portal.name ?? provider.provider.name;
  return { secret: base32(secret), uri: otpauthUri(secret, issuer, email) };
}

export async function confirmTotp(
  { db, secrets }: PeopleServices,
  context: RequestContext,
  session: FoundSession,
  code: string,
): Promise<Renewed> {
  const guess = await countGuess(db, context, session.person.email);
  const renewed = await transact(db, async (tx) => {
    const person = await requirePerson(tx, session);
    if (person.totp_pending === null) throw notFound('app', 'that is being set up');
    const secret = secrets.open(person.totp_pending, person.id);
    const step = matchingStep(secret, code.replaceAll(/\s/g, ''));
    if (step === null) return null;
    await guess.forget(tx);
    await enableTotp(tx, person.id, secrets.close(secret, person.id), step);
    await noteFactor(tx, context, person, 'totp_added');
    return renewSession(tx, session.id, { secondFactor: true });
  });
  if (renewed !== null) return renewed;
  throw wrongCode();
}

export async function removeTotp(
  { db }: PeopleServices,
  context: RequestContext,
  session: FoundSession,
): Promise<void> {
  await transact(db, async (tx) => {
    const person = await requirePerson(tx, session);
    if (person.totp_enabled_at === null) throw notFound('app', 'for one-time passwords');
    const passkeys = (await findPasskeys(tx, person.id)).length;
    await requireRest(tx, person, { passkeys, totp: false });
    await updatePerson(tx, person.id, { totp_secret: null, totp_pending: null, totp_enabled_at: null });
    await noteFactor(tx, context, person, 'totp_removed');
  });
}

export async function offerPasskey(
  { db, provider }: PeopleServices,
  context: RequestContext,
  session: FoundSession,
): Promise<Offered<object>> {
  const name = provider.portal.name ?? provider.provider.name;
  const known = await findPasskeys(db, session.person.id);
  return offerRegistration(db, context, name, session.person, known);
}

export interface AddPasskey {
  readonly challenge_id: string;
  readonly name: string;
  readonly response: RegistrationResponseJSON;
}

export async function addPasskey(
  { db }: PeopleServices,
  context: RequestContext,
  session: FoundSession,
  input: AddPasskey,
): Promise<Renewed & { readonly passkeyId: string }> {
  const { challenge, personId } = await takeChallenge(db, input.challenge_id, 'passkey_registration');
  const credential =
    personId === session.person.id ? await checkRegistration(context, challenge, input.response) : null;
  if (credential === null) {
    await logGuess(db, context, session.person.id, 'passkey');
    throw signInFailed();
  }
  return transact(db, async (tx) => {
    const person = await requirePerson(tx, session);
    const isKnown = (await findCredential(tx, credential.id)) !== undefined;
    const count = (await findPasskeys(tx, person.id)).length;
    if (isKnown || count >= MOST_PASSKEYS) {
      const detail = isKnown
        ? 'This passkey is known already.'
        : `You have ${count} passkeys; remove one first.`;
      throw new Problem('invalid_state', { detail, extra: { current_state: 'known', allowed_states: [] } });
    }
    const row = await insertPasskey(tx, {
      id: newId('passkey'),
      person_id: person.id,
      credential_id: credential.id,
      public_key: credential.publicKey,
      counter: credential.counter,
      transports: [...credential.transports],
      name: input.name,
    });
    await noteFactor(tx, context, person, 'passkey_added', input.name);
    const renewed = await renewSession(tx, session.id, { secondFactor: true });
    return { ...renewed, passkeyId: row.id };
  });
}

export async function removePasskey(
  { db }: PeopleServices,
  context: RequestContext,
  session: FoundSession,
  passkeyId: string,
): Promise<void> {
  await transact(db, async (tx) => {
    const person = await requirePerson(tx, session);
    const passkeys = await findPasskeys(tx, person.id);
    const passkey = passkeys.find(({ id }) => id === passkeyId);
    if (passkey === undefined) throw notFound('passkey', passkeyId);
    await requireRest(tx, person, { passkeys: passkeys.length - 1, totp: person.totp_enabled_at !== null });
    await deletePasskey(tx, passkeyId);
    await noteFactor(tx, context, person, 'passkey_removed', passkey.name);
  });
}

/** For a person who has lost the second factor: after a day of waiting, or by the provider's staff. */
export async function removeSecondFactor(tx: Tx, personId: string): Promise<void> {
  await updatePerson(tx, personId, { totp_secret: null, totp_pending: null, totp_enabled_at: null });
  await deletePasskeys(tx, personId);
  await replaceCodes(tx, personId, []);
  await noteSecondFactor(tx, personId);
}
