/**
 * `hostplane login` by browser: a signed-in person allows a command line to get a key. The grant is a one-time token
 * with what the person has chosen; the key is made when the command line asks for it, so no secret is stored meanwhile.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { Secret, Shape, type Static, Type } from '../../kernel/schema.ts';
import type { Db, Tx } from '../../store/database.ts';
import type { Actor } from '../actor.ts';
import { rolesWith } from '../authority.ts';
import { type CreateKey, type KeyRules, makeKey, type NewKey, planKey } from '../keys/creation.ts';
import { countGuess } from '../people/attempts/guesses.ts';
import { memberActor, type RequestContext } from '../people/request-context.ts';
import type { FoundSession } from '../people/sessions/sessions.ts';
import { findLiving } from '../people/sessions/store.ts';
import { findMembership, type Membership } from '../people/store.ts';
import { insertToken, takeToken } from '../people/tokens/store.ts';
import { hashOf, linkNotValid } from '../people/tokens/tokens.ts';
import { newCode, normaliseCode } from '../people/typed-codes.ts';
import { change } from '../portal-write.ts';

const MINUTES = 2;
/** 100 bits. */
const LETTERS = 20;

/** The challenge of PKCE (RFC 7636, S256): the SHA-256 of a secret that only the command line knows. */
export const Challenge = Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' });

export const Exchange = Shape({
  code: Secret(Type.String({ minLength: 1, maxLength: 64 })),
  verifier: Secret(Type.String({ minLength: 43, maxLength: 128 })),
});

interface Grant {
  readonly session_id: string;
  readonly challenge: string;
  readonly key: CreateKey;
}

interface Allowed {
  readonly challenge: string;
  /** What the computer calls itself. */
  readonly computer: string;
  readonly key: CreateKey;
}

export async function allowCliLogin(
  db: Db,
  actor: Actor,
  session: FoundSession,
  { challenge, computer, key: chosen }: Allowed,
  rules: KeyRules,
): Promise<{ readonly code: string; readonly expires_at: Date }> {
  const key = { ...chosen, notes: `Made by hostplane login on ${computer}` };
  return change(db, actor, 'allowCliLogin', key.account_id, async (tx, account) => {
    const { owner, permissions, approval, expires_in } = await planKey(tx, actor, account, key, rules);
    const code = newCode(LETTERS);
    const data: Grant = { session_id: session.id, challenge, key };
    const token = { purpose: 'cli_login', personId: session.person.id, data, minutes: MINUTES } as const;
    const expires_at = await insertToken(tx, hashOf(normaliseCode(code)), token);
    const after = { name: key.name, computer, permissions, approval, expires_in };
    return {
      result: { code, expires_at },
      resource: { type: 'member', id: owner.id, name: owner.name },
      changes: [{ pointer: '/cli_login', before: null, after }],
    };
  });
}

function isAnswered(challenge: string, verifier: string): boolean {
  const answer = createHash('sha256').update(verifier).digest();
  const asked = Buffer.from(challenge, 'base64url');
  return asked.length === answer.length && timingSafeEqual(asked, answer);
}

/** The membership, if the person could still allow the login now. */
async function findRight(db: Db, personId: string, { session_id, key }: Grant): Promise<Membership | null> {
  const session = await findLiving(db, personId, session_id);
  const membership = await findMembership(db, personId, key.account_id);
  if (session === undefined || membership === undefined) return null;
  if (membership.mfa_required && !session.second_factor) return null;
  return rolesWith('reader').includes(membership.role) ? membership : null;
}

/**
 * Answers all that is wrong alike: an unknown or old code, another verifier, a right that has ended. A wrong verifier
 * uses the code up: whoever sent it has seen the code and is not the command line that asked.
 */
export async function completeCliLogin(
  db: Db,
  context: RequestContext,
  { code, verifier }: Static<typeof Exchange>,
  rules: KeyRules,
): Promise<NewKey> {
  const guess = await countGuess(db, context, null);
  const token = await takeToken(db, hashOf(normaliseCode(code)), 'cli_login');
  const grant = (token?.data ?? null) as Grant | null;
  const isRight = isAnswered(grant?.challenge ?? '', verifier);
  const personId = token?.person_id ?? null;
  if (grant === null || personId === null || !isRight) throw linkNotValid();
  const membership = await findRight(db, personId, grant);
  if (membership === null) throw linkNotValid();
  const actor = memberActor(context, { id: membership.member_id, name: membership.member_name });
  const { key } = grant;
  const made = await change(db, actor, 'createApiKey', key.account_id, async (tx: Tx, account) => {
    // Changes of members wait for the row of the account, so the right is asked for again behind its lock.
    if ((await findRight(tx, personId, grant)) === null) throw linkNotValid();
    const changed = await makeKey(tx, actor, account, key, rules);
    const origin = { pointer: '/notes', before: null, after: key.notes ?? '' };
    return { ...changed, changes: [...changed.changes, origin] };
  });
  await guess.forget(db);
  return made;
}
