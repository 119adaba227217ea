/**
 * Adds up the traffic of machines from what the engines measured. Each location remembers until when it was counted, so
 * nothing is counted twice, and a time in which no worker ran or the engine did not answer is counted later.
 */
import type { ComputeEngine } from '../../../engines/compute/port.ts';
import { eachEngine } from '../../../engines/reconciler/each-engine.ts';
import type { Schedule } from '../../../kernel/schedule.ts';
import type { Db } from '../../../store/database.ts';
import { addTraffic, countedUntil, readDatabaseTime } from './store.ts';

const PATIENCE_MS = 60_000;
/** Measurements may be stored this much later than they were made. */
const DELAY_MS = 120_000;

/** The month in which traffic is counted, in UTC. */
export const periodStart = (at: Date): Date => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1));
const nextPeriod = (at: Date): Date => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1));

/** A time across the end of a month is counted in two parts. */
export async function countTraffic(db: Db, engine: ComputeEngine, now: Date): Promise<void> {
  if (engine.capabilities.series !== true) return;
  const { location } = engine;
  const until = new Date(now.getTime() - DELAY_MS);
  for (let from = await countedUntil(db, location, until); from < until; ) {
    const to = new Date(Math.min(until.getTime(), nextPeriod(from).getTime()));
    const traffic = await engine.readTraffic(from, to, AbortSignal.timeout(PATIENCE_MS));
    const counted = { location, from, to, periodStart: periodStart(from), traffic };
    if (!(await db.transaction().execute((tx) => addTraffic(tx, counted)))) return;
    from = to;
  }
}

export const machineTraffic: Schedule = {
  name: 'flexible-vps.traffic',
  everySeconds: 300,
  run: async (services) => {
    const now = await readDatabaseTime(services.db);
    await eachEngine(services, services.compute, (engine) => countTraffic(services.db, engine, now));
  },
};
