/** The caller and its rights: key ∩ role of the key's owner ∩ products ∩ account status, decided at each request. */
import type { PrefixTrie } from '../net/prefix-trie.ts';
import type { ProblemCode } from '../problems/catalogue.ts';
import { keysOf, Named, OneOf } from '../schema.ts';
import { allows, IMPLICIT, type Permission } from './permissions.ts';
import { type RoleName, roleAllows } from './roles.ts';
import type { AccountStatus, AllowlistMode, Approval, StoredKeyStatus } from './tables.ts';

export interface AllowlistEntry {
  readonly id: string;
  readonly cidr: string;
  readonly expiresAt: number | null;
}

export interface AccountAccess {
  readonly id: string;
  readonly name: string;
  readonly status: AccountStatus;
  readonly keysSuspended: boolean;
  readonly products: ReadonlySet<string>;
  readonly allowlist: {
    readonly mode: AllowlistMode;
    readonly entries: readonly AllowlistEntry[];
    readonly trie: PrefixTrie<AllowlistEntry>;
  };
}

const denialMeanings = {
  key: 'The permissions of the key do not include it.',
  role: 'The role of the owner of the key does not allow it.',
  product: 'The product family is not enabled for the account.',
  account_status: 'The account is restricted, suspended or closing.',
} as const;
export const denials = keysOf(denialMeanings);
export type DeniedBy = keyof typeof denialMeanings;
export const DeniedByShape = Named(
  'DeniedBy',
  OneOf(denialMeanings, { description: 'What does not grant the permission that the call needs.' }),
);

export interface Decision {
  readonly allowed: boolean;
  readonly deniedBy: readonly DeniedBy[];
  /** The problem to answer with. If several apply, it is the one that is checked first. */
  readonly code: Extract<
    ProblemCode,
    'permission_denied' | 'product_not_enabled' | 'account_restricted' | 'account_suspended'
  > | null;
}

export interface KeyOwner {
  readonly memberId: string;
  readonly role: RoleName;
  readonly suspended: boolean;
}

/** The members of an endpoint that decide who may call it. */
export interface Guarded {
  readonly family: string;
  readonly permission: Permission;
  readonly method: string;
  readonly sensitive?: true;
  readonly raisesCost?: true | 'sometimes';
  readonly whileSuspended?: true;
}

export interface Caller {
  readonly account: AccountAccess;
  readonly key: {
    readonly id: string;
    readonly publicId: string;
    readonly name: string;
    readonly status: StoredKeyStatus;
    readonly permissions: readonly string[];
    readonly approval: Approval;
    /** Calls that raise the monthly cost by more than this amount need approval as well. */
    readonly approvalOverMonthly: string | null;
    readonly expiresAt: Date | null;
    /** The expiry in this process's clock, corrected by its difference to the database clock. */
    readonly endsAt: number;
  };
  readonly owner: KeyOwner | null;
  decide(endpoint: Guarded): Decision;
}

function accountRefusal(status: AccountStatus, endpoint: Guarded): Decision['code'] {
  switch (status) {
    case 'active':
      return null;
    case 'restricted':
      return endpoint.raisesCost === true ? 'account_restricted' : null;
    case 'suspended':
      return endpoint.method === 'GET' || endpoint.method === 'DELETE' || endpoint.whileSuspended
        ? null
        : 'account_suspended';
    case 'closing':
    case 'closed':
      return endpoint.method === 'GET' || endpoint.method === 'DELETE' ? null : 'account_suspended';
  }
}

/** Whether the caller has a permission, independent of any endpoint. The visibility filter uses it. */
export function holds(caller: Pick<Caller, 'account' | 'key' | 'owner'>, permission: Permission): boolean {
  const family = permission.split(':')[0] ?? '';
  return (
    allows(caller.key.permissions, permission) &&
    caller.owner !== null &&
    roleAllows(caller.owner.role, permission, false) &&
    (family === 'account' || caller.account.products.has(family))
  );
}

export function decide(caller: Pick<Caller, 'account' | 'key' | 'owner'>, endpoint: Guarded): Decision {
  const implicit = IMPLICIT.includes(endpoint.permission);
  const byKey = implicit || allows(caller.key.permissions, endpoint.permission);
  const byRole =
    implicit ||
    (caller.owner !== null &&
      roleAllows(caller.owner.role, endpoint.permission, endpoint.sensitive ?? false));
  // The account family is not a product, so it cannot be disabled.
  const byProduct = endpoint.family === 'account' || caller.account.products.has(endpoint.family);
  const status = accountRefusal(caller.account.status, endpoint);
  const deniedBy: DeniedBy[] = [];
  if (!byKey) deniedBy.push('key');
  if (!byRole) deniedBy.push('role');
  if (!byProduct) deniedBy.push('product');
  if (status !== null) deniedBy.push('account_status');
  const code = status ?? (byProduct ? (byKey && byRole ? null : 'permission_denied') : 'product_not_enabled');
  return { allowed: deniedBy.length === 0, deniedBy, code };
}
