/**
 * What a machine was before something is done to it that the engine does in two steps: written down where neither a
 * restore nor a deletion of the machine reaches, so that whoever goes on after a crash finds it. It lies in a profile
 * that no machine uses.
 */
import type { Ref } from '../instance.ts';
import { wasDone } from './config-keys.ts';
import { isMissing, isTaken } from './failure.ts';
import { nameOf, projectOf } from './names.ts';
import type { RawInstance, Site } from './site.ts';

export interface Kept extends Pick<RawInstance, 'architecture' | 'config' | 'devices' | 'location' | 'type'> {
  /** The operation for which it was written down. */
  readonly once: string;
}

const KEY = 'user.hostplane.kept';

const profileOf = ({ id }: Ref): string => `kept-${nameOf(id)}`;
const pathOfKept = (ref: Ref): string => `/1.0/profiles/${profileOf(ref)}`;

export async function findKept({ client }: Site, ref: Ref, signal?: AbortSignal): Promise<Kept | null> {
  try {
    const ask = { project: projectOf(ref), signal };
    const { config } = await client.ask<Pick<RawInstance, 'config'>>('GET', pathOfKept(ref), ask);
    return JSON.parse(config[KEY] ?? 'null') as Kept | null;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

async function write({ client }: Site, ref: Ref, kept: Kept, signal?: AbortSignal): Promise<void> {
  const project = projectOf(ref);
  const config = { [KEY]: JSON.stringify(kept) };
  try {
    await client.run('POST', '/1.0/profiles', { project, body: { name: profileOf(ref), config }, signal });
  } catch (error) {
    if (!isTaken(error)) throw error;
    await client.run('PUT', pathOfKept(ref), { project, body: { config }, signal });
  }
}

/**
 * How the machine was before `once` began, written down from now on. What another operation kept and never came to use
 * counts for more than what is seen now; what it did use is of the past.
 */
export async function keep(
  site: Site,
  ref: Ref,
  raw: RawInstance,
  once: string,
  signal?: AbortSignal,
): Promise<Kept> {
  const before = await findKept(site, ref, signal);
  if (before !== null && !wasDone(raw.config, before.once)) return before;
  const { architecture, config, devices, location, type } = raw;
  const kept = { architecture, config, devices, location, type, once };
  await write(site, ref, kept, signal);
  return kept;
}

export async function forget({ client }: Site, ref: Ref, signal?: AbortSignal): Promise<void> {
  try {
    await client.run('DELETE', pathOfKept(ref), { project: projectOf(ref), signal });
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}
