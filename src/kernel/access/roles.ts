/** Roles limit what a member's keys may do. They are checked at each request, so a demotion takes effect at once. */
import { familyContracts } from '../../contract/families.ts';
import { productNames } from '../families.ts';
import { type Meanings, Named, OneOf } from '../schema.ts';
import { allows, matches, type Permission } from './permissions.ts';

export const roleNames = ['owner', 'admin', 'operator', 'developer', 'viewer', 'billing'] as const;
export type RoleName = (typeof roleNames)[number];

interface Role {
  readonly description: string;
  readonly patterns: readonly string[];
  /** Exceptions from `patterns`; `keeping` lists exceptions from these. */
  readonly except?: readonly string[];
  readonly keeping?: readonly string[];
  readonly sensitive: boolean;
  /** What people with the role may do in the portal beside `patterns`, and none of their keys. */
  readonly inPerson?: readonly string[];
}

const products = productNames.map((name) => `${name}:*:*`);
const operator = [
  ...products,
  'account:*:read',
  'account:operations:*',
  'account:webhooks:*',
  'account:webhook-deliveries:*',
  'account:budgets:*',
];

export const roles: Readonly<Record<RoleName, Role>> = {
  owner: { description: 'Everything, and the account itself.', patterns: ['*:*:*'], sensitive: true },
  admin: { description: 'Everything except transferring the account.', patterns: ['*:*:*'], sensitive: true },
  operator: {
    description: 'All products; reads the account and runs its operations, webhooks and budgets.',
    patterns: operator,
    sensitive: true,
  },
  developer: {
    description: 'Builds with all products; deletes only machines, snapshots, volumes, images and ISOs.',
    patterns: operator,
    except: [
      '*:*:delete',
      ...familyContracts.flatMap(({ name, developersDoNotWrite = [] }) =>
        developersDoNotWrite.map((noun) => `${name}:${noun}:write`),
      ),
    ],
    keeping: familyContracts.flatMap(({ name, developersDelete = [] }) =>
      developersDelete.map((noun) => `${name}:${noun}:delete`),
    ),
    sensitive: false,
  },
  viewer: { description: 'Reads everything but credentials.', patterns: ['*:*:read'], sensitive: false },
  billing: {
    description: 'Sees cost, budgets and prices in the portal; may not own keys.',
    patterns: [],
    sensitive: false,
    inPerson: ['account:usage:read', 'account:budgets:read', 'account:pricing:read'],
  },
};

export const RoleNameShape = Named(
  'RoleName',
  OneOf<RoleName>(
    Object.fromEntries(roleNames.map((name) => [name, roles[name].description])) as Meanings<RoleName>,
    { description: 'The role of the member, which limits what the keys of the member may do.' },
  ),
);

export function roleAllows(name: RoleName, permission: Permission, sensitive: boolean): boolean {
  const role = roles[name];
  if (sensitive && !role.sensitive) return false;
  if (!allows(role.patterns, permission)) return false;
  const taken = role.except?.some((pattern) => matches(pattern, permission)) ?? false;
  return !taken || allows(role.keeping ?? [], permission);
}

export const allowsInPerson = (name: RoleName, permission: Permission): boolean =>
  allows(roles[name].inPerson ?? [], permission);
