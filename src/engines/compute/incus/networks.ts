/**
 * Private networks: one managed network each, in the default project because the projects of accounts have no networks
 * of their own. The location decides whether they are bridges or networks of OVN.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { EngineRefused, EngineUnreachable } from '../../errors.ts';
import type { Ref } from '../instance.ts';
import type { Network, NetworkSpec } from '../network.ts';
import type { ComputeEngine } from '../port.ts';
import { keys } from './config-keys.ts';
import { insist, type RawInstance, type Site } from './driver-context.ts';
import { isInUse, isMissing, isTaken } from './failure.ts';
import { idOf, networkNameOf, projectOf } from './names.ts';
import { whileLeaving } from './network-lock.ts';

interface RawNetwork {
  readonly name: string;
  readonly description: string;
  /** `Created` when the network is complete. */
  readonly status: string;
  readonly config: Readonly<Record<string, string>>;
  /** Paths of the instances that use it, including stopped ones; LXD returns null for none. */
  readonly used_by: readonly string[] | null;
}

const LOOKS = 50;
const PAUSE_MS = 100;
const NETWORKS = '/1.0/networks';
const nameOf = ({ networks }: Site, ref: Ref): string => networkNameOf(ref, networks.type);
const pathOf = (site: Site, ref: Ref): string => `${NETWORKS}/${nameOf(site, ref)}`;

async function find(site: Site, ref: Ref, signal?: AbortSignal) {
  try {
    return await site.client.askWithMark<RawNetwork>(pathOf(site, ref), { signal });
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

export async function ensureNetwork(
  site: Site,
  ...[ref, spec, signal]: Parameters<ComputeEngine['ensureNetwork']>
): Promise<void> {
  const { networks } = site;
  const config = { ...networks.configOf(ref, spec), [keys.network]: JSON.stringify({ ...ref, spec }) };
  await insist(async () => {
    let present = await findWhole(site, ref, signal);
    if (present === null) {
      if (await create(site, ref, spec, config, signal)) return;
      present = await findWhole(site, ref, signal);
    }
    if (present === null) throw new EngineUnreachable('The network was removed while it was being created.');
    const { value: raw, mark } = present;
    const kept = Object.entries(raw.config).filter(([key]) => key.startsWith('volatile.'));
    const wanted = { ...Object.fromEntries(kept), ...config };
    if (isSame(raw.config, wanted)) return;
    const body = { description: raw.description, config: wanted };
    await site.client.run('PUT', pathOf(site, ref), { body, headers: { 'if-match': mark }, signal });
  }, signal);
  await networks.complete(site, nameOf(site, ref), spec, signal);
}

/**
 * Waits until an existing network is complete. If it stays incomplete, it was left behind by an engine that died, and
 * is removed.
 */
async function findWhole(site: Site, ref: Ref, signal: AbortSignal | undefined) {
  for (let left = LOOKS; ; left--) {
    const present = await find(site, ref, signal);
    if (present === null || present.value.status === 'Created') return present;
    if (left === 0) await drop(site, ref, signal);
    else await wait(PAUSE_MS, undefined, { signal });
  }
}

const isSame = (a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean =>
  Object.keys(a).length === Object.keys(b).length && Object.keys(a).every((key) => a[key] === b[key]);

/** Returns false if another process created the network. */
async function create(
  site: Site,
  ref: Ref,
  spec: NetworkSpec,
  config: Readonly<Record<string, string>>,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const { networks } = site;
  await networks.prepare(site, ref, spec, signal);
  const body = { name: nameOf(site, ref), type: networks.type, config };
  try {
    await site.client.run('POST', NETWORKS, { body, signal });
  } catch (error) {
    if (isTaken(error)) return false;
    throw error;
  }
  await networks.confirm(site, ref, spec, signal).catch(async (error: unknown) => {
    await drop(site, ref, signal);
    throw error;
  });
  return true;
}

export async function observeNetwork(
  site: Site,
  ...[ref, signal]: Parameters<ComputeEngine['observeNetwork']>
): Promise<Network | null> {
  const raw = (await find(site, ref, signal))?.value;
  const note = raw?.config[keys.network];
  if (raw === undefined || note === undefined || raw.status !== 'Created') return null;
  const { spec } = JSON.parse(note) as { spec: NetworkSpec };
  return { ...spec, ...ref, usedBy: await usersOf(site, ref, raw, signal) };
}

async function usersOf(
  { client, networks }: Site,
  ref: Ref,
  { name, used_by }: Pick<RawNetwork, 'name' | 'used_by'>,
  signal: AbortSignal | undefined,
): Promise<Network['usedBy']> {
  if (networks.tellsUsers && (used_by === null || used_by.length === 0)) return [];
  const instances = await client.ask<readonly RawInstance[]>('GET', '/1.0/instances', {
    project: projectOf(ref),
    query: { recursion: 1 },
    signal,
  });
  return instances.flatMap((instance) =>
    Object.entries(instance.devices)
      .filter(([, device]) => device.type === 'nic' && device.network === name)
      .map(([nic]) => ({ instance: idOf(instance.name), nic })),
  );
}

export async function removeNetwork(
  site: Site,
  ...[ref, signal]: Parameters<ComputeEngine['removeNetwork']>
): Promise<void> {
  await whileLeaving(nameOf(site, ref), () => drop(site, ref, signal));
}

const inUse = ({ id }: Ref): EngineRefused =>
  new EngineRefused('resource_in_use', `Machines have interfaces in the network ${id}.`);

async function drop(site: Site, ref: Ref, signal: AbortSignal | undefined): Promise<void> {
  const { networks } = site;
  const name = nameOf(site, ref);
  if (!networks.tellsUsers && (await usersOf(site, ref, { name, used_by: null }, signal)).length > 0)
    throw inUse(ref);
  await site.client.run('DELETE', pathOf(site, ref), { signal }).catch((error: unknown) => {
    if (isMissing(error)) return;
    throw isInUse(error) ? inUse(ref) : error;
  });
  await networks.clear(name, signal);
}
