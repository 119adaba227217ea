/** What happens to the backups of a machine when the machine is deleted. */
import type { Call } from '../../../kernel/call.ts';
import { forGood } from '../../../kernel/effect.ts';
import type { NewEvent } from '../../../kernel/events/event.ts';
import type { Work } from '../../../kernel/operations/kind.ts';
import { pendingOn } from '../../../kernel/operations/store.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { requireRoom } from '../../../resources/limits/require-room.ts';
import type { Db, Tx } from '../../../store/database.ts';
import type { VmRow } from '../vms/table.ts';
import { clearBackup, failBackup, forgetBackup } from './copying.ts';
import { createBackupKind } from './kinds.ts';
import { columnsOf, reportMost, requireStore } from './new-backup.ts';
import { backups } from './resource.ts';
import { backupsOf, lockBackup, readBackup, usersOfBackup } from './store.ts';
import type { BackupRow } from './table.ts';

type Deleting = Pick<Call, 'db' | 'caller' | 'services' | 'effect' | 'cost' | 'now' | 'warn'>;
type Limited = Parameters<typeof requireRoom>[0];

/** Adds the backup that an operation on the machine makes before it changes or deletes the disk. */
export async function addBackupBefore(
  call: Deleting & Limited,
  vm: VmRow,
  kind: 'final' | 'safety',
  expires_at: Date | null,
): Promise<BackupRow> {
  if (vm.status !== 'running' && vm.status !== 'stopped')
    throw new Problem('invalid_state', {
      detail: `The machine is ${vm.status}, so it cannot be backed up.`,
      extra: { current_state: vm.status, allowed_states: ['running', 'stopped'] },
    });
  requireStore(call.services, vm.location);
  await requireRoom(call, [{ limit: 'flexible-vps.backups', amount: 1, location: vm.location }]);
  const row = await backups.add(call, { ...columnsOf(vm, kind), expires_at });
  await reportMost(call, row);
  return row;
}

/** Marks the backups that are deleted with their machine. Those that something is being made from stay. */
export async function markBackupsForDeletion(call: Deleting, vm: VmRow): Promise<void> {
  for (const { id } of await backupsOf(call.db, vm.account_id, vm.id)) {
    // The lock waits for calls that are about to use the backup.
    const row = await lockBackup(call.db, id);
    if (row?.status !== 'available' && row?.status !== 'failed') continue;
    if ((await usersOfBackup(call.db, vm.account_id, row.id)).length > 0) continue;
    await backups.reportCost(call, [row], null);
    await backups.change(call.db, row.id, { status: 'deleting' }, { keepsPrice: true });
    call.effect({ action: 'delete', ...backups.ref(row), loss: backups.loss });
  }
}

/** Reports the backup of the machine that is being made: the deletion cancels it. */
export async function tellUnfinished(
  { db, effect }: Pick<Call, 'db' | 'effect'>,
  { account_id, id: vmId }: Pick<VmRow, 'account_id' | 'id'>,
): Promise<void> {
  const unfinished = (await backupsOf(db, account_id, vmId)).filter(({ status }) => status === 'creating');
  const pending = await pendingOn(
    db,
    unfinished.map(({ id }) => id),
  );
  for (const row of unfinished)
    if (pending.get(row.id)?.type === createBackupKind.type)
      effect({
        action: 'delete',
        ...backups.ref(row),
        loss: forGood('The data that was copied so far: the backup is not finished.'),
      });
}

/** The next backup that is deleted with its machine. */
export async function nextBackupToDelete(
  db: Db,
  accountId: string,
  vmId: string,
): Promise<BackupRow | undefined> {
  return (await backupsOf(db, accountId, vmId)).find(({ status }) => status === 'deleting');
}

/** Removes the next backup that is deleted with its machine. Returns its id, or undefined if there is none. */
export async function removeNextBackup(work: Work<unknown>, vmId: string): Promise<string | undefined> {
  const next = await nextBackupToDelete(work.db, work.accountId, vmId);
  if (next !== undefined) await clearBackup(work, next);
  return next?.id;
}

/** The deletion of the machine failed, so the backups that it would have deleted stay. */
export async function unmarkBackups(tx: Tx, accountId: string, vmId: string): Promise<void> {
  const marked = (await backupsOf(tx, accountId, vmId)).filter(({ status }) => status === 'deleting');
  const pending = await pendingOn(
    tx,
    marked.map(({ id }) => id),
  );
  for (const { id, failed_at } of marked) {
    if (pending.has(id)) continue;
    const status = failed_at === null ? 'available' : 'failed';
    await backups.change(tx, id, { status }, { keepsPrice: true });
  }
}

/** Called when an operation ends that makes a backup first. Returns true if the backup was not finished. */
export async function settleBackupBefore(
  tx: Tx,
  id: string | undefined,
  { status, error }: { readonly status: string; readonly error: Parameters<typeof failBackup>[2] },
): Promise<{ readonly isUnfinished: boolean; readonly events: NewEvent[] }> {
  const row = id === undefined ? undefined : await readBackup(tx, id);
  if (row?.status !== 'creating') return { isUnfinished: false, events: [] };
  const events =
    status === 'cancelled' ? await forgetBackup(tx, row.id, new Date()) : await failBackup(tx, row.id, error);
  return { isUnfinished: true, events };
}
