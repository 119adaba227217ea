/** What a member may do in the portal goes by the role of this moment; the provider's own people stand above it. */
import type { RoleName } from '../kernel/access/roles.ts';
import { Problem } from '../kernel/problems/problem.ts';
import type { Tx } from '../store/database.ts';
import type { Actor } from './actor.ts';
import { findMember } from './members/store.ts';

export type Authority = 'staff' | 'owner' | 'admin' | 'member';

const sufficient: Readonly<Record<Authority, readonly RoleName[]>> = {
  staff: [],
  owner: ['owner'],
  admin: ['owner', 'admin'],
  member: ['owner', 'admin', 'operator', 'developer', 'viewer', 'billing'],
};

const words: Readonly<Record<Authority, string>> = {
  staff: 'the provider',
  owner: 'owners of the account',
  admin: 'owners and admins of the account',
  member: 'active members of the account',
};

/** The role of a member who may, or null for the provider's people, who always may. */
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

/** Where there is no account yet whose member somebody could be. */
export function staffOnly(actor: Actor): void {
  if (actor.kind === 'member') throw refusal('staff');
}

function refusal(needed: Authority): Problem {
  return new Problem('permission_denied', {
    detail: `Only ${words[needed]} may do this.`,
    extra: { denied_by: ['role'] },
  });
}
