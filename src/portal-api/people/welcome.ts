/**
 * The link by which a member whom the provider's staff added (at first, the owner of the demo account) signs in for the
 * first time. It works for an hour, once, and only as long as the person has nothing else to sign in with.
 */
import { newId } from '../../kernel/ids.ts';
import { Problem } from '../../kernel/problems/problem.ts';
import type { Db, Tx } from '../../store/database.ts';
import { transact } from '../../store/transaction.ts';
import { countGuess } from './attempts/guesses.ts';
import { findPasskeys } from './passkeys/store.ts';
import { hashPassword } from './passwords/hashing.ts';
import { requireGoodPassword } from './passwords/rules.ts';
import { type PeopleServices, pageLink, type RequestContext } from './request-context.ts';
import { type SignedIn, startSession } from './sessions/sessions.ts';
import {
  adoptMembers,
  findPersonByEmail,
  insertPerson,
  lockEmail,
  markPasswordChanged,
  type PersonRow,
} from './store.ts';
import { findToken, markUsed } from './tokens/store.ts';
import { createToken, hashOf, linkNotValid, requireToken } from './tokens/tokens.ts';

const MINUTES = 60;

async function canSignIn(db: Db, person: PersonRow): Promise<boolean> {
  return person.password_hash !== null || (await findPasskeys(db, person.id)).length > 0;
}

export async function createWelcomeLink(
  db: Db,
  origin: string,
  { name, email }: { readonly name: string; readonly email: string },
): Promise<string> {
  const person = await findPersonByEmail(db, email);
  if (person !== undefined && (await canSignIn(db, person))) {
    throw new Problem('invalid_state', {
      detail: `${email} has a password or a passkey already.`,
      nextStep: 'Send a link to recover the password instead (hostplane admin people recovery-link).',
      extra: { current_state: 'signed_up', allowed_states: [] },
    });
  }
  const { token } = await createToken(db, { purpose: 'welcome', email, data: { name }, minutes: MINUTES });
  return pageLink(origin, '/welcome', token);
}

async function findOrCreate(tx: Tx, email: string, name: string): Promise<PersonRow> {
  await lockEmail(tx, email);
  const known = await findPersonByEmail(tx, email);
  if (known === undefined) return insertPerson(tx, { id: newId('person'), name, email });
  if (await canSignIn(tx, known)) throw linkNotValid();
  return known;
}

/** Without a password the person adds a passkey next, for which signing in by the link is enough. */
export async function acceptWelcome(
  { db }: PeopleServices,
  context: RequestContext,
  input: { readonly token: string; readonly password?: string },
): Promise<SignedIn> {
  const guess = await countGuess(db, context, null);
  const found = await findToken(db, hashOf(input.token), 'welcome');
  if (found?.email == null) throw linkNotValid();
  const { email } = found;
  const { name } = found.data as { name: string };
  if (input.password !== undefined) requireGoodPassword(input.password, [name, email]);
  const hash = input.password === undefined ? null : await hashPassword(input.password);
  return transact(db, async (tx) => {
    const token = await requireToken(tx, input.token, 'welcome');
    const person = await findOrCreate(tx, email, name);
    await markUsed(tx, token.hash);
    await guess.forget(tx);
    await adoptMembers(tx, person.id, email);
    if (hash !== null) await markPasswordChanged(tx, person.id, hash);
    return startSession(tx, context, person, { method: 'link', secondFactor: false, reauthenticated: true });
  });
}
