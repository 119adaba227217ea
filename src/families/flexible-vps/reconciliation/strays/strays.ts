/**
 * Reports strays: machines, volumes, VPN gateways and ISOs at an engine that have no row. A stray may still belong to a customer, so Hostplane never
 * removes it; an operator decides.
 */
import type { ComputeEngine, Ref } from '../../../../engines/compute/port.ts';
import { patience } from '../../../../engines/reconciler/observation.ts';
import type { Services } from '../../../../kernel/services.ts';
import type { Db } from '../../../../store/database.ts';
import { transact } from '../../../../store/transaction.ts';
import { isIso } from '../../isos/store.ts';
import { isGatewayAt } from '../../vpn-gateways/store.ts';
import { isMachineAt, isVolumeAt } from '../store.ts';
import { readStrays, replaceStrays, type StrayTable } from './store.ts';

/** A process stops counting the strays of a location if it has not run the check for this long; other processes do. */
const STALE_MS = 300_000;

class Tally {
  readonly #seen = new Map<string, { count: number; at: number }>();

  set(location: string, count: number): void {
    this.#seen.set(location, { count, at: performance.now() });
  }

  total(): number {
    const oldest = performance.now() - STALE_MS;
    return [...this.#seen.values()].reduce((sum, { count, at }) => sum + (at < oldest ? 0 : count), 0);
  }
}

/** A kind of thing at an engine: how to find out whether somebody owns it, and what it is called. */
interface StrayKind {
  readonly table: StrayTable;
  readonly noun: string;
  readonly metric: string;
  isOwned(db: Db, ref: Ref, location: string): Promise<boolean>;
  observe(engine: ComputeEngine, ref: Ref): Promise<object | null>;
}

export const strayMachines: StrayKind = {
  table: 'vm_strays',
  noun: 'machine',
  metric: 'engine_strays',
  isOwned: isMachineAt,
  observe: (engine, ref) => engine.observeInstance(ref, patience()),
};

export const strayVolumes: StrayKind = {
  table: 'volume_strays',
  noun: 'volume',
  metric: 'engine_stray_volumes',
  isOwned: isVolumeAt,
  observe: (engine, ref) => engine.observeVolume(ref, patience()),
};

export const strayGateways: StrayKind = {
  table: 'vpn_gateway_strays',
  noun: 'VPN gateway',
  metric: 'engine_stray_vpn_gateways',
  isOwned: isGatewayAt,
  observe: (engine, ref) => engine.observeGateway(ref, patience()),
};

export const strayIsos: StrayKind = {
  table: 'iso_strays',
  noun: 'ISO',
  metric: 'engine_stray_isos',
  isOwned: isIso,
  observe: (engine, ref) => engine.observeIso(ref, patience()),
};

/** One tally of each kind for each process. The metric exists from the first run on. */
const tallies = new WeakMap<Services['metrics'], Map<string, Tally>>();

function tallyOf({ metrics }: Services, { metric, noun }: StrayKind): Tally {
  const known = tallies.get(metrics) ?? new Map<string, Tally>();
  tallies.set(metrics, known);
  const found = known.get(metric);
  if (found !== undefined) return found;
  const tally = new Tally();
  known.set(metric, tally);
  const things = `${noun.charAt(0).toUpperCase()}${noun.slice(1)}s`;
  metrics.watch(metric, `${things} of the engines that nobody owns, as last seen here.`, () => tally.total());
  return tally;
}

/**
 * A deletion removes the thing from the engine before it deletes the row. So a thing that is observed after its row
 * was missing is a stray.
 */
async function isStray({ db }: Services, kind: StrayKind, engine: ComputeEngine, ref: Ref): Promise<boolean> {
  if (await kind.isOwned(db, ref, engine.location)) return false;
  return (await kind.observe(engine, ref)) !== null;
}

export async function noteStrays(
  services: Services,
  kind: StrayKind,
  engine: ComputeEngine,
  unclaimed: readonly Ref[],
): Promise<void> {
  const { db, log, metrics } = services;
  const { location } = engine;
  const { table, noun } = kind;
  const known = new Set((await readStrays(db, table, location)).map(({ account, id }) => `${account} ${id}`));
  const isKnown = ({ account, id }: Ref): boolean => known.has(`${account} ${id}`);
  const strays = unclaimed.filter(isKnown);
  try {
    for (const ref of unclaimed)
      if (!isKnown(ref) && (await isStray(services, kind, engine, ref))) strays.push(ref);
  } catch (error) {
    log.warn(
      { err: error, location },
      `the engine did not answer, so not all ${noun}s without an owner were counted`,
    );
  }
  tallyOf(services, kind).set(location, strays.length);
  if (strays.length === 0 && known.size === 0) return;
  for (const { account, id } of await transact(db, (tx) => replaceStrays(tx, table, location, strays))) {
    metrics.alarms.inc({ alarm: 'engine_stray' });
    log.warn({ location, project: account, instance: id }, `nobody owns this ${noun} at the engine`);
  }
}
