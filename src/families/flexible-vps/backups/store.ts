import { type InsertObject, sql } from 'kysely';
import { linksOf } from '../../../kernel/downloads/store.ts';
import { rowsOf } from '../../../resources/owned/store.ts';
import type { Db, Tables } from '../../../store/database.ts';
import type { BackupRow, PassingImage } from './table.ts';

export const { read: readBackup, share: shareBackup } = rowsOf('vm_backups');

/** The links with which the backup can be downloaded now. */
export async function readLinks(db: Db, id: string) {
  const found = await db
    .selectFrom('vm_backups')
    .select(linksOf('vm_backups.id').as('links'))
    .where('id', '=', id)
    .executeTakeFirst();
  return found?.links ?? [];
}

/** For schedules, which have no call; calls use `backups.add`. */
export function insertBackup(db: Db, row: InsertObject<Tables, 'vm_backups'>): Promise<BackupRow> {
  return db.insertInto('vm_backups').values(row).returningAll().executeTakeFirstOrThrow();
}

/** Callers that also lock machines lock them first. */
export function lockBackup(db: Db, id: string): Promise<BackupRow | undefined> {
  return db.selectFrom('vm_backups').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

/** The backups of a machine, oldest first. */
export function backupsOf(db: Db, accountId: string, vmId: string): Promise<BackupRow[]> {
  return db
    .selectFrom('vm_backups')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('vm_id', '=', vmId)
    .orderBy('id')
    .execute();
}

/** Called when the machine is gone. */
export async function outliveVm(db: Db, accountId: string, vmId: string): Promise<void> {
  await db
    .updateTable('vm_backups')
    .set((set) => ({ vm_deleted: true, version: set('version', '+', 1), updated_at: sql`now()` }))
    .where('account_id', '=', accountId)
    .where('vm_id', '=', vmId)
    .execute();
}

interface User {
  readonly type: string;
  readonly id: string;
  readonly name: string;
}

/** The machines and images that are being created from the backup, and machines that are being restored to it. */
export async function usersOfBackup(db: Db, accountId: string, id: string): Promise<User[]> {
  const { rows } = await sql<User>`
    select 'vm' as type, id, name from vms
    where account_id = ${accountId} and status = 'creating' and source->>'type' = 'backup'
      and source->>'id' = ${id}
    union all
    select 'image', id, name from vps_images
    where account_id = ${accountId} and status = 'creating' and source->>'type' = 'backup'
      and source->>'id' = ${id}
    union all
    select o.resource_type, o.resource_id, coalesce(o.resource_name, '')
    from operation_subjects held join operations o on o.id = held.operation_id
    where held.subject = ${id} and o.type = 'vm.restore'
    order by 1, 2`.execute(db);
  return rows;
}

/** Backups that have expired, or that failed more than 24 hours ago. */
export function dueBackups(db: Db, limit: number): Promise<BackupRow[]> {
  return db
    .selectFrom('vm_backups')
    .selectAll()
    .where('status', 'in', ['available', 'failed'])
    .where(sql<boolean>`(expires_at <= now() or failed_at <= now() - interval '24 hours')`)
    .orderBy(sql`coalesce(failed_at, expires_at)`)
    .limit(limit)
    .execute();
}

/** Failed backups of which something may be left at the engine or in the store. */
export function unclearedBackups(db: Db, limit: number): Promise<BackupRow[]> {
  return db
    .selectFrom('vm_backups')
    .selectAll()
    .where('status', '=', 'failed')
    .where('is_cleared', '=', false)
    .orderBy('failed_at')
    .limit(limit)
    .execute();
}

export async function noteCleared(db: Db, id: string): Promise<void> {
  await db.updateTable('vm_backups').set({ is_cleared: true }).where('id', '=', id).execute();
}

/** The SHA-256 of each part that the store has, by its number. */
export async function partsOf(db: Db, backupId: string): Promise<ReadonlyMap<number, string>> {
  const rows = await db
    .selectFrom('backup_parts')
    .select(['number', 'sha256'])
    .where('backup_id', '=', backupId)
    .execute();
  return new Map(rows.map(({ number, sha256 }) => [number, sha256]));
}

/**
 * Written while the step runs, so that another worker can continue. A worker that lost its lease does no harm: both
 * write the same bytes.
 */
export async function notePart(
  db: Db,
  part: { readonly backup_id: string; readonly number: number; readonly sha256: string },
): Promise<void> {
  await sql`
    insert into backup_parts (backup_id, number, sha256)
    select ${part.backup_id}, ${part.number}, ${part.sha256}
    where exists (select from vm_backups where id = ${part.backup_id} and status = 'creating')
    on conflict (backup_id, number) do update set sha256 = excluded.sha256`.execute(db);
}

export async function forgetParts(db: Db, backupId: string): Promise<void> {
  await db.deleteFrom('backup_parts').where('backup_id', '=', backupId).execute();
}

export async function findSealedKey(db: Db, accountId: string): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom('backup_keys')
    .select('sealed')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row?.sealed;
}

/** Keeps the present key if another worker was first. */
export async function insertSealedKey(db: Db, account_id: string, sealed: Buffer): Promise<void> {
  await db
    .insertInto('backup_keys')
    .values({ account_id, sealed })
    .onConflict((conflict) => conflict.column('account_id').doNothing())
    .execute();
}

export async function notePassingImage(db: Db, image: PassingImage): Promise<void> {
  await db
    .insertInto('passing_images')
    .values(image)
    .onConflict((conflict) => conflict.column('operation_id').doNothing())
    .execute();
}

export async function forgetPassingImage(db: Db, operationId: string): Promise<void> {
  await db.deleteFrom('passing_images').where('operation_id', '=', operationId).execute();
}

/** Images of operations that have ended, for example because the engine was silent until their deadline. */
export async function leftPassingImages(db: Db, limit: number): Promise<PassingImage[]> {
  const { rows } = await sql<PassingImage>`
    select * from passing_images left_over
    where not exists (
      select from operations where id = left_over.operation_id and finished_at is null)
    order by operation_id limit ${limit}`.execute(db);
  return rows;
}
