/**
 * The most that each role may do, and the sensitive permissions. Written from the text of the conventions and not from
 * the code, because the laws compare the code with this file.
 */
import type { RoleName } from '../kernel/access/roles.ts';
import { productFamilies } from './contract.ts';

const FREE = ['account:self:read', 'account:operations:read'];

/** Every key has these permissions, independent of its patterns and of the role of its owner. */
export const isImplicit = (permission: string): boolean => FREE.includes(permission);

const sensitive: Readonly<Record<string, readonly string[]>> = {
  'flexible-vps': [
    'vm-access:read',
    'vm-access:write',
    'vm-access:delete',
    'vpn-configs:write',
    'backup-downloads:write',
  ],
  kubernetes: ['kubeconfigs:write', 'credential-rotations:write'],
  dedicated: ['console:write', 'rescue:write', 'reinstalls:write'],
  storage: ['access-keys:write', 'bucket-policies:write'],
  datacenter: ['visits:write'],
  account: ['api-keys:delete', 'webhooks:write'],
};

export function isSensitive(permission: string): boolean {
  const [family = '', resource, verb] = permission.split(':');
  return sensitive[family]?.includes(`${resource}:${verb}`) ?? false;
}

const OPERATED = ['operations', 'webhooks', 'webhook-deliveries', 'budgets'];
const DELETABLE = ['vms', 'snapshots', 'volumes', 'images', 'isos'];
const BINDING = ['orders', 'cancellations'];

export function mayOwn(role: RoleName, permission: string): boolean {
  const [family = '', resource = '', verb] = permission.split(':');
  const inOperation =
    productFamilies.includes(family) ||
    (family === 'account' && (verb === 'read' || OPERATED.includes(resource)));
  const deletes = verb === 'delete' && !(family === 'flexible-vps' && DELETABLE.includes(resource));
  const binds = family === 'dedicated' && verb === 'write' && BINDING.includes(resource);
  switch (role) {
    case 'owner':
    case 'admin':
      return true;
    case 'operator':
      return inOperation;
    case 'developer':
      return inOperation && !deletes && !binds && !isSensitive(permission);
    case 'viewer':
      return verb === 'read' && !isSensitive(permission);
    case 'billing':
      return false;
  }
}
