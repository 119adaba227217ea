/** Starts, finds and ends the sessions of people. The browser holds the token; the database holds its hash. */
import { append } from '../../../kernel/audit/store.ts';
import { newId } from '../../../kernel/ids.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { sendMail } from '../../../mail/outbox.ts';
import type { Db, Tx } from '../../../store/database.ts';
import { transact } from '../../../store/transaction.ts';
import { notFound, succeeded } from '../../portal-write.ts';
import { logPerson } from '../log/log.ts';
import { memberActor, pageLink, type RequestContext } from '../request-context.ts';
import { findMembership, type Membership, noteSignIn, type PersonRow } from '../store.ts';
import { revokeWaiting } from '../tokens/store.ts';
import { hashOf, newSecret } from '../tokens/tokens.ts';
import {
  deleteSession,
  deleteSessions,
  type FoundSession,
  findByToken,
  findEnd,
  hasEntered,
  insertEntry,
  insertSession,
  knowsBrowser,
  noteUse,
  replaceToken,
} from './store.ts';

export type { FoundSession };

export interface SignedIn {
  readonly status: 'signed_in';
  /** The value of the cookie. */
  readonly token: string;
}

export type SignInMethod = 'password' | 'totp' | 'recovery_code' | 'passkey' | 'link';

interface Start {
  readonly method: SignInMethod;
  readonly secondFactor: boolean;
  /** False for a link alone: whoever reads the mail has not shown that he knows the password. */
  readonly reauthenticated: boolean;
}

export async function startSession(
  tx: Tx,
  context: RequestContext,
  person: PersonRow,
  start: Start,
): Promise<SignedIn> {
  const token = newSecret();
  if (!(await knowsBrowser(tx, person.id, context.userAgent))) {
    await sendMail(tx, {
      to: person.email,
      template: 'sign_in_from_new_device',
      data: { ...changeData(context, person), device: context.userAgent },
    });
  }
  await insertSession(tx, {
    id: newId('session'),
    person_id: person.id,
    token_hash: hashOf(token),
    second_factor: start.secondFactor,
    reauthenticated: start.reauthenticated,
    client_ip: context.clientIp,
    user_agent: context.userAgent,
  });
  await noteSignIn(tx, person.id);
  await revokeWaiting(tx, person.id);
  await logPerson(tx, context, person.id, 'signed_in', { method: start.method });
  return { status: 'signed_in', token };
}

/** What mails about a change to the security of a person say. */
export const changeData = (context: RequestContext, person: Pick<PersonRow, 'name'>) => ({
  name: person.name,
  at: new Date().toISOString(),
  address: context.clientIp,
  link: pageLink(context.origin, '/me/security'),
});

export async function findSession(db: Db, token: string): Promise<FoundSession | null> {
  const session = await findByToken(db, hashOf(token));
  if (session === undefined) return null;
  if (session.is_stale) await noteUse(db, session.id);
  return session;
}

const ends = {
  unused: 'Your session ended after 12 hours without use.',
  old: 'Your session ended: none lasts longer than 14 days.',
} as const;

/** The refusal of a call without a session. `token`: of the session that has ended, if there was one. */
export async function notSignedIn(db: Db, token: string | null): Promise<Problem> {
  if (token === null) return new Problem('not_signed_in');
  const reason = await findEnd(db, hashOf(token));
  const detail =
    reason === null
      ? 'Your session was ended, for example on another device or by a new password.'
      : ends[reason];
  return new Problem('not_signed_in', { detail });
}

export interface Renewed {
  readonly token: string;
  readonly reauthenticatedUntil: Date | null;
}

/** A new token, so that a token that somebody planted or saw before is worth nothing afterwards. */
export async function renewSession(
  tx: Tx,
  sessionId: string,
  values: { readonly reauthenticated?: true; readonly secondFactor?: true },
): Promise<Renewed> {
  const token = newSecret();
  return { token, reauthenticatedUntil: await replaceToken(tx, sessionId, hashOf(token), values) };
}

/**
 * The membership with which the session acts in the account, or null if there is none. The first time, the entry is
 * written to the audit log of the account.
 */
export async function enterAccount(
  db: Db,
  context: RequestContext,
  session: Pick<FoundSession, 'id' | 'person'>,
  accountId: string,
): Promise<Membership | null> {
  const membership = await findMembership(db, session.person.id, accountId);
  if (membership === undefined) return null;
  if (await hasEntered(db, session.id, accountId)) return membership;
  const { member_id: id, member_name: name } = membership;
  await transact(db, async (tx) => {
    if (!(await insertEntry(tx, session.id, accountId))) return;
    const resource = { type: 'member', id, name };
    const actor = memberActor(context, { id, name });
    await append(tx, accountId, succeeded(actor, 'enterAccount', { result: null, resource, changes: [] }));
  });
  return membership;
}

export async function signOut(db: Db, context: RequestContext, session: FoundSession): Promise<void> {
  await transact(db, async (tx) => {
    if (!(await deleteSession(tx, session.person.id, session.id))) return;
    await logPerson(tx, context, session.person.id, 'signed_out');
  });
}

/** `context` is null for the provider's staff. */
export async function endSession(
  db: Db,
  context: RequestContext | null,
  personId: string,
  sessionId: string,
): Promise<void> {
  await transact(db, async (tx) => {
    if (!(await deleteSession(tx, personId, sessionId))) throw notFound('session', sessionId);
    await logPerson(tx, context, personId, 'session_ended', { session_id: sessionId });
  });
}

/** Returns how many were ended. `besides` stays. */
export async function endSessions(
  db: Db,
  context: RequestContext | null,
  personId: string,
  besides: string | null,
): Promise<number> {
  return transact(db, async (tx) => {
    const ended = await deleteSessions(tx, personId, besides);
    await logPerson(tx, context, personId, 'sessions_ended', { ended });
    return ended;
  });
}

/** For acts that need a person who has shown lately that he is the one who signed in. */
export function requireReauthenticated(session: Pick<FoundSession, 'reauthenticated_until'>): void {
  if (session.reauthenticated_until === null) throw new Problem('reauthentication_required');
}
