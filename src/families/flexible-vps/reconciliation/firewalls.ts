/**
 * Brings firewalls into force again that an engine lost, or whose members differ: machines may have come and gone
 * while an operation failed. A firewall in `error` is tried again. One that only the engine has is removed: its row is
 * written before and deleted after it, so it is a leftover.
 */
import { isDeepStrictEqual } from 'node:util';
import type { ComputeEngine, FirewallSpec } from '../../../engines/compute/port.ts';
import { Attempts } from '../../../engines/reconciler/attempts.ts';
import { eachEngine } from '../../../engines/reconciler/each-engine.ts';
import { patience } from '../../../engines/reconciler/observation.ts';
import type { Schedule } from '../../../kernel/schedule.ts';
import type { Services } from '../../../kernel/services.ts';
import { transact } from '../../../store/transaction.ts';
import { applyAt, refOf, specOf } from '../firewalls/engine-firewall.ts';
import { applyLater } from '../firewalls/kinds.ts';
import { readFirewall } from '../firewalls/store.ts';
import type { FirewallRow } from '../firewalls/table.ts';
import { firewallsAt } from './store.ts';

const isSame = (
  { revision: _, ...wanted }: FirewallSpec,
  { revision: __, ...seen }: FirewallSpec & { account?: string; id?: string },
): boolean => {
  const { account: ___, id: ____, ...found } = seen;
  return isDeepStrictEqual(wanted, found);
};

async function lookAt(
  services: Services,
  engine: ComputeEngine,
  row: Pick<FirewallRow, 'id' | 'account_id' | 'status'>,
): Promise<void> {
  const { db } = services;
  if (row.status === 'error')
    return transact(db, (tx) => applyLater({ db: tx, services }, row.account_id, [row.id]));
  const seen = await engine.observeFirewall(refOf(row), patience());
  const wanted = await specOf(db, row.id, engine.location);
  const isEmpty = seen === null && wanted?.members.length === 0;
  if (wanted === null || isEmpty || (seen !== null && isSame(wanted, seen))) return;
  await applyAt({ db, services, signal: patience() }, row, engine.location);
}

async function lookThrough(services: Services, engine: ComputeEngine): Promise<void> {
  const attempts = new Attempts(services);
  for await (const rows of firewallsAt(services.db, engine.location))
    for (const row of rows) await attempts.make(row.id, () => lookAt(services, engine, row));
  for (const ref of await engine.observeFirewalls(patience()))
    if ((await readFirewall(services.db, ref.id)) === undefined)
      await attempts.make(ref.id, () => engine.removeFirewall(ref, patience()));
}

export const firewallDrift: Schedule = {
  name: 'flexible-vps.firewalls',
  everySeconds: 180,
  run: (services) => eachEngine(services, services.compute, (engine) => lookThrough(services, engine)),
};
