/** Invitations: an owner or admin asks somebody to become a member. The invited person accepts or declines by a link. */
import { roleNames } from '../../../kernel/access/roles.ts';
import { newId } from '../../../kernel/ids.ts';
import { invalid, Problem } from '../../../kernel/problems/problem.ts';
import { OneOf, Shape, type Static, Type } from '../../../kernel/schema.ts';
import { sendMail } from '../../../mail/outbox.ts';
import type { Db, Tx } from '../../../store/database.ts';
import { type Actor, labelOf } from '../../actor.ts';
import { authorise } from '../../authority.ts';
import { check, Email, Line } from '../../input.ts';
import { type Limits, requireRoom } from '../../limits.ts';
import { pageLink } from '../../people/request-context.ts';
import { hashOf, newSecret } from '../../people/tokens/tokens.ts';
import { change, notFound } from '../../portal-write.ts';
import { countMembers, deleteMember, findMemberByEmail, insertMember } from '../store.ts';
import {
  findInvitation,
  findInvitations,
  type InvitationRow,
  insertInvitation,
  replaceLink,
} from './store.ts';

export type { InvitationRow };

export const listInvitations = (db: Db, accountId: string): Promise<InvitationRow[]> =>
  findInvitations(db, accountId);

const InviteMember = Shape({
  account_id: Type.String(),
  email: Email,
  role: OneOf(roleNames),
  /** How the account calls the member until the person says otherwise. */
  name: Type.Optional(Line(1, 100)),
});
export type InviteMember = Static<typeof InviteMember>;

async function mailInvitation(tx: Tx, origin: string, token: string, row: InvitationRow): Promise<void> {
  const sent = await sendMail(tx, {
    to: row.email,
    template: 'invitation',
    data: {
      inviter: row.inviter_name,
      account_name: row.account_name,
      role: row.role,
      link: pageLink(origin, '/join', token),
      expires_at: row.expires_at.toISOString(),
    },
  });
  if (sent !== null) return;
  throw new Problem('too_many_attempts', {
    detail: `${row.email} got several mails within the last hour, so this one was not sent.`,
    nextStep: 'Try again in an hour.',
    retryAfterSeconds: 3600,
  });
}

async function requireInvitation(tx: Tx, accountId: string, id: string): Promise<InvitationRow> {
  const found = await findInvitation(tx, accountId, id);
  if (found === undefined) throw notFound('invitation', id);
  return found;
}

/** The answer does not tell whether the address belongs to somebody who can sign in. */
export async function inviteMember(
  db: Db,
  actor: Actor,
  input: InviteMember,
  { origin, catalogue }: { readonly origin: string; readonly catalogue: Limits },
): Promise<InvitationRow> {
  return change(db, actor, 'inviteMember', input.account_id, async (tx, account) => {
    check(InviteMember, input);
    const { email, role } = input;
    await authorise(tx, actor, account.id, role === 'owner' ? 'owner' : 'admin');
    const holder = await findMemberByEmail(tx, account.id, email);
    if (holder !== undefined) {
      const what = holder.status === 'invited' ? 'is invited already' : 'is a member already';
      throw invalid([
        { pointer: '/email', code: 'not_unique', detail: `${holder.name} (${email}) ${what}.` },
      ]);
    }
    const used = await countMembers(tx, account.id);
    await requireRoom(tx, account.id, 'account.members', { used }, catalogue);
    const name = input.name ?? email.slice(0, email.indexOf('@'));
    const member = await insertMember(tx, {
      id: newId('member'),
      account_id: account.id,
      name,
      email,
      role,
      status: 'invited',
    });
    const id = newId('invitation');
    const token = newSecret();
    await insertInvitation(tx, {
      id,
      account_id: account.id,
      member_id: member.id,
      token_hash: hashOf(token),
      invited_by: labelOf(actor),
      inviter_name: actor.name,
    });
    const result = await requireInvitation(tx, account.id, id);
    await mailInvitation(tx, origin, token, result);
    const resource = { type: 'member', id: member.id, name };
    const message = `${name} was asked to become a member with the role ${role}.`;
    return {
      result,
      resource,
      changes: [{ pointer: '', before: null, after: { name, email, role, status: 'invited' } }],
      events: [{ type: 'member.invited', resource, message, data: { role } }],
    };
  });
}

export interface ChooseInvitation {
  readonly account_id: string;
  readonly invitation_id: string;
}

export async function sendInvitationAgain(
  db: Db,
  actor: Actor,
  { account_id, invitation_id }: ChooseInvitation,
  origin: string,
): Promise<InvitationRow> {
  return change(db, actor, 'sendInvitationAgain', account_id, async (tx) => {
    await authorise(tx, actor, account_id, 'admin');
    const { id, member_id, name } = await requireInvitation(tx, account_id, invitation_id);
    const token = newSecret();
    await replaceLink(tx, id, hashOf(token));
    const result = await requireInvitation(tx, account_id, id);
    await mailInvitation(tx, origin, token, result);
    const changes = [{ pointer: '/expires_at', before: null, after: result.expires_at.toISOString() }];
    return { result, resource: { type: 'member', id: member_id, name }, changes };
  });
}

/** Takes the invitation back. The member who was only invited is removed. */
export async function withdrawInvitation(
  db: Db,
  actor: Actor,
  { account_id, invitation_id }: ChooseInvitation,
): Promise<{ invitation_id: string }> {
  return change(db, actor, 'withdrawInvitation', account_id, async (tx) => {
    const found = await requireInvitation(tx, account_id, invitation_id);
    await authorise(tx, actor, account_id, found.role === 'owner' ? 'owner' : 'admin');
    return endInvitation(tx, found);
  });
}

/** Removes the member with the invitation. */
export async function endInvitation(tx: Tx, { id, member_id, name, email, role }: InvitationRow) {
  await deleteMember(tx, member_id);
  const resource = { type: 'member', id: member_id, name };
  return {
    result: { invitation_id: id },
    resource,
    changes: [{ pointer: '', before: { name, email, role, status: 'invited' }, after: null }],
    events: [
      {
        type: 'member.removed',
        resource,
        message: `${name} is no longer invited.`,
        data: { revoked_keys: [], transferred_keys: [] },
      },
    ],
  };
}
