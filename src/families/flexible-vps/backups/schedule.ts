/** Deletes backups that have expired, that their policy no longer keeps, or that failed. */

import { EngineRefused, EngineUnreachable } from '../../../engines/errors.ts';
import type { Schedule } from '../../../kernel/schedule.ts';
import type { Services } from '../../../kernel/services.ts';
import { deleteDue } from '../../../resources/records/deletion.ts';
import { clearBackup } from './copying.ts';
import { backupDeletion } from './kinds.ts';
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
    const due = await dueBackups(services.db, AT_ONCE);
    // A later run deletes backups that are in use now.
    await deleteDue(services, backups, backupDeletion, due, async (tx, { id, account_id }) => {
      const row = await lockBackup(tx, id);
      return (await usersOfBackup(tx, account_id, id)).length > 0 ? undefined : row;
    });
  },
};
