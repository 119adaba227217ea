import { OneOf, Shape, Time, Type } from '../../../kernel/schema.ts';
import { Email, Line } from '../../../portal-api/input.ts';
import {
  acceptInvitation,
  declineInvitation,
  lookAtInvitation,
} from '../../../portal-api/members/invitations/answer.ts';
import {
  type InvitationRow,
  inviteMember,
  listInvitations,
  sendInvitationAgain,
  withdrawInvitation,
} from '../../../portal-api/members/invitations/invitations.ts';
import { NewPassword } from '../../../portal-api/people/passwords/rules.ts';
import { act, type MemberCall } from '../act.ts';
import { Invitation } from '../answers.ts';
import { Listed, Nothing, Role, Text, whole } from '../shapes.ts';
import { beginSession, Token } from './sign-in.ts';

const view = (row: InvitationRow) => ({
  id: row.id,
  member_id: row.member_id,
  name: row.name,
  email: row.email,
  role: row.role,
  inviter: row.inviter_name,
  sent_at: row.sent_at,
  expires_at: row.expires_at,
  expired: row.is_expired,
});

const PATH = '/accounts/{account_id}/invitations';
const chosen = ({ accountId, params }: MemberCall) => ({
  account_id: accountId,
  invitation_id: params['invitation_id'] ?? '',
});

export const invitationActs = [
  act({
    id: 'lookAtInvitation',
    method: 'POST',
    path: '/invitations/look',
    summary: 'See who invites you to which account',
    input: Shape({ token: Token }),
    answer: Shape({
      account_name: Text,
      inviter: Text,
      role: Role,
      email: Text,
      person_exists: Type.Boolean(),
      expires_at: Time,
    }),
    authority: 'none',
    reauthentication: false,
    audit: 'none',
    handle: ({ services, context }, { token }) => lookAtInvitation(services, context, token),
  }),
  act({
    id: 'acceptInvitation',
    method: 'POST',
    path: '/invitations/accept',
    summary: 'Become a member of an account',
    input: Shape({
      token: Token,
      name: Type.Optional(Line(1, 100)),
      password: Type.Optional(NewPassword),
    }),
    answer: Shape({ status: OneOf(['signed_in', 'joined']), account_id: Text }),
    authority: 'none',
    reauthentication: false,
    audit: 'account',
    givesSession: true,
    async handle(call, input) {
      return beginSession(call, await acceptInvitation(call.services, call.context, call.session, input));
    },
  }),
  act({
    id: 'declineInvitation',
    method: 'POST',
    path: '/invitations/decline',
    summary: 'Decline an invitation',
    input: Shape({ token: Token }),
    answer: Shape({ status: OneOf(['declined']) }),
    authority: 'none',
    reauthentication: false,
    audit: 'account',
    async handle({ services, context }, { token }) {
      await declineInvitation(services, context, token);
      return { status: 'declined' as const };
    },
  }),
  act({
    id: 'listInvitations',
    method: 'GET',
    path: PATH,
    summary: 'List the invitations that nobody has answered',
    input: Nothing,
    answer: Listed(Invitation),
    authority: 'member',
    reauthentication: false,
    audit: 'none',
    handle: async ({ services, accountId }) =>
      whole((await listInvitations(services.db, accountId)).map(view)),
  }),
  act({
    id: 'inviteMember',
    method: 'POST',
    path: PATH,
    summary: 'Invite somebody to the account',
    input: Shape({ email: Email, role: Role, name: Type.Optional(Line(1, 100)) }),
    answer: Invitation,
    status: 201,
    authority: 'admin',
    reauthentication: true,
    audit: 'account',
    handle: async ({ services, actor, accountId, context }, input) =>
      view(
        await inviteMember(
          services.db,
          actor,
          { account_id: accountId, ...input },
          { origin: context.origin, catalogue: services.provider.catalogue },
        ),
      ),
  }),
  act({
    id: 'withdrawInvitation',
    method: 'DELETE',
    path: `${PATH}/{invitation_id}`,
    summary: 'Take an invitation back',
    input: Nothing,
    answer: Shape({ invitation_id: Text }),
    authority: 'admin',
    reauthentication: true,
    audit: 'account',
    handle: (call) => withdrawInvitation(call.services.db, call.actor, chosen(call)),
  }),
  act({
    id: 'sendInvitationAgain',
    method: 'POST',
    path: `${PATH}/{invitation_id}/send-again`,
    summary: 'Send an invitation again, with a new link',
    input: Nothing,
    answer: Invitation,
    authority: 'admin',
    reauthentication: true,
    audit: 'account',
    handle: async (call) =>
      view(await sendInvitationAgain(call.services.db, call.actor, chosen(call), call.context.origin)),
  }),
];
