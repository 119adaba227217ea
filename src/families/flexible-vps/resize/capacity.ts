/** Checks the capacity for a machine that grows: on its present host, or on another host in the location. */
import type { Fit, HostCapacity, Placement, Size } from '../../../engines/compute/port.ts';
import { type Answer, answerOf, ask } from '../../../engines/engine-call.ts';
import type { Preparation } from '../../../kernel/call.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import type { Services } from '../../../kernel/services.ts';
import { placementOf } from '../placement-groups/store.ts';
import { sizeOf } from '../vms/size.ts';
import { findVmIfThere } from '../vms/store.ts';
import type { VmRow } from '../vms/table.ts';
import type { ResizeVm } from './schema.ts';
import { type Target, targetOf } from './target.ts';

const RETRY_SECONDS = 60;
const MOST_ALTERNATIVES = 5;

export function growthOf(from: Size, to: Size): Size {
  return {
    vcpus: Math.max(0, to.vcpus - from.vcpus),
    memoryMb: Math.max(0, to.memoryMb - from.memoryMb),
    diskGb: Math.max(0, to.diskGb - from.diskGb),
  };
}

export const isGrowth = ({ vcpus, memoryMb, diskGb }: Size): boolean => vcpus + memoryMb + diskGb > 0;

/** The machine already holds its present size on its host, so only the growth has to be free there. */
function hasRoomAtHome(capacity: readonly HostCapacity[], row: VmRow, to: Size): boolean {
  const home = capacity.find(({ host }) => host === row.host_group);
  if (home === undefined) return false;
  const { vcpus, memoryMb, diskGb } = growthOf(sizeOf(row), to);
  return vcpus <= home.free.vcpus && memoryMb <= home.free.memoryMb && diskGb <= home.free.diskGb;
}

/** What the engine of a machine answered before the transaction of the call. */
export interface Asked {
  readonly hosts: Answer<readonly HostCapacity[]>;
  readonly fit: Answer<Fit>;
}

const askHosts = ({ compute }: Services, { location }: VmRow) =>
  ask(compute, location, {}, (engine, signal) => engine.readCapacity(signal));

async function askFit(
  { compute }: Services,
  row: VmRow,
  hosts: readonly HostCapacity[],
  size: Size,
  placement: Placement | null,
): Promise<Fit> {
  if (hasRoomAtHome(hosts, row, size)) return { fits: true };
  return ask(compute, row.location, {}, (engine, signal) =>
    engine.fits(row.account_id, size, placement, signal),
  );
}

/**
 * `wantedOf` says what the request makes of the machine; null: its size stays. Returns null then, and if the machine or
 * the target does not exist: the handler refuses such a call. `groupId`: the placement group that the machine gets.
 */
export async function askCapacity(
  { db, caller, params, services, now }: Preparation<{ readonly id: string }>,
  wantedOf: (row: VmRow) => ResizeVm | null,
  groupId?: string | null,
): Promise<Asked | null> {
  const row = await findVmIfThere(db, caller.account.id, params.id);
  const size = row === undefined ? null : wantedSize(services, row, wantedOf, now);
  if (row === undefined || size === null) return null;
  const placement = await placementOf(db, groupId === undefined ? row.placement_group_id : groupId, row.id);
  const hosts = await answerOf(askHosts(services, row));
  const fit = await answerOf(Promise.resolve().then(() => askFit(services, row, hosts(), size, placement)));
  return { hosts, fit };
}

function wantedSize(
  services: Services,
  row: VmRow,
  wantedOf: (row: VmRow) => ResizeVm | null,
  now: Date,
): Size | null {
  try {
    const wanted = wantedOf(row);
    return wanted === null ? null : targetOf(services, row, wanted, now).size;
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}

/** Returns plans with capacity that are larger than the present size and not larger than the requested one. */
async function alternativesTo(services: Services, row: VmRow, { plan, size }: Target) {
  const smaller = services.provider.catalogue.plans.filter((other) => {
    const isSold =
      other.locations.includes(row.location) &&
      other.removed_at === null &&
      other.architecture === row.architecture;
    const isBetween =
      other.vcpus <= size.vcpus &&
      other.memory_mb <= size.memoryMb &&
      other.vcpus + other.memory_mb > row.vcpus + row.memory_mb;
    return other.slug !== plan && other.slug !== row.plan && isSold && isBetween;
  });
  const placement = await placementOf(services.db, row.placement_group_id, row.id);
  const hosts = await askHosts(services, row);
  const found: { location: string; plan: string }[] = [];
  for (const { slug, vcpus, memory_mb: memoryMb } of smaller) {
    if (found.length >= MOST_ALTERNATIVES) break;
    const fit = await askFit(services, row, hosts, { vcpus, memoryMb, diskGb: size.diskGb }, placement);
    if (fit.fits) found.push({ location: row.location, plan: slug });
  }
  return found;
}

function noCapacity(services: Services, row: VmRow, target: Target, detail: string): Problem {
  return new Problem('capacity_unavailable', {
    detail,
    extra: { alternatives: [] },
    extraLater: async () => ({ alternatives: await alternativesTo(services, row, target) }),
    retryAfterSeconds: RETRY_SECONDS,
  });
}

/** Called before the machine is stopped. Throws if the location does not sell the plan or has no capacity. */
export function requireCapacity(services: Services, row: VmRow, target: Target, asked: Asked | null): void {
  if (!target.isSold && target.plan !== row.plan)
    throw noCapacity(services, row, target, `${target.plan} is not sold in ${row.location} at the moment.`);
  if (asked === null || !isGrowth(growthOf(sizeOf(row), target.size))) return;
  const fit = asked.fit();
  if (fit.fits) return;
  if (fit.code === 'capacity_unavailable') throw noCapacity(services, row, target, fit.detail);
  throw new Problem(fit.code, {
    detail: fit.detail,
    extra: { placement_group_id: row.placement_group_id },
  });
}

const notLive = (reason: string, detail: string) =>
  new Problem('live_resize_unavailable', { detail, extra: { reason } });

/** A running machine can only grow, and only on its present host. */
export function requireLive(services: Services, row: VmRow, { size }: Target, asked: Asked | null): void {
  const { features } = services.provider.catalogue.locations.find(({ slug }) => slug === row.location) ?? {};
  const liveResize = services.compute.at(row.location)?.capabilities.liveResize ?? false;
  if (row.status !== 'running') throw notLive('not_running', `The machine is ${row.status}.`);
  if (features?.includes('live_resize') !== true || liveResize === false)
    throw notLive(
      'not_offered',
      `Machines in ${row.location} cannot be resized while they run. Use mode cold.`,
    );
  if (liveResize !== true) throw notLive('not_supported', liveResize);
  if (size.vcpus < row.vcpus || size.memoryMb < row.memory_mb)
    throw notLive('shrinks', 'A running machine can only grow. Use mode cold to make it smaller.');
  if (asked !== null && !hasRoomAtHome(asked.hosts(), row, size))
    throw notLive(
      'host_full',
      'The host of the machine has no capacity left. Use mode cold, so that the machine can move to another host.',
    );
}
