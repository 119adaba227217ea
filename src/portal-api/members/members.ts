import { roleNames } from '../../kernel/access/roles.ts';
import { changesBetween } from '../../kernel/audit/changes.ts';
import type { Warning } from '../../kernel/effect.ts';
import { newId } from '../../kernel/ids.ts';
import { invalid, Problem } from '../../kernel/problems/problem.ts';
import { OneOf, Shape, type Static, Type } from '../../kernel/schema.ts';
import type { Db, Tx } from '../../store/database.ts';
import type { Actor } from '../actor.ts';
import { authorise } from '../authority.ts';
import { check, Email, Line } from '../input.ts';
import { countKeysOf } from '../keys/store.ts';
import { type Changed, change, notFound } from '../portal-write.ts';
import {
  findActiveOwner,
  findMember,
  findMemberByEmail,
  findMembers,
  insertMember,
  type MemberRow,
  type MemberSummary,
  updateMember,
} from './store.ts';

export async function listMembers(db: Db, accountId: string): Promise<MemberSummary[]> {
  return findMembers(db, accountId);
}

const AddMember = Shape({
  account_id: Type.String(),
  name: Line(1, 100),
  email: Email,
  role: OneOf(roleNames),
});
export type AddMember = Static<typeof AddMember>;

export async function addMember(db: Db, actor: Actor, input: AddMember): Promise<MemberRow> {
  return change(db, actor, 'addMember', input.account_id, async (tx, account) => {
    check(AddMember, input);
    const { account_id, name, email, role } = input;
    await authorise(tx, actor, account_id, role === 'owner' ? 'owner' : 'admin');
    const holder = await findMemberByEmail(tx, account.id, email);
    if (holder !== undefined) {
      const detail = `${holder.name} (${holder.id}) has this address already.`;
      throw invalid([{ pointer: '/email', code: 'not_unique', detail }]);
    }
    const result = await insertMember(tx, { id: newId('member'), account_id, name, email, role });
    const changes = [{ pointer: '', before: null, after: { name, email, role, status: result.status } }];
    const resource = { type: 'member', id: result.id, name };
    const isInvited = result.status === 'invited';
    const event = {
      type: isInvited ? 'member.invited' : 'member.joined',
      resource,
      message: `${name} ${isInvited ? 'was asked to become' : 'became'} a member with the role ${role}.`,
      data: { role },
    };
    return { result, resource, changes, events: [event] };
  });
}

/** Finds a member that the actor may change: only owners may change owners. */
export async function memberToChange(
  tx: Tx,
  actor: Actor,
  accountId: string,
  memberId: string,
): Promise<MemberRow> {
  const member = await findMember(tx, accountId, memberId);
  await authorise(tx, actor, accountId, member?.role === 'owner' ? 'owner' : 'admin');
  if (member === undefined) throw notFound('member', memberId);
  return member;
}

export async function requireAnotherOwner(tx: Tx, member: MemberRow): Promise<void> {
  if (member.role !== 'owner' || member.status !== 'active') return;
  const other = await findActiveOwner(tx, member.account_id, member.id);
  if (other !== undefined) return;
  throw new Problem('invalid_state', {
    detail: `${member.name} is the only active owner of the account; make another member an owner first.`,
    extra: { current_state: member.status, allowed_states: [] },
  });
}

/** Somebody who has not accepted the invitation is no member yet, so there is nothing to suspend or to reinstate. */
function requireJoined({ name, status }: MemberRow): void {
  if (status !== 'invited') return;
  throw new Problem('invalid_state', {
    detail: `${name} has not accepted the invitation yet; withdraw the invitation instead.`,
    extra: { current_state: status, allowed_states: ['active', 'suspended'] },
  });
}

async function settle(tx: Tx, member: MemberRow, after: Partial<MemberRow>): Promise<Changed<MemberRow>> {
  const changes = changesBetween<MemberRow>(member, after);
  const result = changes.length > 0 ? await updateMember(tx, member.id, after) : member;
  return { result, resource: { type: 'member', id: member.id, name: member.name }, changes };
}

const ChangeRole = Shape({ account_id: Type.String(), member_id: Type.String(), role: OneOf(roleNames) });
export type ChangeRole = Static<typeof ChangeRole>;

export async function changeRole(
  db: Db,
  actor: Actor,
  input: ChangeRole,
): Promise<{ member: MemberRow; warnings: Warning[] }> {
  return change(db, actor, 'changeRole', input.account_id, async (tx) => {
    check(ChangeRole, input);
    const { account_id, member_id, role } = input;
    const member = await memberToChange(tx, actor, account_id, member_id);
    if (role === 'owner') await authorise(tx, actor, account_id, 'owner');
    else await requireAnotherOwner(tx, member);
    const { result, ...rest } = await settle(tx, member, { role });
    const event = {
      type: 'member.role_changed',
      resource: rest.resource,
      message: `${member.name} has the role ${role} instead of ${member.role}.`,
      data: { before: member.role, after: role },
    };
    const events = rest.changes.length > 0 ? [event] : [];
    const keys = role === 'billing' ? await countKeysOf(tx, member.id) : 0;
    const detail = `${member.name} has ${keys} API keys, which can do nothing while the role is billing.`;
    const warnings = keys > 0 ? [{ code: 'idle_keys', detail }] : [];
    return { ...rest, events, result: { member: result, warnings } };
  });
}

const ChooseMember = Shape({ account_id: Type.String(), member_id: Type.String() });
export type ChooseMember = Static<typeof ChooseMember>;

/** The keys of a suspended member are suspended too, until the member is reinstated. */
export async function suspendMember(db: Db, actor: Actor, input: ChooseMember): Promise<MemberRow> {
  return change(db, actor, 'suspendMember', input.account_id, async (tx) => {
    check(ChooseMember, input);
    const member = await memberToChange(tx, actor, input.account_id, input.member_id);
    requireJoined(member);
    await requireAnotherOwner(tx, member);
    const changed = await settle(tx, member, { status: 'suspended' });
    const message = `${member.name} and all keys of this member are suspended.`;
    const event = { type: 'member.suspended', resource: changed.resource, message };
    return { ...changed, events: changed.changes.length > 0 ? [event] : [] };
  });
}

export async function reinstateMember(db: Db, actor: Actor, input: ChooseMember): Promise<MemberRow> {
  return change(db, actor, 'reinstateMember', input.account_id, async (tx) => {
    check(ChooseMember, input);
    const member = await memberToChange(tx, actor, input.account_id, input.member_id);
    requireJoined(member);
    return settle(tx, member, { status: 'active' });
  });
}
