/** Who is calling and what that may do: key ∩ role of the key's owner ∩ products ∩ account status, at each request anew. */
import type { PrefixTrie } from '../net/prefix-trie.ts';
import type { ProblemCode } from '../problems/catalogue.ts';
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

export const denials = ['key', 'role', 'product', 'account_status'] as const;
export type DeniedBy = (typeof denials)[number];

export interface Decision {
  readonly allowed: boolean;
  readonly deniedBy: readonly DeniedBy[];
  /** The refusal a call gets, the first in the order of a request. */
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

/** The facts of an endpoint that decide who may call it. */
export interface Guarded {
  readonly family: string;
  readonly permission: Permission;
  readonly method: string;
  readonly sensitive?: true;
  readonly raisesCost?: true;
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
    /** What adds more than this to the cost of a month needs approval too. */
    readonly approvalOverMonthly: string | null;
    readonly expiresAt: Date | null;
    /** When it expires in this process's clock, corrected by the database's. */
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
      return endpoint.raisesCost ? 'account_restricted' : null;
    case 'suspended':
      return endpoint.method === 'GET' || endpoint.method === 'DELETE' || endpoint.whileSuspended
        ? null
        : 'account_suspended';
    case 'closing':
    case 'closed':
      return endpoint.method === 'GET' || endpoint.method === 'DELETE' ? null : 'account_suspended';
  }
}

/** Whether a permission is held, whichever endpoint asks for it: what the visibility filter goes by. */
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
  // The account family is how an account looks at itself: it is not a product that could be off.
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
