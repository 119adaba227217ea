/**
 * Reports strays: machines at an engine that have no row. A stray may still belong to a customer, so Hostplane never
 * removes it; an operator decides.
 */
import type { ComputeEngine, Ref } from '../../../../engines/compute/port.ts';
import { patience } from '../../../../engines/reconciler/observation.ts';
import type { Services } from '../../../../kernel/services.ts';
import { transact } from '../../../../store/transaction.ts';
import { isMachineAt } from '../store.ts';
import { readStrays, replaceStrays } from './store.ts';

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

/** One tally for each process. The metric exists from the first run on. */
const tallies = new WeakMap<Services['metrics'], Tally>();

function tallyOf({ metrics }: Services): Tally {
  const known = tallies.get(metrics);
  if (known !== undefined) return known;
  const tally = new Tally();
  tallies.set(metrics, tally);
  metrics.watch('engine_strays', 'Machines of the engines that nobody owns, as last seen here.', () =>
    tally.total(),
  );
  return tally;
}

/**
 * A deletion removes the machine from the engine before it deletes the row. So a machine that is observed after its row
 * was missing is a stray.
 */
async function isStray({ db }: Services, engine: ComputeEngine, ref: Ref): Promise<boolean> {
  if (await isMachineAt(db, ref, engine.location)) return false;
  return (await engine.observeInstance(ref, patience())) !== null;
}

export async function noteStrays(
  services: Services,
  engine: ComputeEngine,
  unclaimed: readonly Ref[],
): Promise<void> {
  const { db, log, metrics } = services;
  const { location } = engine;
  const known = new Set((await readStrays(db, location)).map(({ account, id }) => `${account} ${id}`));
  const isKnown = ({ account, id }: Ref): boolean => known.has(`${account} ${id}`);
  const strays = unclaimed.filter(isKnown);
  try {
    for (const ref of unclaimed)
      if (!isKnown(ref) && (await isStray(services, engine, ref))) strays.push(ref);
  } catch (error) {
    log.warn(
      { err: error, location },
      'the engine did not answer, so not all machines without an owner were counted',
    );
  }
  tallyOf(services).set(location, strays.length);
  if (strays.length === 0 && known.size === 0) return;
  for (const { account, id } of await transact(db, (tx) => replaceStrays(tx, location, strays))) {
    metrics.alarms.inc({ alarm: 'engine_stray' });
    log.warn({ location, project: account, instance: id }, 'the engine has a machine that nobody owns');
  }
}
