/**
 * A machine that stops, or is being started, while the engine is down leaves the routes to its prefixes at its host. The
 * engine then makes none of them again, and so does not start it; nor does it take them away, other than from a machine
 * that runs with them. So one of ours runs for a moment, whose interfaces get those routes by a profile: the engine keeps
 * what the profile says although it cannot make the routes, and takes them away when that machine stops.
 */
import { EngineUnreachable } from '../errors.ts';
import type { Ref } from '../instance.ts';
import { isBusy, isInUse, isRoutedAlready } from './failure.ts';
import { findSmallestImage } from './images.ts';
import { DEFAULT } from './names.ts';
import { askOrNull, insist, type RawInstance, requireRaw, type Site } from './site.ts';

type Devices = RawInstance['devices'];
type Device = Devices[string];

const ROUTES = ['ipv4.routes', 'ipv6.routes'] as const;

const isRouted = (device: Device): boolean => ROUTES.some((name) => device[name] !== undefined);

/** Nothing that it says gets anywhere. */
const mute = ({ network = '', name = '' }: Device): Device => ({
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

/** `wanted` picks, of a machine, the interfaces whose routes `act` is about to make. */
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
      throw failure instanceof EngineUnreachable ? failure : error;
    });
    return await act();
  }
}

/** One machine has but one such helper: what an attempt before left of it goes first. */
async function takeAway(site: Site, raw: RawInstance, routed: Devices, signal?: AbortSignal): Promise<void> {
  const { client } = site;
  const name = `routes-${raw.name}`;
  const profile = `/1.0/profiles/${name}`;
  const instance = `/1.0/instances/${name}`;
  const project = DEFAULT;
  const clear = async (): Promise<void> => {
    const stop = { action: 'stop', force: true };
    // Being ephemeral, it is gone once it is off; one that never ran has to be removed.
    await askOrNull(() => client.run('PUT', `${instance}/state`, { project, body: stop, signal })).catch(() =>
      askOrNull(() => client.run('DELETE', instance, { project, signal })),
    );
    await insist(
      () => askOrNull(() => client.run('DELETE', profile, { project, signal })),
      signal,
      (error) => isBusy(error) || isInUse(error),
    );
  };
  await clear();
  const body = { name, config: {}, devices: mapDevices(routed, mute) };
  await client.run('POST', '/1.0/profiles', { project, body, signal });
  try {
    await run(site, name, raw, signal);
    const told = { config: {}, devices: mapDevices(routed, withRoutes) };
    await client.run('PUT', profile, { project, body: told, signal }).catch((error: unknown) => {
      if (!isRoutedAlready(error)) throw error;
    });
  } finally {
    await clear();
  }
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
  await client.run('PUT', `/1.0/instances/${name}/state`, { project: DEFAULT, body: start, signal });
}
