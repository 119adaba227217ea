import { Id, Shape, Type } from '../../../kernel/schema.ts';
import { setMfaRequired } from '../../../portal-api/accounts/mfa.ts';
import {
  changeRole,
  listMembers,
  reinstateMember,
  suspendMember,
} from '../../../portal-api/members/members.ts';
import { removeMember } from '../../../portal-api/members/removal.ts';
import type { MemberRow } from '../../../portal-api/members/store.ts';
import { act, type MemberCall } from '../act.ts';
import { ListedMember } from '../answers.ts';
import { Listed, MemberShape, Nothing, Role, Text, Warnings, whole } from '../shapes.ts';

const viewMember = (row: MemberRow) => ({
  id: row.id,
  name: row.name,
  email: row.email,
  role: row.role,
  status: row.status,
  mfa_enabled: row.mfa_enabled,
  last_sign_in_at: row.last_sign_in_at,
  has_person: row.person_id !== null,
  created_at: row.created_at,
});

const PATH = '/accounts/{account_id}/members';
const chosen = ({ accountId, params }: MemberCall) => ({
  account_id: accountId,
  member_id: params['member_id'] ?? '',
});

export const memberActs = [
  act({
    id: 'listMembers',
    method: 'GET',
    path: PATH,
    summary: 'List the members of the account',
    input: Nothing,
    answer: Listed(ListedMember),
    authority: 'member',
    reauthentication: false,
    audit: 'none',
    async handle({ services, accountId }) {
      const rows = await listMembers(services.db, accountId);
      return whole(rows.map((row) => ({ ...viewMember(row), key_count: row.key_count })));
    },
  }),
  act({
    id: 'changeRole',
    method: 'PATCH',
    path: `${PATH}/{member_id}`,
    summary: 'Change the role of a member',
    input: Shape({ role: Role }),
    answer: Shape({ member: MemberShape, warnings: Warnings }),
    authority: 'admin',
    reauthentication: true,
    audit: 'account',
    async handle(call, { role }) {
      const { member, warnings } = await changeRole(call.services.db, call.actor, { ...chosen(call), role });
      return { member: viewMember(member), warnings };
    },
  }),
  act({
    id: 'suspendMember',
    method: 'POST',
    path: `${PATH}/{member_id}/suspend`,
    summary: 'Suspend a member and all keys of that member',
    input: Nothing,
    answer: MemberShape,
    authority: 'admin',
    reauthentication: true,
    audit: 'account',
    handle: async (call) => viewMember(await suspendMember(call.services.db, call.actor, chosen(call))),
  }),
  act({
    id: 'reinstateMember',
    method: 'POST',
    path: `${PATH}/{member_id}/reinstate`,
    summary: 'Reinstate a suspended member',
    input: Nothing,
    answer: MemberShape,
    authority: 'admin',
    reauthentication: true,
    audit: 'account',
    handle: async (call) => viewMember(await reinstateMember(call.services.db, call.actor, chosen(call))),
  }),
  act({
    id: 'removeMember',
    method: 'DELETE',
    path: `${PATH}/{member_id}`,
    summary: 'Remove a member; the keys are revoked or transferred',
    input: Shape({ transfer_keys_to: Type.Optional(Id('mem')) }),
    answer: Shape({
      member_id: Text,
      revoked_keys: Type.Array(Text),
      transferred_keys: Type.Array(Text),
    }),
    authority: 'admin',
    reauthentication: true,
    audit: 'account',
    handle: (call, input) =>
      removeMember(
        call.services.db,
        call.actor,
        { ...chosen(call), ...input },
        call.services.provider.catalogue,
      ),
  }),
  act({
    id: 'setMfaRequired',
    method: 'PUT',
    path: '/accounts/{account_id}/mfa-required',
    summary: 'Require a second factor of all members, or not',
    input: Shape({ required: Type.Boolean() }),
    answer: Shape({ mfa_required: Type.Boolean() }),
    authority: 'owner',
    reauthentication: true,
    audit: 'account',
    async handle({ services, actor, accountId }, { required }) {
      const account = await setMfaRequired(services.db, actor, { account_id: accountId, required });
      return { mfa_required: account.mfa_required };
    },
  }),
];
