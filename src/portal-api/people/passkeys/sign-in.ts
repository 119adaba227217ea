/** Signs a person in with a passkey, alone or after the password. */
import type { Db } from '../../../store/database.ts';
import { transact } from '../../../store/transaction.ts';
import { countGuess, type Guess } from '../attempts/guesses.ts';
import { logGuess, logPerson } from '../log/log.ts';
import type { PeopleServices, RequestContext } from '../request-context.ts';
import {
  type FoundSession,
  type Renewed,
  renewSession,
  type SignedIn,
  startSession,
} from '../sessions/sessions.ts';
import { personOfTicket, signInFailed } from '../sign-in.ts';
import { findPerson } from '../store.ts';
import { lockToken, markUsed } from '../tokens/store.ts';
import { hashOf } from '../tokens/tokens.ts';
import {
  type AuthenticationResponseJSON,
  checkAuthentication,
  type Offered,
  offerAuthentication,
  takeChallenge,
} from './ceremony.ts';
import { findCredential, findPasskeys, notePasskeyUse, type PasskeyRow } from './store.ts';

type RequestOptions = Awaited<ReturnType<typeof offerAuthentication>>['options'];

export async function offerSignIn(
  services: PeopleServices,
  context: RequestContext,
  ticket: string | undefined,
): Promise<Offered<RequestOptions>> {
  const { db } = services;
  if (ticket === undefined) return offerAuthentication(db, context, 'passkey_sign_in', {});
  const { person } = await personOfTicket(services, ticket);
  const known = await findPasskeys(db, person.id);
  return offerAuthentication(db, context, 'passkey_sign_in', {
    known,
    personId: person.id,
    ticket: hashOf(ticket).toString('base64'),
  });
}

interface Answer {
  readonly challenge_id: string;
  readonly response: AuthenticationResponseJSON;
}

interface Checked {
  readonly passkey: PasskeyRow;
  readonly counter: number;
  readonly ticket: string | undefined;
  readonly guess: Guess;
}

async function check(
  db: Db,
  context: RequestContext,
  purpose: 'passkey_sign_in' | 'passkey_reauthentication',
  { challenge_id, response }: Answer,
): Promise<Checked> {
  const guess = await countGuess(db, context, null);
  const { challenge, ticket, personId } = await takeChallenge(db, challenge_id, purpose);
  const passkey = await findCredential(db, response.id);
  const isForeign = passkey === undefined || (personId !== null && passkey.person_id !== personId);
  const counter = isForeign ? null : await checkAuthentication(context, challenge, response, passkey);
  if (isForeign || counter === null) {
    await logGuess(db, context, passkey?.person_id ?? null, 'passkey');
    throw signInFailed();
  }
  return { passkey, counter, ticket, guess };
}

export async function signInWithPasskey(
  { db }: PeopleServices,
  context: RequestContext,
  answer: Answer,
): Promise<SignedIn> {
  const { passkey, counter, ticket, guess } = await check(db, context, 'passkey_sign_in', answer);
  return transact(db, async (tx) => {
    const person = await findPerson(tx, passkey.person_id);
    if (person === undefined) throw signInFailed();
    if (ticket !== undefined) {
      const held = await lockToken(tx, Buffer.from(ticket, 'base64'), 'second_factor');
      if (held === undefined) throw signInFailed();
      await markUsed(tx, held.hash);
    }
    await notePasskeyUse(tx, passkey.id, counter);
    await guess.forget(tx);
    return startSession(tx, context, person, {
      method: 'passkey',
      secondFactor: true,
      reauthenticated: true,
    });
  });
}

export async function offerReauthentication(
  { db }: PeopleServices,
  context: RequestContext,
  personId: string,
): Promise<Offered<RequestOptions>> {
  const known = await findPasskeys(db, personId);
  return offerAuthentication(db, context, 'passkey_reauthentication', { personId, known });
}

export async function reauthenticateWithPasskey(
  { db }: PeopleServices,
  context: RequestContext,
  session: FoundSession,
  answer: Answer,
): Promise<Renewed> {
  const { passkey, counter, guess } = await check(db, context, 'passkey_reauthentication', answer);
  if (passkey.person_id !== session.person.id) throw signInFailed();
  return transact(db, async (tx) => {
    await notePasskeyUse(tx, passkey.id, counter);
    await guess.forget(tx);
    await logPerson(tx, context, session.person.id, 'reauthenticated', { method: 'passkey' });
    return renewSession(tx, session.id, { reauthenticated: true, secondFactor: true });
  });
}
