/**
 * The work of making a backup, in three steps: the engine packs the disk into an image, the image is stored as an
 * archive, and the engine forgets the image. Other operations, which make a backup first, run the same steps.
 */
import { type ComputeEngine, EngineRefused, EngineUnreachable } from '../../../engines/compute/port.ts';
import { engineAt } from '../../../engines/engine-step.ts';
import type { NewEvent } from '../../../kernel/events/event.ts';
import { done, failed, type Outcome, type Work } from '../../../kernel/operations/kind.ts';
import type { OperationError } from '../../../kernel/operations/schema.ts';
import type { Tx } from '../../../store/database.ts';
import { followBackups } from '../backup-policies/future/future.ts';
import { wantsQuiet } from '../snapshots/quiesce.ts';
import { removeFromEngine } from '../snapshots/removal.ts';
import { refOf } from '../vms/guest.ts';
import { readVm } from '../vms/store.ts';
import { type Archive, removeArchive, storeArchive } from './archive.ts';
import { backups } from './resource.ts';
import { concludeScheduled } from './retention.ts';
import { readBackup } from './store.ts';
import type { BackupRow } from './table.ts';

type Quiesce = Parameters<typeof wantsQuiet>[0];

/** How long a disk may take to come into its store. */
export const PACK_SECONDS = 6 * 3600;

/** The names of the steps, by which `finishBackup` finds their results. */
export const packStep = 'pack';
export const storeStep = 'store';

const GONE = failed('not_found', 'The backup is gone.');

/** The image that the engine packs for a backup has the id of the backup. */
const imageOf = ({ account_id, id }: Pick<BackupRow, 'account_id' | 'id'>) => ({ account: account_id, id });

/** Removes what an attempt left at the engine: the image, and the snapshot that it was packed from. */
async function clearEngine(engine: ComputeEngine, row: BackupRow, signal: AbortSignal): Promise<void> {
  await engine.removeImage(imageOf(row), signal);
  await removeFromEngine(engine, { account_id: row.account_id, id: row.vm_id }, row.id, signal);
  if ((await engine.observeImage(imageOf(row), signal)) !== null)
    throw new EngineUnreachable('The engine removed the image, but still has it.');
}

/** Removes everything that exists of a backup outside of the tables. */
export async function clearBackup(
  { db, services, signal }: Pick<Work<unknown>, 'db' | 'services' | 'signal'>,
  row: BackupRow,
): Promise<void> {
  // A location that has lost its engine has nothing to clear there.
  const engine = services.compute.at(row.location);
  if (engine !== undefined) await clearEngine(engine, row, signal);
  await removeArchive(db, services, row, signal);
}

/** A refusal is final, so nothing is kept of the attempt. A failed removal is repeated when the backup is deleted. */
async function orClear(clear: () => Promise<void>, run: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof EngineRefused) await clear().catch(() => undefined);
    throw error;
  }
}

export async function packDisk(work: Work<unknown>, backupId: string, quiesce: Quiesce): Promise<Outcome> {
  const { db, services, signal } = work;
  const row = await readBackup(db, backupId);
  if (row === undefined) return GONE;
  const vm = await readVm(db, row.vm_id);
  if (vm === undefined) return failed('not_found', 'The machine is gone.');
  const engine = engineAt(services.compute, row.location);
  // Nothing is in the store yet.
  const clear = () => clearEngine(engine, row, signal);
  return orClear(clear, async () => {
    const seen = await engine.observeInstance(refOf(vm), signal);
    if (seen === null) return failed('engine_failed', 'The machine is not where it should be.');
    const isQuiet = wantsQuiet(quiesce, seen, engine.capabilities.quiesce === true);
    if (isQuiet) await engine.ensureSnapshot(refOf(vm), { id: row.id, quiesce: true }, signal);
    const source = isQuiet ? { instance: vm.id, snapshot: row.id } : { instance: vm.id };
    await engine.ensureImage(imageOf(row), source, signal);
    if (isQuiet) await removeFromEngine(engine, vm, row.id, signal);
    const image = await engine.observeImage(imageOf(row), signal);
    if (image?.state !== 'available')
      return failed('engine_failed', 'The engine packed the disk, but does not have the image.', true);
    const consistency = isQuiet || seen.state !== 'running' ? 'filesystem' : 'crash';
    const { applied_seed, applied_user_data_sha256 } = vm;
    return done({ consistency, applied_seed, applied_user_data_sha256 });
  });
}

export async function storeDisk(work: Work<unknown>, backupId: string): Promise<Outcome> {
  const { db, services, signal } = work;
  const row = await readBackup(db, backupId);
  if (row === undefined) return GONE;
  const engine = engineAt(services.compute, row.location);
  const clear = () => clearBackup(work, row);
  return orClear(clear, async () => {
    const image = await engine.exportImage(imageOf(row), signal);
    const archive = await storeArchive(db, services, row, image, signal);
    if (archive.size_bytes === 0)
      return failed('engine_failed', 'The engine exported the image, but sent no bytes.', true);
    return done({ ...archive, format: engine.imageFormats[0] });
  });
}

type Packed = Pick<BackupRow, 'consistency' | 'applied_seed' | 'applied_user_data_sha256'>;

export async function finishBackup(work: Work<unknown>, backupId: string): Promise<Outcome> {
  const { db, services, signal, now } = work;
  const row = await readBackup(db, backupId);
  if (row === undefined) return GONE;
  const engine = engineAt(services.compute, row.location);
  await clearEngine(engine, row, signal);
  const packed = work.results[packStep] as Packed;
  const stored = work.results[storeStep] as Archive & Pick<BackupRow, 'format'>;
  return done({ backup_id: row.id }, async (tx) => {
    const { consistency, applied_seed, applied_user_data_sha256 } = packed;
    const { size_bytes, sha256, part_count, format } = stored;
    const ready = await backups.change(
      tx,
      row.id,
      {
        status: 'available',
        provisioned_at: now,
        ...{ consistency, applied_seed, applied_user_data_sha256, size_bytes, sha256, part_count, format },
      },
      { services, at: now },
    );
    if (ready === undefined) return [];
    await concludeScheduled(tx, ready, 'succeeded', now);
    return [backups.event('succeeded', row, { says: `of ${row.vm_name} is ready` })];
  });
}

/** Called when the operation that makes the backup has failed. */
export async function failBackup(
  tx: Tx,
  id: string,
  error: Pick<OperationError, 'code' | 'detail'> | null,
): Promise<NewEvent[]> {
  const before = await readBackup(tx, id);
  if (before?.status !== 'creating') return [];
  const { code, detail } = error ?? { code: 'engine_failed', detail: 'The backup could not be made.' };
  const row = await backups.change(tx, id, {
    status: 'failed',
    failure: { code, detail },
    failed_at: new Date(),
  });
  if (row === undefined) return [];
  await concludeScheduled(tx, row, 'failed', new Date());
  const message = `The backup ${row.name} of ${row.vm_name} could not be made: ${detail}`;
  return [backups.event('failed', row, { message })];
}

/** Deletes the row, inventory entry and meter of a backup of which nothing is left. */
export async function forgetBackup(tx: Tx, id: string, at: Date): Promise<NewEvent[]> {
  const row = await backups.erase(tx, id, { at });
  if (row === undefined) return [];
  await followBackups(tx, row.account_id, row.vm_id, row.policy_id);
  return [backups.event('deleted', row)];
}
