/**
 * The permissions of the contract that no endpoint requires yet. Keys may have them already: they work as soon as
 * their endpoints are built. A test of `src/laws/` checks that these and the registry together are the permissions
 * of the contract.
 */
import { familyContracts } from '../../contract/families.ts';
import type { Permission } from './permissions.ts';

export const plannedPermissions: readonly Permission[] = familyContracts.flatMap(({ name, planned = {} }) =>
  Object.entries(planned).flatMap(([resource, verbs]) =>
    verbs.map((verb): Permission => `${name}:${resource}:${verb}`),
  ),
);
