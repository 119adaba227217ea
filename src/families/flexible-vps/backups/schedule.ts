/** Deletes backups that have expired, that their policy no longer keeps, or that failed. */
import { EngineRefused, EngineUnreachable } from '../../../engines/errors.ts';
import { startOperation } from '../../../kernel/operations/operations.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import type { Schedule } from '../../../kernel/schedule.ts';
import type { Services } from '../../../kernel/services.ts';
import { transact } from '../../../store/transaction.ts';
import { clearBackup } from './copying.ts';
import { deleteBackupKind } from './kinds.ts';
import { backups } from './resource.ts';
import {
  dueBackups,
  forgetPassingImage,
  leftPassingImages,
  lockBackup,
  noteCleared,
  unclearedBackups,
  usersOfBackup,
} from './store.ts';
import { removePassingImage } from './use.ts';

/** The maximum per run; the next run starts the other deletions. */
const AT_ONCE = 200;
const CLEAR_MS = 60_000;

/** Starts the deletion unless the backup is in use or being deleted: then a later run finds it again. */
async function startDeletion({ db, registry }: Services, id: string): Promise<void> {
  await transact(db, async (tx) => {
    const before = await lockBackup(tx, id);
    if (before === undefined || (before.status !== 'available' && before.status !== 'failed')) return;
    if ((await usersOfBackup(tx, before.account_id, id)).length > 0) return;
    await backups.change(tx, id, { status: 'deleting' }, { keepsPrice: true });
    const start = { kind: deleteBackupKind, input: { was: before.status }, resource: backups.ref(before) };
    await startOperation(tx, registry, start, { accountId: before.account_id });
  });
}

/** A later run tries again what an engine does not do now. */
async function tryOut(clear: (signal: AbortSignal) => Promise<void>): Promise<void> {
  try {
    await clear(AbortSignal.timeout(CLEAR_MS));
  } catch (error) {
    const isOfEngine = error instanceof EngineUnreachable || error instanceof EngineRefused;
    if (!isOfEngine && (error as Error).name !== 'TimeoutError') throw error;
  }
}

/** An operation that failed because an engine was silent could not remove what it had made. */
async function clearFailed(services: Services): Promise<void> {
  const { db } = services;
  for (const row of await unclearedBackups(db, AT_ONCE))
    await tryOut(async (signal) => {
      await clearBackup({ db, services, signal }, row);
      await noteCleared(db, row.id);
    });
  for (const { operation_id: operationId, account_id: accountId, location } of await leftPassingImages(
    db,
    AT_ONCE,
  )) {
    // A location that has lost its engine has nothing to clear there.
    if (services.compute.at(location) === undefined) await forgetPassingImage(db, operationId);
    else
      await tryOut((signal) =>
        removePassingImage({ db, services, signal, accountId, operationId }, location),
      );
  }
}

export const backupExpiry: Schedule = {
  name: 'flexible-vps.backup-expiry',
  everySeconds: 120,
  async run(services) {
    await clearFailed(services);
    for (const { id } of await dueBackups(services.db, AT_ONCE)) {
      try {
        await startDeletion(services, id);
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
      }
    }
  },
};
