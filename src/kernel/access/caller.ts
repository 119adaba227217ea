/**
 * The caller and its rights, decided at each request: key ∩ role of the key's owner ∩ products ∩ account status. For a
 * person who is signed in, the same without the key.
 */
import type { PrefixTrie } from '../net/prefix-trie.ts';
import type { ProblemCode } from '../problems/catalogue.ts';
import { keysOf, Named, OneOf } from '../schema.ts';
import { allows, IMPLICIT, type Permission } from './permissions.ts';
import { allowsInPerson, type RoleName, roleAllows } from './roles.ts';
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

/** What people do about a permission that is missing: they have no keys to choose from. */
export const ANOTHER_ROLE = 'Ask an owner or admin of the account for another role.';

export interface Decision {
  readonly allowed: boolean;
  readonly deniedBy: readonly DeniedBy[];
  /** The problem to answer with. If several apply, it is the one that is checked first. */
  readonly code: Extract<
    ProblemCode,
    'permission_denied' | 'product_not_enabled' | 'account_restricted' | 'account_suspended'
  > | null;
}

/** The member behind a call: the owner of the key, or the person who is signed in. */
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

interface Rights {
  readonly account: AccountAccess;
  readonly owner: KeyOwner | null;
  decide(endpoint: Guarded): Decision;
}

export interface KeyCaller extends Rights {
  readonly key: {
    readonly id: string;
    readonly publicId: string;
    readonly name: string;
    /** This key, the keys that it was rolled from and those that replaced it, oldest first. Rules about one hold for all. */
    readonly lineage: readonly string[];
    readonly status: StoredKeyStatus;
    readonly permissions: readonly string[];
    readonly approval: Approval;
    /** Calls that raise the monthly cost by more than this amount need approval as well. */
    readonly approvalOverMonthly: string | null;
    readonly expiresAt: Date | null;
    /** The expiry in this process's clock, corrected by its difference to the database clock. */
    readonly endsAt: number;
  };
}

/** A person who is signed in to the portal. */
export interface MemberCaller extends Rights {
  readonly key: null;
  readonly owner: KeyOwner;
  readonly name: string;
  readonly sessionId: string;
}

export type Caller = KeyCaller | MemberCaller;

type Holder = Pick<KeyCaller, 'account' | 'key' | 'owner'> | Pick<MemberCaller, 'account' | 'key' | 'owner'>;

const EVERYTHING: readonly string[] = ['*:*:*'];

/** Members are limited by their role alone. */
export const permissionsOf = ({ key }: Pick<Caller, 'key'>): readonly string[] =>
  key === null ? EVERYTHING : key.permissions;

export const nameOf = (caller: Caller): string => (caller.key === null ? caller.name : caller.key.name);

/**
 * Whether the caller started the operation. A member also counts those that a key of the member started, and a key those
 * of the key that it replaced.
 */
export const isOwn = (
  caller: Caller,
  row: { readonly api_key_id: string | null; readonly actor: { readonly member_id: string | null } },
): boolean =>
  caller.key === null
    ? row.actor.member_id === caller.owner.memberId
    : row.api_key_id !== null && caller.key.lineage.includes(row.api_key_id);

export function accountRefusal(
  status: AccountStatus,
  endpoint: Pick<Guarded, 'method' | 'raisesCost' | 'whileSuspended'>,
): 'account_restricted' | 'account_suspended' | null {
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

const roleHolds = ({ owner, key }: Holder, permission: Permission, sensitive: boolean): boolean =>
  owner !== null &&
  (roleAllows(owner.role, permission, sensitive) || (key === null && allowsInPerson(owner.role, permission)));

/** Whether the caller has a permission, independent of any endpoint. The visibility filter uses it. */
export function holds(caller: Holder, permission: Permission): boolean {
  const family = permission.split(':')[0] ?? '';
  return (
    allows(permissionsOf(caller), permission) &&
    roleHolds(caller, permission, false) &&
    (family === 'account' || caller.account.products.has(family))
  );
}

export function decide(caller: Holder, endpoint: Guarded): Decision {
  const implicit = IMPLICIT.includes(endpoint.permission);
  const byKey = implicit || allows(permissionsOf(caller), endpoint.permission);
  const byRole = implicit || roleHolds(caller, endpoint.permission, endpoint.sensitive ?? false);
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
