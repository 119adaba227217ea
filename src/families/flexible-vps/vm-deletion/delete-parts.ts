/** Removes a machine that was deleted or could not be created: at its engine, its rows and its addresses. */
import type { ComputeEngine } from '../../../engines/compute/port.ts';
import type { NewEvent } from '../../../kernel/events/event.ts';
import { type Commit, done, failed, type Outcome } from '../../../kernel/operations/kind.ts';
import { wakeOperations } from '../../../kernel/operations/store.ts';
import { setAttachment } from '../../../resources/addresses/holding/store.ts';
import { attachedAddresses, releaseAddress } from '../../../resources/addresses/store.ts';
import type { Db, Tx } from '../../../store/database.ts';
import { outliveVm } from '../backups/store.ts';
import { wakeFirewalls } from '../firewalls/machine-firewalls.ts';
import { readInterfaces } from '../interfaces/store.ts';
import { snapshots } from '../snapshots/resource.ts';
import { refOf } from '../vms/guest.ts';
import { vms } from '../vms/resource.ts';
import { deleteInterfacesOf, readVm, snapshotsOf } from '../vms/store.ts';
import type { VmRow } from '../vms/table.ts';
import { freeVolumes } from '../volumes/machine-volumes.ts';

/** Releases the ephemeral addresses of a machine. Detaches its reserved addresses, which stay with the account. */
export async function letAddressesGo(db: Db, vmId: string, now: Date): Promise<void> {
  for (const { id, kind } of await attachedAddresses(db, [vmId])) {
    if (kind === 'ephemeral') await releaseAddress(db, id, now);
    else await setAttachment(db, id, null);
  }
}

export async function removeFromEngine(
  engine: ComputeEngine,
  row: Pick<VmRow, 'id' | 'account_id'>,
  signal: AbortSignal,
  commit?: Commit,
  volumes: readonly string[] = [],
): Promise<Outcome> {
  await engine.removeInstance(refOf(row), signal);
  return (await engine.observeInstance(refOf(row), signal)) === null
    ? done({ changed: true, volumes }, commit)
    : failed('engine_failed', 'The engine removed the machine, but still reports it.', true);
}

/** Deletes all rows of a machine, and wakes operations that wait until the machine has left its networks. */
export async function eraseVm(tx: Tx, vmId: string, now: Date): Promise<NewEvent[]> {
  const row = await readVm(tx, vmId);
  if (row === undefined) return [];
  const networks = (await readInterfaces(tx, [vmId])).flatMap(({ network_id }) => network_id ?? []);
  await wakeFirewalls(tx, { vmId });
  await letAddressesGo(tx, vmId, now);
  for (const { id } of await snapshotsOf(tx, vmId)) await snapshots.erase(tx, id, { at: now });
  await deleteInterfacesOf(tx, vmId);
  const detached = await freeVolumes(tx, row);
  await outliveVm(tx, row.account_id, vmId);
  await vms.erase(tx, vmId, { at: now });
  for (const id of new Set(networks)) await wakeOperations(tx, id);
  return [...detached, vms.event('deleted', row)];
}
