/**
 * Marks networks that an engine lost, and unmarks them when they are back. A lost network is not created again, because
 * a new network would not restore its attached interfaces.
 */
import type { ComputeEngine, Ref } from '../../../engines/compute/port.ts';
import { Attempts } from '../../../engines/reconciler/attempts.ts';
import { eachEngine } from '../../../engines/reconciler/each-engine.ts';
import { observeNow } from '../../../engines/reconciler/observation.ts';
import { holdIdle, type Moment } from '../../../engines/reconciler/store.ts';
import { HOSTPLANE } from '../../../kernel/events/event.ts';
import { writeEvents } from '../../../kernel/events/write-events.ts';
import type { Schedule } from '../../../kernel/schedule.ts';
import type { Services } from '../../../kernel/services.ts';
import { transact } from '../../../store/transaction.ts';
import { networks } from '../networks/resource.ts';
import { refOf } from '../vms/guest.ts';
import { lockNetworkUnchanged, networksAt } from './store.ts';

const LOST = { status: 'error', status_reason: 'lost' } as const;
const FOUND = { status: 'active', status_reason: null } as const;

async function writeDown(
  { db, registry }: Services,
  ref: Ref,
  isThere: boolean,
  since: Moment,
): Promise<void> {
  await transact(db, async (tx) => {
    const row = await holdIdle(tx, () => lockNetworkUnchanged(tx, ref, since));
    if (row === undefined) return;
    const isLost = row.status === LOST.status && row.status_reason === LOST.status_reason;
    if (isThere ? !isLost : row.status !== FOUND.status) return;
    await networks.change(tx, row.id, isThere ? FOUND : LOST);
    await writeEvents(tx, registry, { accountId: row.account_id, actor: HOSTPLANE }, [
      networks.event(isThere ? 'recovered' : 'lost', row),
    ]);
  });
}

async function lookAt(
  services: Services,
  engine: ComputeEngine,
  ref: Ref,
  isBelieved: boolean,
): Promise<void> {
  const { at, seen } = await observeNow(services, (signal) => engine.observeNetwork(ref, signal));
  const isThere = seen !== null;
  if (isThere !== isBelieved) await writeDown(services, ref, isThere, at);
}

async function lookThrough(services: Services, engine: ComputeEngine): Promise<void> {
  const attempts = new Attempts(services);
  for await (const rows of networksAt(services.db, engine.location))
    for (const row of rows) {
      const isBelieved = row.status === FOUND.status;
      await attempts.make(row.id, () => lookAt(services, engine, refOf(row), isBelieved));
    }
}

export const networkDrift: Schedule = {
  name: 'flexible-vps.networks',
  everySeconds: 300,
  run: (services) => eachEngine(services, services.compute, (engine) => lookThrough(services, engine)),
};
