/** What the invited person does with an invitation: look at it, accept it or decline it. */
import { newId } from '../../../kernel/ids.ts';
import { invalid, Problem } from '../../../kernel/problems/problem.ts';
import type { Db, Tx } from '../../../store/database.ts';
import { countGuess } from '../../people/attempts/guesses.ts';
import { logPerson } from '../../people/log/log.ts';
import { hashPassword } from '../../people/passwords/hashing.ts';
import { requireGoodPassword } from '../../people/passwords/rules.ts';
import { memberActor, type PeopleServices, type RequestContext } from '../../people/request-context.ts';
import { type FoundSession, type SignedIn, startSession } from '../../people/sessions/sessions.ts';
import {
  findPerson,
  findPersonByEmail,
  insertPerson,
  lockEmail,
  type PersonRow,
} from '../../people/store.ts';
import { hashOf, linkNotValid } from '../../people/tokens/tokens.ts';
import { change } from '../../portal-write.ts';
import { findMembershipOf, updateMember } from '../store.ts';
import { endInvitation } from './invitations.ts';
import { deleteInvitation, findByLink, type InvitationRow } from './store.ts';

async function requireLink(db: Db, token: string): Promise<InvitationRow> {
  const found = await findByLink(db, hashOf(token));
  if (found === undefined) throw linkNotValid();
  return found;
}

/** Forged links count as guesses. */
async function receiveLink(db: Db, context: RequestContext, token: string): Promise<InvitationRow> {
  const guess = await countGuess(db, context, null);
  const found = await requireLink(db, token);
  await guess.forget(db);
  return found;
}

export async function lookAtInvitation({ db }: PeopleServices, context: RequestContext, token: string) {
  const found = await receiveLink(db, context, token);
  const { account_name, inviter_name: inviter, role, email, expires_at } = found;
  const person_exists = (await findPersonByEmail(db, email)) !== undefined;
  return { account_name, inviter, role, email, person_exists, expires_at };
}

export interface AcceptInvitation {
  readonly token: string;
  /** For somebody who cannot sign in yet. */
  readonly name?: string;
  readonly password?: string;
}

export type Accepted = { readonly account_id: string } & (SignedIn | { readonly status: 'joined' });

/** Puts the person in the place of the invited member. The account is locked, so nobody else answers meanwhile. */
async function join(tx: Tx, token: string, person: PersonRow, name: string) {
  const { id, member_id, account_id, role } = await requireLink(tx, token);
  if ((await findMembershipOf(tx, account_id, person.id)) !== undefined) {
    throw new Problem('invalid_state', {
      detail: 'You are a member of this account already.',
      extra: { current_state: 'active', allowed_states: ['invited'] },
    });
  }
  await deleteInvitation(tx, id);
  await updateMember(tx, member_id, { status: 'active', person_id: person.id, name });
  const resource = { type: 'member', id: member_id, name };
  const message = `${name} became a member with the role ${role}.`;
  return {
    resource,
    changes: [{ pointer: '/status', before: 'invited', after: 'active' }],
    events: [{ type: 'member.joined', resource, message, data: { role } }],
  };
}

async function joinAsPerson(
  db: Db,
  context: RequestContext,
  invitation: InvitationRow,
  token: string,
  session: FoundSession,
): Promise<Accepted> {
  const { account_id, member_id, email } = invitation;
  if (session.person.email.toLowerCase() !== email.toLowerCase()) {
    throw new Problem('invalid_state', {
      detail: `The invitation is for ${email}, and you are signed in as ${session.person.email}.`,
      nextStep: 'Sign out, and open the link again.',
      extra: { current_state: 'signed_in', allowed_states: [] },
    });
  }
  const actor = memberActor(context, { id: member_id, name: session.person.name });
  return change(db, actor, 'acceptInvitation', account_id, async (tx) => {
    const person = await findPerson(tx, session.person.id);
    if (person === undefined) throw linkNotValid();
    return {
      ...(await join(tx, token, person, person.name)),
      result: { status: 'joined' as const, account_id },
    };
  });
}

async function joinAsNewPerson(
  { db }: PeopleServices,
  context: RequestContext,
  invitation: InvitationRow,
  { token, name, password }: Required<AcceptInvitation>,
): Promise<Accepted> {
  const { account_id, member_id, email } = invitation;
  requireGoodPassword(password, [name, email]);
  const password_hash = await hashPassword(password);
  const actor = memberActor(context, { id: member_id, name });
  return change(db, actor, 'acceptInvitation', account_id, async (tx) => {
    await lockEmail(tx, email);
    // Before the person: whoever used the same link a moment earlier has one now.
    await requireLink(tx, token);
    if ((await findPersonByEmail(tx, email)) !== undefined) throw new Problem('not_signed_in');
    const person = await insertPerson(tx, { id: newId('person'), name, email, password_hash });
    const joined = await join(tx, token, person, name);
    await logPerson(tx, context, person.id, 'signed_up');
    const start = { method: 'link', secondFactor: false, reauthenticated: true } as const;
    return { ...joined, result: { ...(await startSession(tx, context, person, start)), account_id } };
  });
}

/** Somebody who can sign in has to do so first: the link alone shows only who reads the mails. */
export async function acceptInvitation(
  services: PeopleServices,
  context: RequestContext,
  session: FoundSession | null,
  { token, name, password }: AcceptInvitation,
): Promise<Accepted> {
  const { db, provider } = services;
  const invitation = await receiveLink(db, context, token);
  if (session !== null) return joinAsPerson(db, context, invitation, token, session);
  if ((await findPersonByEmail(db, invitation.email)) !== undefined) throw new Problem('not_signed_in');
  if (provider.portal.sign_up === 'closed') throw new Problem('sign_up_not_open');
  const missing = Object.entries({ name, password }).filter(([, value]) => value === undefined);
  if (name === undefined || password === undefined) {
    const detail = 'This is required of somebody who cannot sign in yet.';
    throw invalid(missing.map(([member]) => ({ pointer: `/${member}`, code: 'required', detail })));
  }
  return joinAsNewPerson(services, context, invitation, { token, name, password });
}

export async function declineInvitation(
  { db }: PeopleServices,
  context: RequestContext,
  token: string,
): Promise<void> {
  const invitation = await receiveLink(db, context, token);
  const actor = memberActor(context, { id: invitation.member_id, name: invitation.name });
  await change(db, actor, 'declineInvitation', invitation.account_id, async (tx) =>
    endInvitation(tx, await requireLink(tx, token)),
  );
}
