/** What our things are called at the engine. */
import { createHash } from 'node:crypto';
import type { ImageRef, Ref } from '../instance.ts';

/** Neither projects nor instances may have an underscore in their name, and our ids have just one. */
export const nameOf = (id: string): string => id.replaceAll('_', '-');
export const idOf = (name: string): string => name.replace('-', '_');

export const projectOf = ({ account }: Pick<Ref, 'account'>): string => nameOf(account);

/** The name of a bridge is that of a network interface: fifteen letters at most. */
export function networkNameOf({ account, id }: Ref): string {
  const digest = createHash('sha256').update(`${account}/${id}`).digest('hex');
  return `hp${digest.slice(0, 13)}`;
}

/** The project that is there from the beginning: what no account owns is in it. */
export const DEFAULT = 'default';

/** Images of all accounts lie side by side; those of the provider are known by their slug. */
export const aliasOf = ({ account, id }: ImageRef): string =>
  account === null ? id : `${nameOf(account)}/${id}`;

/** Of an instance, from the path by which the engine speaks of it: `/1.0/instances/vm-1?project=acc-1`. */
export function refOfPath(path: string): Ref | null {
  const url = new URL(path, 'http://engine');
  const name = /^\/1\.0\/instances\/([^/]+)/.exec(url.pathname)?.[1];
  const project = url.searchParams.get('project');
  if (name === undefined || project === null) return null;
  return { account: idOf(project), id: idOf(name) };
}
