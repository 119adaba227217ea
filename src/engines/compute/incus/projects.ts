/**
 * One project for each account: the engine isolates the accounts' machines and enforces the location's bounds for
 * each account.
 */
import type { Site } from './driver-context.ts';
import { isMissing, isTaken } from './failure.ts';
import { nameOf } from './names.ts';
import type { AccountBounds } from './settings.ts';

type Config = Readonly<Record<string, string>>;

const OURS = nameOf('acc_');

/** Other projects on the engine belong to the provider and are not touched. */
export const isOurs = (project: string): boolean => project.startsWith(OURS);

/** Images and networks are shared between projects; profiles and disks belong to the project. */
const features: Config = {
  'features.images': 'false',
  'features.networks': 'false',
  'features.profiles': 'true',
  'features.storage.volumes': 'true',
};

const bound = (name: string, value: number | null, unit = ''): Config =>
  value === null ? {} : { [name]: `${value}${unit}` };

const limitsOf = ({ instances, vcpus, memoryMb, diskGb }: AccountBounds): Config => ({
  ...bound('limits.instances', instances),
  ...bound('limits.cpu', vcpus),
  ...bound('limits.memory', memoryMb, 'MiB'),
  ...bound('limits.disk', diskGb, 'GiB'),
});

const seen = new WeakMap<Site, Map<string, Promise<void>>>();

/**
 * Each process checks a project once and then assumes that it exists. Takes no abort signal, because several callers
 * may wait for the same check.
 */
export async function ensureProject(site: Site, account: string): Promise<void> {
  const known = seen.get(site) ?? new Map<string, Promise<void>>();
  seen.set(site, known);
  const made = known.get(account);
  if (made !== undefined) return made;
  const making = bring(site, nameOf(account));
  known.set(account, making);
  try {
    await making;
  } catch (error) {
    known.delete(account);
    throw error;
  }
}

/** Called when the engine no longer has the project. */
export function forgetProject(site: Site, account: string): void {
  seen.get(site)?.delete(account);
}

async function bring({ client, settings }: Site, name: string): Promise<void> {
  const limits = limitsOf(settings.bounds);
  const path = `/1.0/projects/${name}`;
  const found = await client
    .askWithMark<{ readonly config: Config; readonly description: string }>(path)
    .catch((error: unknown) => {
      if (isMissing(error)) return null;
      throw error;
    });
  if (found === null) {
    const body = { name, config: { ...features, ...limits } };
    await client.run('POST', '/1.0/projects', { body }).catch((error: unknown) => {
      if (!isTaken(error)) throw error;
    });
    return;
  }
  const { config, description } = found.value;
  const others = Object.entries(config).filter(([key]) => !/^limits\.(instances|cpu|memory|disk)$/.test(key));
  const wanted = { ...Object.fromEntries(others), ...limits };
  if (isSame(config, wanted)) return;
  await client.run('PUT', path, {
    body: { description, config: wanted },
    headers: { 'if-match': found.mark },
  });
}

function isSame(a: Config, b: Config): boolean {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => a[name] === b[name]);
}
