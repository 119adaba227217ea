/**
 * Removes routes that an engine left on its host. A machine that stops or starts while the engine is down leaves the
 * routes to its prefixes behind. The engine then cannot add these routes again, so it does not start the machine, and
 * it removes routes only from a running machine that has them. So a helper machine runs for a moment, and a profile
 * assigns the routes to its interfaces: the engine stores the profile although adding the routes fails, and removes
 * the routes when the helper stops.
 */
import { EngineUnreachable } from '../../errors.ts';
import type { Ref } from '../instance.ts';
import { askOrNull, insist, type RawInstance, requireRaw, type Site } from './driver-context.ts';
import { IncusError, isBusy, isInUse, isPassing, isRoutedAlready } from './failure.ts';
import { findSmallestImage } from './images.ts';
import { DEFAULT, nameOf } from './names.ts';

type Devices = RawInstance['devices'];
type Device = Devices[string];

const ROUTES = ['ipv4.routes', 'ipv6.routes'] as const;

const isRouted = (device: Device): boolean => ROUTES.some((name) => device[name] !== undefined);

/** An interface that lets no traffic of the guest through. */
export const mute = ({ network = '', name = '' }: Device): Device => ({
  type: 'nic',
  network,
  name,
  'ipv4.address': 'none',
  'security.mac_filtering': 'true',
  'security.ipv4_filtering': 'true',
  'security.ipv6_filtering': 'true',
});

const withRoutes = (device: Device): Device => ({
  ...mute(device),
  ...Object.fromEntries(ROUTES.flatMap((name) => (device[name] === undefined ? [] : [[name, device[name]]]))),
});

const mapDevices = (devices: Devices, make: (device: Device) => Device): Devices =>
  Object.fromEntries(Object.entries(devices).map(([name, device]) => [name, make(device)]));

/** `wanted` returns the interfaces of a machine whose routes `act` is about to add. */
export async function pastLeftRoutes<T>(
  site: Site,
  ref: Ref,
  wanted: (raw: RawInstance) => Devices,
  act: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!isRoutedAlready(error)) throw error;
    const raw = await requireRaw(site, ref, signal);
    const routed = Object.entries(wanted(raw)).filter(([, device]) => isRouted(device));
    await takeAway(site, raw, Object.fromEntries(routed), signal).catch((failure: unknown) => {
      signal?.throwIfAborted();
      throw failure instanceof EngineUnreachable || isPassing(failure) ? failure : error;
    });
    return await act();
  }
}

const helperOf = (machine: string): string => `routes-${machine}`;
const pathOfProfile = (helper: string): string => `/1.0/profiles/${helper}`;
const pathOfHelper = (helper: string): string => `/1.0/instances/${helper}`;

/**
 * A machine has at most one helper; remains of an earlier attempt are removed first. An aborted call still waits
 * until the helper is removed. If that fails too, the helper is removed together with the machine.
 */
async function takeAway(site: Site, raw: RawInstance, routed: Devices, signal?: AbortSignal): Promise<void> {
  const { client } = site;
  const name = helperOf(raw.name);
  const project = DEFAULT;
  await clear(site, name, signal);
  const body = { name, config: {}, devices: mapDevices(routed, mute) };
  await client.run('POST', '/1.0/profiles', { project, body, signal });
  try {
    await run(site, name, raw, signal);
    const told = { config: {}, devices: mapDevices(routed, withRoutes) };
    await client.run('PUT', pathOfProfile(name), { project, body: told, signal }).catch((error: unknown) => {
      if (!isRoutedAlready(error)) throw error;
    });
  } finally {
    await clear(site, name);
  }
}

/** For a removed machine: removes the helper that an attempt to start it left behind. */
export const clearHelper = (site: Site, ref: Ref, signal?: AbortSignal): Promise<void> =>
  clear(site, helperOf(nameOf(ref.id)), signal);

/** The engine keeps a profile while an instance uses it, so once the profile is gone, the helper is gone too. */
async function clear(site: Site, name: string, signal?: AbortSignal): Promise<void> {
  const ask = { project: DEFAULT, signal };
  const remove = (): Promise<unknown> =>
    askOrNull(() => site.client.run('DELETE', pathOfProfile(name), ask)).catch(async (error: unknown) => {
      if (isInUse(error)) await stop(site, name, signal);
      throw error;
    });
  await insist(remove, signal, (error) => error instanceof IncusError);
}

/** The helper is ephemeral and disappears when it stops; one that never ran has to be deleted. */
async function stop({ client }: Site, name: string, signal?: AbortSignal): Promise<void> {
  const ask = { project: DEFAULT, signal };
  const body = { action: 'stop', force: true };
  await askOrNull(() => client.run('PUT', `${pathOfHelper(name)}/state`, { ...ask, body })).catch(
    (error: unknown) => {
      if (!(error instanceof IncusError) || isBusy(error)) throw error;
      return askOrNull(() => client.run('DELETE', pathOfHelper(name), ask));
    },
  );
}

async function run(site: Site, name: string, { type, location }: RawInstance, signal?: AbortSignal) {
  const { client, settings } = site;
  const body = {
    name,
    type,
    ephemeral: true,
    profiles: [name],
    source: { type: 'image', fingerprint: await findSmallestImage(site, signal) },
    devices: { root: { type: 'disk', path: '/', pool: settings.storagePool } },
  };
  const target = location === 'none' ? {} : { target: location };
  await client.run('POST', '/1.0/instances', { project: DEFAULT, ...target, body, signal });
  const start = { action: 'start' };
  await client.run('PUT', `${pathOfHelper(name)}/state`, { project: DEFAULT, body: start, signal });
}
