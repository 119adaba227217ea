/** The hosts of a location and their free capacity: the server itself, or the online members of a cluster. */
import { EngineRefused, EngineUnreachable } from '../../errors.ts';
import { type Choice, freeOf } from '../placement.ts';
import type { ComputeEngine, HostCapacity, Size } from '../port.ts';
import type { RawInstance, Site } from './driver-context.ts';
import { isPassing } from './failure.ts';
import type { HostTotal } from './host-ledger.ts';

interface Member {
  readonly server_name: string;
  /** `Online`, `Offline`, `Evacuated`, `Blocked`. */
  readonly status: string;
}

interface Resources {
  readonly cpu: { readonly total: number };
  readonly memory: { readonly total: number };
}

interface PoolResources {
  readonly space: { readonly total: number };
}

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;
const REMEMBERED_MS = 30_000;
/** How long capacity is cached while a cluster member is missing. */
const DOUBTED_MS = 2000;
const NONE: Size = { vcpus: 0, memoryMb: 0, diskGb: 0 };

const details = {
  capacity_unavailable: 'No host of this location has room for a machine of this size.',
  placement_unsatisfiable: 'No host with room for it satisfies the placement group.',
} as const;

export function requireChoice(choice: Choice): string {
  if ('host' in choice) return choice.host;
  throw new EngineRefused(choice.refused, details[choice.refused]);
}

/** The host name of a machine, as in `HostCapacity`. */
export async function hostOf(
  site: Site,
  { location }: Pick<RawInstance, 'location'>,
  signal?: AbortSignal,
): Promise<string> {
  return location === 'none' || location === ''
    ? (await site.readServer(signal)).environment.server_name
    : location;
}

const remembered = new WeakMap<
  Site,
  { readonly until: number; readonly totals: Promise<readonly HostTotal[]> }
>();

/** Cached. Takes no abort signal, because several callers may wait for the same measurement. */
export function readHostTotals(site: Site): Promise<readonly HostTotal[]> {
  const last = remembered.get(site);
  if (last !== undefined && last.until > Date.now()) return last.totals;
  const measured = measure(site);
  const totals = measured.then((all) => all.totals);
  remembered.set(site, { until: Date.now() + REMEMBERED_MS, totals });
  measured.then(
    ({ isWhole }) => {
      if (isWhole || remembered.get(site)?.totals !== totals) return;
      remembered.set(site, { until: Date.now() + DOUBTED_MS, totals });
    },
    () => forgetHostTotals(site),
  );
  return totals;
}

/** Called after an unexpected error, when a host may be lost. */
export function forgetHostTotals(site: Site): void {
  remembered.delete(site);
}

/** `isWhole`: all cluster members are included. Otherwise a missing member may come back soon. */
async function measure(
  site: Site,
): Promise<{ readonly totals: readonly HostTotal[]; readonly isWhole: boolean }> {
  const { environment } = await site.readServer();
  if (!environment.server_clustered)
    return { totals: [{ name: environment.server_name, total: await totalOf(site) }], isWhole: true };
  const members = await readMembers(site);
  const online = members.filter(({ status }) => status === 'Online');
  const measured = await Promise.all(online.map(({ server_name }) => hostTotalOf(site, server_name)));
  const totals = measured.filter((host) => host !== null);
  if (totals.length === 0) throw new EngineUnreachable('No member of the cluster answers.');
  return { totals, isWhole: totals.length === members.length };
}

const readMembers = ({ client }: Site, signal?: AbortSignal): Promise<readonly Member[]> =>
  client.ask<readonly Member[]>('GET', '/1.0/cluster/members', { query: { recursion: 1 }, signal });

/** The members of the cluster that the others have not reached for too long. */
export async function readGivenUp(site: Site, signal?: AbortSignal): Promise<ReadonlySet<string>> {
  const members = await readMembers(site, signal);
  return new Set(members.filter(({ status }) => status === 'Offline').map(({ server_name }) => server_name));
}

/** Null for a member that is going down: the cluster still lists it as online for a while. */
async function hostTotalOf(site: Site, name: string): Promise<HostTotal | null> {
  try {
    return { name, total: await totalOf(site, name) };
  } catch (error) {
    if (isPassing(error)) return null;
    throw error;
  }
}

async function totalOf({ client, settings }: Site, target?: string): Promise<Size> {
  const ask = target === undefined ? {} : { target };
  const pool = `/1.0/storage-pools/${settings.storagePool}/resources`;
  const [{ cpu, memory }, { space }] = await Promise.all([
    client.ask<Resources>('GET', '/1.0/resources', ask),
    client.ask<PoolResources>('GET', pool, ask),
  ]);
  const share = 1 - settings.reservePercent / 100;
  return {
    vcpus: Math.floor(cpu.total * settings.vcpuOvercommit),
    memoryMb: Math.floor((memory.total / MIB) * share),
    diskGb: Math.floor((space.total / GIB) * share),
  };
}

export async function readCapacity(
  site: Site,
  ..._: Parameters<ComputeEngine['readCapacity']>
): Promise<readonly HostCapacity[]> {
  const [totals, used] = await Promise.all([readHostTotals(site), site.ledger.used()]);
  return totals.map(({ name, total }) => {
    const free = freeOf({ name, total, used: used.get(name) ?? NONE });
    return {
      host: name,
      total,
      free: {
        vcpus: Math.max(0, free.vcpus),
        memoryMb: Math.max(0, free.memoryMb),
        diskGb: Math.max(0, free.diskGb),
      },
    };
  });
}

export async function fits(
  site: Site,
  ...[_account, size, placement]: Parameters<ComputeEngine['fits']>
): ReturnType<ComputeEngine['fits']> {
  const choice = await site.ledger.choose(size, placement, await readHostTotals(site));
  if ('host' in choice) return { fits: true };
  return { fits: false, code: choice.refused, detail: details[choice.refused] };
}
