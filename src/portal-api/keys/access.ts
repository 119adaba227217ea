/** What a key, or a member without a key, may call, and why not. */
import { type AccountAccess, type Decision, type DeniedBy, decide } from '../../kernel/access/caller.ts';
import type { RoleName } from '../../kernel/access/roles.ts';
import { findAccount } from '../../kernel/access/store.ts';
import type { Registry } from '../../kernel/registry.ts';
import type { Db } from '../../store/database.ts';
import { findMember } from '../members/store.ts';
import { notFound } from '../portal-write.ts';
import { findKeys } from './store.ts';

export interface CallAccess {
  readonly operation_id: string;
  readonly callable: boolean;
  /** What does not grant it; absent if it is callable. */
  readonly reason?: DeniedBy | 'key_status';
  readonly missing_permission?: string;
}

interface Holder {
  /** Null for a member without a key. */
  readonly permissions: readonly string[] | null;
  readonly owner: { readonly memberId: string; readonly role: RoleName } | null;
  /** Whether the key works at all. */
  readonly works: boolean;
}

function judge(id: string, permission: string, { allowed, deniedBy }: Decision, works: boolean): CallAccess {
  if (!works) return { operation_id: id, callable: false, reason: 'key_status' };
  if (allowed) return { operation_id: id, callable: true };
  const [reason = 'key'] = deniedBy;
  const isPermission = reason === 'key' || reason === 'role';
  return {
    operation_id: id,
    callable: false,
    reason,
    ...(isPermission ? { missing_permission: permission } : {}),
  };
}

async function accessOf(
  db: Db,
  registry: Registry,
  accountId: string,
  holder: Holder,
): Promise<CallAccess[]> {
  const row = await findAccount(db, accountId);
  if (row === undefined) throw notFound('account', accountId);
  const caller = {
    account: { status: row.status, products: new Set(row.products) } as unknown as AccountAccess,
    key: holder.permissions === null ? null : { permissions: holder.permissions },
    owner: holder.owner === null ? null : { ...holder.owner, suspended: false },
  } as Parameters<typeof decide>[0];
  return registry.endpoints.map((endpoint) =>
    judge(endpoint.id, endpoint.permission, decide(caller, endpoint), holder.works),
  );
}

export async function accessOfKey(
  db: Db,
  registry: Registry,
  accountId: string,
  keyId: string,
): Promise<CallAccess[]> {
  const key = (await findKeys(db, accountId, keyId)).find(({ id }) => id === keyId);
  if (key === undefined) throw notFound('API key', keyId);
  const owner = key.owner_id === null ? undefined : await findMember(db, accountId, key.owner_id);
  return accessOf(db, registry, accountId, {
    permissions: key.permissions,
    owner: owner === undefined ? null : { memberId: owner.id, role: owner.role },
    works: key.state === 'active',
  });
}

/** Only the role decides, with what it allows in person. */
export async function accessOfMember(
  db: Db,
  registry: Registry,
  accountId: string,
  member: { readonly memberId: string; readonly role: RoleName },
): Promise<CallAccess[]> {
  return accessOf(db, registry, accountId, { permissions: null, owner: member, works: true });
}
