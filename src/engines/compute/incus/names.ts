/** The names that accounts, machines, networks and images have in the engine. */
import { createHash } from 'node:crypto';
import type { ImageRef, Ref } from '../instance.ts';

/** Project and instance names may not contain an underscore; our ids contain exactly one. */
export const nameOf = (id: string): string => id.replaceAll('_', '-');
export const idOf = (name: string): string => name.replace('-', '_');

/** VPN gateways are instances too. Their ids say so, also of those that are not complete. */
export const isGatewayName = (name: string): boolean => idOf(name).startsWith('vpn_');

export const projectOf = ({ account }: Pick<Ref, 'account'>): string => nameOf(account);

export type NetworkType = 'bridge' | 'ovn';

/**
 * A bridge is named like a network interface: fifteen characters at most. The two types have different names, so that
 * a network of one type is never taken for one of the other after a location has changed its type.
 */
export function networkNameOf({ account, id }: Ref, type: NetworkType): string {
  const digest = createHash('sha256').update(`${account}/${id}`).digest('hex');
  return `${type === 'ovn' ? 'ho' : 'hp'}${digest.slice(0, 13)}`;
}

/** The project that every engine has. It holds what belongs to no account. */
export const DEFAULT = 'default';

/** Images of all accounts are in one project. The provider's own images have their slug as alias. */
export const aliasOf = ({ account, id }: ImageRef): string =>
  account === null ? id : `${nameOf(account)}/${id}`;

/** The file name that an uploaded image has. It says whose the image is while the image has no alias. */
export const uploadNameOf = ({ account, id }: Ref): string => `${nameOf(account)}.${id}`;

/** Parses the path of an instance in engine events and lists, for example `/1.0/instances/vm-1?project=acc-1`. */
export function refOfPath(path: string): Ref | null {
  const url = new URL(path, 'http://engine');
  const name = /^\/1\.0\/instances\/([^/]+)/.exec(url.pathname)?.[1];
  const project = url.searchParams.get('project');
  if (name === undefined || project === null) return null;
  return { account: idOf(project), id: idOf(name) };
}
