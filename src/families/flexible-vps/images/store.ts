import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Call } from '../../../kernel/call.ts';
import { parseLabelSelector } from '../../../kernel/pages/label-selector.ts';
import { labelsMatch, type Page, readPage, type SortKey } from '../../../kernel/pages/store.ts';
import type { Db, Tables } from '../../../store/database.ts';
import type { SnapshotRow } from '../snapshots/table.ts';
import type { ImageRow } from './table.ts';

export async function findImageRow(
  db: Db,
  accountId: string,
  id: string,
  lock?: 'share' | 'update',
): Promise<ImageRow | undefined> {
  let query = db
    .selectFrom('vps_images')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', accountId);
  if (lock === 'share') query = query.forShare();
  if (lock === 'update') query = query.forUpdate();
  return query.executeTakeFirst();
}

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

export const failedColumns = (failure: { readonly code: string; readonly detail: string }) => ({
  status: 'failed' as const,
  failure,
  failed_at: sql<Date>`now()`,
  progress_percent: null,
  sealed_url: null,
});

/** Images that failed more than `days` days ago. They were kept so that the customer can read the reason. */
export async function readStaleImages(db: Db, days: number): Promise<string[]> {
  const rows = await db
    .selectFrom('vps_images')
    .select('id')
    .where('status', '=', 'failed')
    .where('failed_at', '<', sql<Date>`now() - ${days} * interval '1 day'`)
    .orderBy('failed_at')
    .limit(100)
    .execute();
  return rows.map(({ id }) => id);
}

export async function lockFailedImage(db: Db, id: string): Promise<ImageRow | undefined> {
  return db
    .selectFrom('vps_images')
    .selectAll()
    .where('id', '=', id)
    .where('status', '=', 'failed')
    .forUpdate()
    .executeTakeFirst();
}

/** Counts the URL imports of the account that are in progress. */
export const countImports = (accountId: string): RawBuilder<unknown> => sql`
  select (select count(*) from vps_images
      where account_id = ${accountId} and status = 'creating' and source ->> 'type' = 'url')
    + (select count(*) from vps_isos
      where account_id = ${accountId} and status in ('downloading', 'verifying'))`;

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

interface ImagesQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly sort: string;
  readonly kind?: 'public' | 'custom' | undefined;
  readonly os?: string | undefined;
  readonly architecture?: string | undefined;
  readonly status?: string | undefined;
  readonly name?: string | undefined;
  readonly label_selector?: string | undefined;
  readonly created_after?: string | undefined;
  readonly created_before?: string | undefined;
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

const column = (name: string) => sql.ref(`vps_images.${name}`);
const id: SortKey = { column: column('id'), type: 'text' };
const sorts = {
  created_at: { column: column('created_at'), type: 'timestamptz' },
  updated_at: { column: column('updated_at'), type: 'timestamptz' },
  name: { column: sql`vps_images.name collate "C"`, type: 'text' },
} as const;

/**
 * Lists the account's own images together with `others` (the provider's) in one sort order. With `hardware`, only images
 * that fit one of these.
 */
export async function readImages(
  call: Pick<Call<unknown, ImagesQuery>, 'db' | 'query' | 'caller' | 'services'>,
  others: readonly ImageRow[],
  hardware?: readonly Hardware[],
): Promise<Page<ImageRow>> {
  const { kind, os, architecture, status, name, label_selector, created_after, created_before } = call.query;
  const own = sql`select * from vps_images where account_id = ${call.caller.account.id}`;
  const given = sql`select * from jsonb_populate_recordset(null::vps_images, ${JSON.stringify(others)}::jsonb)`;
  const both = kind === undefined ? sql`${own} union all ${given}` : kind === 'public' ? given : own;
  const from = sql<ImageRow>`(${both})`.as<'vps_images'>('vps_images');
  const conditions = [
    os === undefined ? null : sql<boolean>`${os} in (os ->> 'family', os ->> 'distribution')`,
    architecture === undefined ? null : sql<boolean>`architecture = ${architecture}`,
    status === undefined ? null : sql<boolean>`status = ${status}`,
    name === undefined ? null : sql<boolean>`${name} in (name, id)`,
    label_selector === undefined ? null : labelsMatch(column('labels'), parseLabelSelector(label_selector)),
    created_after === undefined ? null : sql<boolean>`created_at >= ${created_after}::timestamptz`,
    created_before === undefined ? null : sql<boolean>`created_at < ${created_before}::timestamptz`,
    hardware === undefined ? null : fitsOne(hardware),
  ].filter((condition) => condition !== null);
  let query = (
    call.db.selectFrom(from as never) as SelectQueryBuilder<Tables, 'vps_images', object>
  ).selectAll();
  for (const condition of conditions) query = query.where(condition);
  return readPage(call, query, { endpoint: 'listImages', id, sorts });
}
