/**
 * A machine that stops, or is being started, while the engine is down leaves the routes to its prefixes at its host. The
 * engine then makes none of them again, and so does not start it; nor does it take them away, other than from a machine
 * that runs with them. So one of ours runs for a moment, whose interfaces get those routes by a profile: the engine keeps
 * what the profile says although it cannot make the routes, and takes them away when that machine stops.
 */
import { EngineUnreachable } from '../../errors.ts';
import type { Ref } from '../instance.ts';
import { IncusError, isBusy, isInUse, isPassing, isRoutedAlready } from './failure.ts';
import { findSmallestImage } from './images.ts';
import { DEFAULT, nameOf } from './names.ts';
import { askOrNull, insist, type RawInstance, requireRaw, type Site } from './site.ts';

type Devices = RawInstance['devices'];
type Device = Devices[string];

const ROUTES = ['ipv4.routes', 'ipv6.routes'] as const;

const isRouted = (device: Device): boolean => ROUTES.some((name) => device[name] !== undefined);

/** Nothing that it says gets anywhere. */
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
      throw failure instanceof EngineUnreachable || isPassing(failure) ? failure : error;
    });
    return await act();
  }
}

const helperOf = (machine: string): string => `routes-${machine}`;
const pathOfProfile = (helper: string): string => `/1.0/profiles/${helper}`;
const pathOfHelper = (helper: string): string => `/1.0/instances/${helper}`;

/**
 * One machine has but one such helper: what an attempt before left of it goes first. Whoever gives up waits until it is
 * gone; where even that fails, it goes with the machine.
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

/** Of a machine that is no more: whatever an attempt to start it left. */
export const clearHelper = (site: Site, ref: Ref, signal?: AbortSignal): Promise<void> =>
  clear(site, helperOf(nameOf(ref.id)), signal);

/** The engine keeps a profile as long as somebody has it: where it is gone, so is the helper. */
async function clear(site: Site, name: string, signal?: AbortSignal): Promise<void> {
  const ask = { project: DEFAULT, signal };
  const remove = (): Promise<unknown> =>
    askOrNull(() => site.client.run('DELETE', pathOfProfile(name), ask)).catch(async (error: unknown) => {
      if (isInUse(error)) await stop(site, name, signal);
      throw error;
    });
  await insist(remove, signal, (error) => error instanceof IncusError);
}

/** Being ephemeral, it is gone once it is off; one that never ran has to be removed. */
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
