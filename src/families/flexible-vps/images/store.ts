import { sql } from 'kysely';
import type { Call } from '../../../kernel/call.ts';
import type { Page } from '../../../kernel/pages/store.ts';
import { pendingOperation } from '../../../kernel/pending/store.ts';
import { rowsOf, type WithOperation } from '../../../resources/owned/store.ts';
import type { Db } from '../../../store/database.ts';
import { fromOffered, type OfferedQuery, readOffered } from '../catalog/store.ts';
import type { SnapshotRow } from '../snapshots/table.ts';
import type { ImageRow } from './table.ts';

export const { find: findImageRow, share: shareImageRow, read: readImage } = rowsOf('vps_images');

export async function findImageRows(db: Db, accountId: string, ids: readonly string[]): Promise<ImageRow[]> {
  return db
    .selectFrom('vps_images')
    .selectAll()
    .where('account_id', '=', accountId)
    .where(sql<boolean>`id = any(${[...ids]}::text[])`)
    .execute();
}

export interface Progress {
  readonly imageId: string;
  /** Of the whole image. */
  readonly imagePercent: number;
  readonly operationId: string;
  /** Of the whole operation. */
  readonly operationPercent: number;
}

/**
 * Keeps the version of the image: no client's change can overwrite the progress, so etags stay valid. The operation
 * changes only during its first step, so a worker that lost the operation cannot undo later progress.
 */
export async function noteProgress(db: Db, progress: Progress): Promise<void> {
  await sql`
    with image as (
      update vps_images set progress_percent = ${progress.imagePercent}
      where id = ${progress.imageId} and status = 'creating' returning id)
    update operations set progress_percent = ${progress.operationPercent}
    from image where operations.id = ${progress.operationId} and operations.resource_id = image.id
      and finished_at is null and phase = 'forward' and step_index = 0`.execute(db);
}

/** Adds a location that has a copy of the image now. */
export async function noteImageAt(db: Db, id: string, location: string): Promise<void> {
  await sql`
    update vps_images set locations = array_append(locations, ${location})
    where id = ${id} and not ${location} = any(locations)`.execute(db);
}

/** Machines whose disk is being created from the image: the row or the input of a pending operation names it. */
export async function findMaking(db: Db, accountId: string, imageId: string) {
  const { rows } = await sql<{ type: string; id: string; name: string }>`
    select 'vm' as type, id, name from vms
    where account_id = ${accountId} and status in ('creating', 'redeploying') and (image ->> 'id' = ${imageId}
      or id in (select resource_id from operations where account_id = ${accountId}
        and finished_at is null and position(${imageId} in input::text) > 0))
    order by id`.execute(db);
  return rows;
}

/** Locks the snapshot, so that it is not deleted until the transaction ends. */
export async function shareSnapshot(db: Db, vmId: string, id: string): Promise<SnapshotRow | undefined> {
  return db
    .selectFrom('vm_snapshots')
    .selectAll()
    .where('id', '=', id)
    .where('vm_id', '=', vmId)
    .forShare()
    .executeTakeFirst();
}

interface ImagesQuery extends OfferedQuery {
  readonly kind?: 'public' | 'custom' | undefined;
  readonly os?: string | undefined;
  readonly architecture?: string | undefined;
  readonly status?: string | undefined;
}

interface Hardware {
  readonly architecture: string;
  readonly diskGb: number;
  readonly memoryMb: number;
}

const fitsOne = (hardware: readonly Hardware[]) => sql<boolean>`
  exists (
    select from jsonb_to_recordset(${JSON.stringify(hardware)}::jsonb)
      as h ("architecture" text, "diskGb" int, "memoryMb" int)
    where h.architecture = vps_images.architecture and h."diskGb" >= vps_images.min_disk_gb
      and h."memoryMb" >= vps_images.min_memory_mb
  )`;

/**
 * Lists the account's own images together with `others` (the provider's) in one sort order. With `hardware`, only images
 * that fit one of these.
 */
export async function readImages(
  call: Pick<Call<unknown, ImagesQuery>, 'db' | 'query' | 'caller' | 'services'>,
  others: readonly ImageRow[],
  hardware?: readonly Hardware[],
): Promise<Page<ImageRow & WithOperation>> {
  const { kind, os, architecture, status } = call.query;
  const query = fromOffered(call, 'vps_images', others, kind === 'custom' ? 'own' : kind)
    .selectAll()
    .select(pendingOperation('vps_images.id').as('pending'));
  return readOffered(call, 'vps_images', 'listImages', query, [
    os === undefined ? null : sql<boolean>`${os} in (os ->> 'family', os ->> 'distribution')`,
    architecture === undefined ? null : sql<boolean>`architecture = ${architecture}`,
    status === undefined ? null : sql<boolean>`status = ${status}`,
    hardware === undefined ? null : fitsOne(hardware),
  ]);
}
