/** Deletes backups that have expired, that their policy no longer keeps, or that failed. */
import { startOperation } from '../../../kernel/operations/operations.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import type { Schedule } from '../../../kernel/schedule.ts';
import type { Services } from '../../../kernel/services.ts';
import { transact } from '../../../store/transaction.ts';
import { deleteBackupKind } from './kinds.ts';
import { backups } from './resource.ts';
import { dueBackups, lockBackup, usersOfBackup } from './store.ts';

/** The maximum per run; the next run starts the other deletions. */
const AT_ONCE = 200;

/** Starts the deletion unless the backup is in use or being deleted: then a later run finds it again. */
export async function startDeletion({ db, registry }: Services, id: string): Promise<void> {
  await transact(db, async (tx) => {
    const before = await lockBackup(tx, id);
    if (before === undefined || (before.status !== 'available' && before.status !== 'failed')) return;
    if ((await usersOfBackup(tx, before.account_id, id)).length > 0) return;
    await backups.change(tx, id, { status: 'deleting' }, { keepsPrice: true });
    const start = { kind: deleteBackupKind, input: { was: before.status }, resource: backups.ref(before) };
    await startOperation(tx, registry, start, { accountId: before.account_id });
  });
}

export const backupExpiry: Schedule = {
  name: 'flexible-vps.backup-expiry',
  everySeconds: 120,
  async run(services) {
    for (const { id } of await dueBackups(services.db, AT_ONCE)) {
      try {
        await startDeletion(services, id);
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
      }
    }
  },
};
