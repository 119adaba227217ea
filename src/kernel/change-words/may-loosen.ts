import type { Endpoint } from '../record.ts';

/** A resource that is created by itself takes nothing from those that exist, and nobody uses it yet. */
const makesSomethingNew = ({ resource, path }: Pick<Endpoint, 'resource' | 'path'>): boolean =>
  resource.role === 'create' && !path.includes('{');

/**
 * Whether a call may loosen a protection. Updates, actions, and what is created within a resource that exists (the peer
 * of a VPN gateway, the interface of a machine) may, and only the words about their changes know. Destructive calls are
 * not counted here, because what loosens is treated like them anyway.
 */
export const mayLoosen = (endpoint: Pick<Endpoint, 'access' | 'resource' | 'path'>): boolean =>
  endpoint.access === 'write' && !makesSomethingNew(endpoint);
