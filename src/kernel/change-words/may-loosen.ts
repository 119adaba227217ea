import type { Endpoint } from '../record.ts';

/**
 * Whether a call may loosen a protection. A new resource takes nothing from those that exist; updates, actions and parts
 * that are added to a resource may, and only the words about their changes know. Destructive calls are not counted here,
 * because what loosens is treated like them anyway.
 */
export const mayLoosen = ({
  access,
  resource,
  part,
}: Pick<Endpoint, 'access' | 'resource' | 'part'>): boolean =>
  access === 'write' && (resource.role !== 'create' || part !== undefined);
