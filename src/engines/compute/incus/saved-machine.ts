/**
 * Saves the state of a machine before a change that the engine makes in two steps. The state is in a profile that no
 * machine uses: neither a restore nor a deletion of the machine changes it, and a retry after a crash finds it.
 */
import type { Ref } from '../instance.ts';
import { wasDone } from './config-keys.ts';
import type { RawInstance, Site } from './driver-context.ts';
import { isMissing, isTaken } from './failure.ts';
import { nameOf, projectOf } from './names.ts';

export interface Kept extends Pick<RawInstance, 'architecture' | 'config' | 'devices' | 'location' | 'type'> {
  /** The operation that saved the state. */
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
 * Saves and returns the state of the machine before `once`. The state saved by an unfinished operation takes
 * precedence over the current one; the state saved by a finished operation is overwritten.
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
