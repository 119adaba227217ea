/**
 * Notes which locations have the ISOs of accounts. An ISO that was left out of a location, and is there all the same,
 * can be used there. An ISO that no location has any more has failed. Reports ISOs that nobody owns.
 */
import type { ComputeEngine, Ref } from '../../../engines/compute/port.ts';
import { Attempts } from '../../../engines/reconciler/attempts.ts';
import { eachEngine } from '../../../engines/reconciler/each-engine.ts';
import { observeNow, patience } from '../../../engines/reconciler/observation.ts';
import { holdIdle, type Moment } from '../../../engines/reconciler/store.ts';
import { HOSTPLANE } from '../../../kernel/events/event.ts';
import { writeEvents } from '../../../kernel/events/write-events.ts';
import type { Schedule } from '../../../kernel/schedule.ts';
import type { Services } from '../../../kernel/services.ts';
import { transact } from '../../../store/transaction.ts';
import { failedColumns } from '../catalog/store.ts';
import { failureEvent } from '../isos/kinds.ts';
import { isos } from '../isos/resource.ts';
import { isosAnywhere, lockIsoUnchanged } from '../isos/store.ts';
import { refOf } from '../vms/guest.ts';
import { noteStrays, strayIsos } from './strays/strays.ts';

const LOST = { code: 'engine_failed', detail: 'No location has the ISO any more. Import it again.' };

async function writeDown(
  services: Services,
  ref: Ref,
  location: string,
  isThere: boolean,
  since: Moment,
): Promise<void> {
  await transact(services.db, async (tx) => {
    const row = await holdIdle(tx, () => lockIsoUnchanged(tx, ref, since));
    if (row?.status !== 'available' || row.locations.includes(location) === isThere) return;
    const others = row.locations.filter((each) => each !== location);
    const locations = isThere ? [...others, location] : others;
    if (!isThere) services.metrics.alarms.inc({ alarm: 'iso_lost' });
    const isLost = locations.length === 0;
    await isos.change(tx, row.id, { locations, ...(isLost ? failedColumns(LOST) : {}) }, { services });
    const events = isLost ? [failureEvent(row, LOST.detail)] : [];
    await writeEvents(tx, services.registry, { accountId: row.account_id, actor: HOSTPLANE }, events);
  });
}

const keyOf = ({ account, id }: Ref): string => `${account} ${id}`;

async function lookThrough(services: Services, engine: ComputeEngine): Promise<void> {
  const { location } = engine;
  const unclaimed = new Map((await engine.observeIsos(patience())).map((iso) => [keyOf(iso), iso]));
  const attempts = new Attempts(services);
  for await (const rows of isosAnywhere(services.db))
    for (const row of rows) {
      const ref = refOf(row);
      const wasThere = unclaimed.delete(keyOf(ref));
      if (row.status !== 'available' || row.locations.includes(location) === wasThere) continue;
      await attempts.make(row.id, async () => {
        // Observed again, because the list of all ISOs may be older than the row.
        const { at, seen } = await observeNow(services, (signal) => engine.observeIso(ref, signal));
        await writeDown(services, ref, location, seen !== null, at);
      });
    }
  await noteStrays(services, strayIsos, engine, [...unclaimed.values()]);
}

export const isoDrift: Schedule = {
  name: 'flexible-vps.isos',
  everySeconds: 300,
  run: (services) => eachEngine(services, services.compute, (engine) => lookThrough(services, engine)),
};
