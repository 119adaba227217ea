/**
 * Private networks: one managed bridge each, in the default project because the projects of accounts have no networks
 * of their own. The engine routes between all its bridges, so an ACL blocks traffic from outside. The bridges share
 * one routing table, so no two of them can have the same addresses.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { cidrCovers, parseCidr } from '../../../kernel/net/cidr.ts';
import { CapabilityMissing, EngineRefused, EngineUnreachable } from '../../errors.ts';
import type { Ref } from '../instance.ts';
import type { Network, NetworkSpec } from '../network.ts';
import type { ComputeEngine } from '../port.ts';
import { bridgeConfigOf, outsideList } from './bridges.ts';
import { NO_NETWORKS } from './capabilities.ts';
import { keys } from './config-keys.ts';
import { insist, type RawInstance, type Site } from './driver-context.ts';
import { isInUse, isMissing, isTaken } from './failure.ts';
import { idOf, networkNameOf, projectOf } from './names.ts';
import { whileLeaving } from './network-lock.ts';

interface RawNetwork {
  readonly name: string;
  readonly description: string;
  readonly managed: boolean;
  /** `Created` when the network is complete. */
  readonly status: string;
  readonly config: Readonly<Record<string, string>>;
  /** Paths of the instances that use it, including stopped ones; LXD returns null for none. */
  readonly used_by: readonly string[] | null;
}

const LOOKS = 50;
const PAUSE_MS = 100;
const NETWORKS = '/1.0/networks';
const pathOf = (ref: Ref): string => `${NETWORKS}/${networkNameOf(ref)}`;

async function find({ client }: Site, ref: Ref, signal?: AbortSignal) {
  try {
    return await client.askWithMark<RawNetwork>(pathOf(ref), { signal });
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

export async function ensureNetwork(
  site: Site,
  ...[ref, spec, signal]: Parameters<ComputeEngine['ensureNetwork']>
): Promise<void> {
  if ((await site.readServer(signal)).environment.server_clustered)
    throw new CapabilityMissing('privateNetworks', NO_NETWORKS);
  const config = { ...bridgeConfigOf(ref, spec), [keys.network]: JSON.stringify({ ...ref, spec }) };
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
    await site.client.run('PUT', pathOf(ref), { body, headers: { 'if-match': mark }, signal });
  }, signal);
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
  const { client } = site;
  await refuseOverlap(site, ref, spec, signal);
  const make = (path: string, body: unknown): Promise<boolean> =>
    client.run('POST', path, { body, signal }).then(
      () => true,
      (error: unknown) => {
        if (isTaken(error)) return false;
        throw error;
      },
    );
  await make('/1.0/network-acls', outsideList);
  if (!(await make(NETWORKS, { name: networkNameOf(ref), type: 'bridge', config }))) return false;
  // A concurrent request for the same addresses could not see this network before, so the check is repeated.
  await refuseOverlap(site, ref, spec, signal).catch(async (error: unknown) => {
    await drop(site, ref, signal);
    throw error;
  });
  return true;
}

/** An address range can be used once on a server, whichever account uses it. */
async function refuseOverlap(
  { client }: Site,
  ref: Ref,
  spec: NetworkSpec,
  signal: AbortSignal | undefined,
): Promise<void> {
  const networks = await client.ask<readonly RawNetwork[]>('GET', NETWORKS, {
    query: { recursion: 1 },
    signal,
  });
  const rangesOf = ({ config }: RawNetwork): (string | undefined)[] => [
    config['ipv4.address'],
    config['ipv6.address'],
  ];
  const others = networks.filter(({ name, managed }) => managed && name !== networkNameOf(ref));
  for (const range of [spec.ipv4Cidr, spec.ipv6Cidr])
    if (range !== null && others.flatMap(rangesOf).some((other) => overlap(range, other ?? '')))
      throw new EngineRefused(
        'address_taken',
        `Addresses of ${range} are in use by another network of this location. Choose another range.`,
      );
}

function overlap(a: string, b: string): boolean {
  const [one, other] = [parseCidr(a)?.cidr, parseCidr(b)?.cidr];
  if (one === undefined || other === undefined) return false;
  return cidrCovers(one, other) || cidrCovers(other, one);
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
  { client }: Site,
  ref: Ref,
  { name, used_by }: RawNetwork,
  signal: AbortSignal | undefined,
): Promise<Network['usedBy']> {
  if (used_by === null || used_by.length === 0) return [];
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
  await whileLeaving(networkNameOf(ref), () => drop(site, ref, signal));
}

async function drop({ client }: Site, ref: Ref, signal: AbortSignal | undefined): Promise<void> {
  await client.run('DELETE', pathOf(ref), { signal }).catch((error: unknown) => {
    if (isMissing(error)) return;
    if (isInUse(error))
      throw new EngineRefused('resource_in_use', `Machines have interfaces in the network ${ref.id}.`);
    throw error;
  });
}
