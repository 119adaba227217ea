/**
 * The exchanges with an authenticator: the server sends a challenge, which counts once and for five minutes, and the
 * browser answers it. User verification is always required, so that a passkey alone is two factors.
 */
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import type { Db } from '../../../store/database.ts';
import { transact } from '../../../store/transaction.ts';
import type { RequestContext } from '../request-context.ts';
import type { PersonRow } from '../store.ts';
import { markUsed, type Purpose } from '../tokens/store.ts';
import { createToken, requireToken } from '../tokens/tokens.ts';
import type { PasskeyRow } from './store.ts';

export type { AuthenticationResponseJSON, RegistrationResponseJSON };

const MINUTES = 5;
/** Loaded when the first passkey is used: it would take megabytes of every process. */
const loadWebAuthn = () => import('@simplewebauthn/server');
const rpIdOf = ({ origin }: RequestContext): string => new URL(origin).hostname;

interface ChallengeData {
  readonly challenge: string;
  /** The hash of the ticket that the answer completes, in base64. */
  readonly ticket?: string;
}

export interface Offered<T> {
  readonly challenge_id: string;
  readonly options: T;
}

type Known = Pick<PasskeyRow, 'credential_id' | 'transports'>;
const described = ({ credential_id: id, transports }: Known) => ({ id, transports });

export async function offerRegistration(
  db: Db,
  context: RequestContext,
  provider: string,
  person: Pick<PersonRow, 'id' | 'name' | 'email'>,
  known: readonly Known[],
): Promise<Offered<PublicKeyCredentialCreationOptionsJSON>> {
  const { generateRegistrationOptions } = await loadWebAuthn();
  const options = await generateRegistrationOptions({
    rpName: provider,
    rpID: rpIdOf(context),
    userName: person.email,
    userDisplayName: person.name,
    userID: new Uint8Array(Buffer.from(person.id)),
    attestationType: 'none',
    excludeCredentials: known.map(described),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
  const data: ChallengeData = { challenge: options.challenge };
  const { token } = await createToken(db, {
    purpose: 'passkey_registration',
    personId: person.id,
    data,
    minutes: MINUTES,
  });
  return { challenge_id: token, options };
}

/** `known`: the passkeys that may answer; without it, the browser offers all passkeys of this site. */
export async function offerAuthentication(
  db: Db,
  context: RequestContext,
  purpose: 'passkey_sign_in' | 'passkey_reauthentication',
  given: { readonly personId?: string; readonly ticket?: string; readonly known?: readonly Known[] },
): Promise<Offered<PublicKeyCredentialRequestOptionsJSON>> {
  const { generateAuthenticationOptions } = await loadWebAuthn();
  const options = await generateAuthenticationOptions({
    rpID: rpIdOf(context),
    userVerification: 'required',
    ...(given.known ? { allowCredentials: given.known.map(described) } : {}),
  });
  const data: ChallengeData = {
    challenge: options.challenge,
    ...(given.ticket === undefined ? {} : { ticket: given.ticket }),
  };
  const { token } = await createToken(db, {
    purpose,
    data,
    minutes: MINUTES,
    ...(given.personId === undefined ? {} : { personId: given.personId }),
  });
  return { challenge_id: token, options };
}

/** Uses the challenge up, whether the answer is right or not. */
export async function takeChallenge(
  db: Db,
  challengeId: string,
  purpose: Purpose,
): Promise<ChallengeData & { readonly personId: string | null }> {
  return transact(db, async (tx) => {
    const { hash, data, person_id: personId } = await requireToken(tx, challengeId, purpose);
    await markUsed(tx, hash);
    return { ...(data as ChallengeData), personId };
  });
}

/** Returns the new counter, or null if the answer is wrong. */
export async function checkAuthentication(
  context: RequestContext,
  challenge: string,
  response: AuthenticationResponseJSON,
  passkey: PasskeyRow,
): Promise<number | null> {
  const { verifyAuthenticationResponse } = await loadWebAuthn();
  const checked = await verifyAuthenticationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: context.origin,
    expectedRPID: rpIdOf(context),
    requireUserVerification: true,
    credential: {
      id: passkey.credential_id,
      publicKey: new Uint8Array(passkey.public_key),
      counter: passkey.counter,
    },
  }).catch(() => null);
  return checked?.verified ? checked.authenticationInfo.newCounter : null;
}

export interface NewCredential {
  readonly id: string;
  readonly publicKey: Buffer;
  readonly counter: number;
  readonly transports: readonly string[];
}

/** Returns null if the answer is wrong. */
export async function checkRegistration(
  context: RequestContext,
  challenge: string,
  response: RegistrationResponseJSON,
): Promise<NewCredential | null> {
  const { verifyRegistrationResponse } = await loadWebAuthn();
  const checked = await verifyRegistrationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: context.origin,
    expectedRPID: rpIdOf(context),
    requireUserVerification: true,
  }).catch(() => null);
  if (!checked?.verified) return null;
  const { id, publicKey, counter, transports = [] } = checked.registrationInfo.credential;
  return { id, publicKey: Buffer.from(publicKey), counter, transports };
}
