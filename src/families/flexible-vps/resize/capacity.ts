/** Checks the capacity for a machine that grows: on its present host, or on another host in the location. */
import {
  type ComputeEngine,
  EngineUnreachable,
  type Fit,
  type HostCapacity,
  type Size,
} from '../../../engines/compute/port.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import type { Services } from '../../../kernel/services.ts';
import type { Db } from '../../../store/database.ts';
import { placementOf } from '../placement-groups/store.ts';
import type { VmRow } from '../vms/table.ts';
import { sizeOf, type Target } from './target.ts';

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

interface Asked {
  readonly engine: ComputeEngine;
  readonly capacity: readonly HostCapacity[];
  fit(size: Size): Promise<Fit>;
}

async function ask(db: Db, engine: ComputeEngine, row: VmRow): Promise<Asked> {
  const capacity = await engine.readCapacity();
  const placement = await placementOf(db, row.placement_group_id, row.id);
  return {
    engine,
    capacity,
    fit: async (size) =>
      hasRoomAtHome(capacity, row, size) ? { fits: true } : engine.fits(row.account_id, size, placement),
  };
}

/** Returns plans with capacity that are larger than the present size and not larger than the requested one. */
async function alternativesTo({ provider }: Services, asked: Asked, row: VmRow, { plan, size }: Target) {
  const found: { location: string; plan: string }[] = [];
  for (const other of provider.catalogue.plans) {
    const isSold =
      other.locations.includes(row.location) &&
      other.removed_at === null &&
      other.architecture === row.architecture;
    const isBetween =
      other.vcpus <= size.vcpus &&
      other.memory_mb <= size.memoryMb &&
      other.vcpus + other.memory_mb > row.vcpus + row.memory_mb;
    if (other.slug === plan || other.slug === row.plan || !isSold || !isBetween) continue;
    if (found.length >= MOST_ALTERNATIVES) break;
    const fit = await asked.fit({ vcpus: other.vcpus, memoryMb: other.memory_mb, diskGb: size.diskGb });
    if (fit.fits) found.push({ location: row.location, plan: other.slug });
  }
  return found;
}

function engineOf({ compute }: Services, { location }: VmRow): ComputeEngine {
  const engine = compute.at(location);
  if (engine === undefined) throw new Problem('engine_unavailable', { retryAfterSeconds: RETRY_SECONDS });
  return engine;
}

async function answered<T>(question: Promise<T>): Promise<T> {
  try {
    return await question;
  } catch (error) {
    if (!(error instanceof EngineUnreachable)) throw error;
    throw new Problem('engine_unavailable', { retryAfterSeconds: RETRY_SECONDS, cause: error });
  }
}

/** Called before the machine is stopped. Throws if the location does not sell the plan or has no capacity. */
export async function requireCapacity(db: Db, services: Services, row: VmRow, target: Target): Promise<void> {
  const full = async (detail: string, asked: Asked | null) =>
    new Problem('capacity_unavailable', {
      detail,
      extra: { alternatives: asked === null ? [] : await alternativesTo(services, asked, row, target) },
      retryAfterSeconds: RETRY_SECONDS,
    });
  const engine = engineOf(services, row);
  const asked = await answered(ask(db, engine, row));
  if (!target.after.available && target.plan !== row.plan)
    throw await full(`${target.plan} is not sold in ${row.location} at the moment.`, asked);
  if (!isGrowth(growthOf(sizeOf(row), target.size))) return;
  const fit = await answered(asked.fit(target.size));
  if (fit.fits) return;
  if (fit.code === 'capacity_unavailable') throw await answered(full(fit.detail, asked));
  throw new Problem(fit.code, {
    detail: fit.detail,
    extra: { placement_group_id: row.placement_group_id },
  });
}

const notLive = (reason: string, detail: string) =>
  new Problem('live_resize_unavailable', { detail, extra: { reason } });

/** A running machine can only grow, and only on its present host. */
export async function requireLive(services: Services, row: VmRow, { size }: Target): Promise<void> {
  const { features } = services.provider.catalogue.locations.find(({ slug }) => slug === row.location) ?? {};
  const engine = engineOf(services, row);
  const { liveResize } = engine.capabilities;
  if (row.status !== 'running') throw notLive('not_running', `The machine is ${row.status}.`);
  if (features?.includes('live_resize') !== true)
    throw notLive(
      'not_offered',
      `Machines in ${row.location} cannot be resized while they run. Use mode cold.`,
    );
  if (liveResize !== true) throw notLive('not_supported', liveResize);
  if (size.vcpus < row.vcpus || size.memoryMb < row.memory_mb)
    throw notLive('shrinks', 'A running machine can only grow. Use mode cold to make it smaller.');
  const capacity = await answered(engine.readCapacity());
  if (!hasRoomAtHome(capacity, row, size))
    throw notLive(
      'host_full',
      'The host of the machine has no capacity left. Use mode cold, so that the machine can move to another host.',
    );
}
