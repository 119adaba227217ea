/**
 * Decides what a member may do in the portal, by the member's current role. The provider's staff may do
 * everything.
 */
import type { RoleName } from '../kernel/access/roles.ts';
import { Problem } from '../kernel/problems/problem.ts';
import type { Tx } from '../store/database.ts';
import type { Actor } from './actor.ts';
import { findMember } from './members/store.ts';

export type Authority = 'staff' | 'owner' | 'admin' | 'reader' | 'member';

const sufficient: Readonly<Record<Authority, readonly RoleName[]>> = {
  staff: [],
  owner: ['owner'],
  admin: ['owner', 'admin'],
  reader: ['owner', 'admin', 'operator', 'developer', 'viewer'],
  member: ['owner', 'admin', 'operator', 'developer', 'viewer', 'billing'],
};

const words: Readonly<Record<Authority, string>> = {
  staff: 'the provider',
  owner: 'owners of the account',
  admin: 'owners and admins of the account',
  reader: 'members of the account with another role than billing',
  member: 'active members of the account',
};

/** The roles that may do what needs this authority. */
export const rolesWith = (needed: Authority): readonly RoleName[] => sufficient[needed];

/**
 * Returns the role of a member that is allowed to, or null for the provider's staff, who always are. Throws
 * otherwise.
 */
export async function authorise(
  tx: Tx,
  actor: Actor,
  accountId: string,
  needed: Authority,
): Promise<RoleName | null> {
  if (actor.kind !== 'member') return null;
  const member = await findMember(tx, accountId, actor.memberId);
  if (member?.status === 'active' && sufficient[needed].includes(member.role)) return member.role;
  throw refusal(needed);
}

/** For actions that concern no existing account, so that no member can be authorised for them. */
export function staffOnly(actor: Actor): void {
  if (actor.kind === 'member') throw refusal('staff');
}

export function refusal(needed: Authority): Problem {
  return new Problem('permission_denied', {
    detail: `Only ${words[needed]} may do this.`,
    nextStep: needed === 'staff' ? 'Ask your provider.' : 'Ask an owner or admin of the account to do it.',
    extra: { denied_by: ['role'] },
  });
}
