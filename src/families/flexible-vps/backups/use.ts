/** Uses a backup as the source of a disk or an image: it becomes an image at the engine, verified before it is used. */
import { EngineRefused, type Ref } from '../../../engines/compute/port.ts';
import { engineAt } from '../../../engines/engine-step.ts';
import type { Call } from '../../../kernel/call.ts';
import type { Work } from '../../../kernel/operations/kind.ts';
import { pendingOn } from '../../../kernel/operations/store.ts';
import { invalid, Problem } from '../../../kernel/problems/problem.ts';
import { contentOfArchive } from './archive.ts';
import { backupLife } from './lifecycle.ts';
import { forgetPassingImage, notePassingImage, readBackup, shareBackup } from './store.ts';
import type { BackupRow } from './table.ts';

const RETRY_SECONDS = 5;

/** How long a backup may take to come from its store and to become an image at the engine. */
export const UNPACK_SECONDS = 2 * 3600;

/** Finds the backup that a request names, and locks it against deletion until the transaction ends. */
export async function requireBackup(
  { db, caller }: Pick<Call, 'db' | 'caller'>,
  id: string,
): Promise<BackupRow> {
  const row = await shareBackup(db, caller.account.id, id);
  if (row === undefined) {
    const detail = 'There is no such backup in this account.';
    throw invalid([{ pointer: '/source/backup_id', code: 'unknown_reference', detail }]);
  }
  if (row.status === 'available') return row;
  const operation = (await pendingOn(db, [row.id])).get(row.id);
  const isUnderWay = (backupLife.transitional as readonly string[]).includes(row.status);
  if (isUnderWay && operation !== undefined)
    throw new Problem('operation_in_progress', {
      detail: `The backup is ${row.status}.`,
      extra: { operation_id: operation.id },
      retryAfterSeconds: RETRY_SECONDS,
    });
  throw new Problem('invalid_state', {
    detail: `The backup is ${row.status}. It has to be available.`,
    extra: { current_state: row.status, allowed_states: ['available'] },
  });
}

type Using = Pick<Work<unknown>, 'db' | 'services' | 'signal' | 'accountId' | 'operationId'>;

/** The image that an operation makes of a backup has the id of the operation, and exists only as long. */
export const passingImage = ({ accountId, operationId }: Pick<Using, 'accountId' | 'operationId'>): Ref => ({
  account: accountId,
  id: operationId,
});

/** Makes the backup an image at the engine of the location. The engine gets no image if the checksum is wrong. */
export async function ensureImageOf(
  { db, services, signal }: Using,
  backupId: string,
  ref: Ref,
  location: string,
): Promise<void> {
  const engine = engineAt(services.compute, location);
  if ((await engine.observeImage(ref, signal))?.state === 'available') return;
  const row = await readBackup(db, backupId);
  if (row === undefined || row.format === null)
    throw new EngineRefused('not_found', 'The backup no longer exists.');
  const { format, architecture, boot_mode: bootMode } = row;
  const content = contentOfArchive(db, services, row);
  await engine.ensureImage(ref, { content, format, architecture, bootMode }, signal);
}

/** Noted first, so that an image is found again if its operation ends before it has removed the image. */
export async function ensurePassingImage(work: Using, backupId: string, location: string): Promise<Ref> {
  const ref = passingImage(work);
  await notePassingImage(work.db, { operation_id: ref.id, account_id: work.accountId, location });
  await ensureImageOf(work, backupId, ref, location);
  return ref;
}

export async function removePassingImage(work: Using, location: string): Promise<void> {
  await engineAt(work.services.compute, location).removeImage(passingImage(work), work.signal);
  await forgetPassingImage(work.db, work.operationId);
}

/** Runs `use` with the image. If the engine refuses, the operation ends, so the image is removed then, too. */
export async function withPassingImage<T>(
  work: Using,
  backupId: string,
  location: string,
  use: (image: Ref) => Promise<T>,
): Promise<T> {
  try {
    const result = await use(await ensurePassingImage(work, backupId, location));
    await removePassingImage(work, location);
    return result;
  } catch (error) {
    if (error instanceof EngineRefused) await removePassingImage(work, location).catch(() => undefined);
    throw error;
  }
}
