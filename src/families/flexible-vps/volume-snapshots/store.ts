import { sql } from 'kysely';
import { rowsOf } from '../../../resources/owned/store.ts';
import type { Db } from '../../../store/database.ts';
import { snapshotsIn } from '../disk-snapshots/store.ts';
import type { VolumeSnapshotRow } from './table.ts';

export const { read: readVolumeSnapshot, share: shareVolumeSnapshot } = rowsOf('volume_snapshots');

export const {
  byIds: readVolumeSnapshots,
  of: snapshotsOfVolume,
  lockOf: lockSnapshotsOfVolume,
  due: dueVolumeSnapshots,
} = snapshotsIn('volume_snapshots', 'volume_id');

/** A snapshot is where its volume is. */
export async function readVolumeLocation(db: Db, volumeId: string): Promise<string> {
  const { location } = await db
    .selectFrom('vps_volumes')
    .select('location')
    .where('id', '=', volumeId)
    .executeTakeFirstOrThrow();
  return location;
}

export interface SnapshotUser {
  readonly snapshot_id: string;
  readonly type: string;
  readonly id: string;
  readonly name: string;
}

/** The volumes that are being created from these snapshots, or put back to one of them. */
export async function usersOfVolumeSnapshots(
  db: Db,
  accountId: string,
  ids: readonly string[],
): Promise<SnapshotUser[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<SnapshotUser>`
    select source_snapshot_id as snapshot_id, 'volume' as type, id, name from vps_volumes
    where source_snapshot_id = any(${[...ids]}::text[]) and status = 'creating' and account_id = ${accountId}
    union all
    select held.subject, o.resource_type, o.resource_id, coalesce(o.resource_name, '')
    from operation_subjects held join operations o on o.id = held.operation_id
    where held.subject = any(${[...ids]}::text[]) and o.type = 'volume.restore'
    order by 2, 3`.execute(db);
  return rows;
}

/** Whether any operation was started that removes the snapshot, even if that operation failed. */
export async function wasVolumeSnapshotToBeRemoved(
  db: Db,
  { account_id, volume_id, id }: Pick<VolumeSnapshotRow, 'account_id' | 'volume_id' | 'id'>,
): Promise<boolean> {
  const { rows } = await sql<{ asked: boolean }>`
    select exists (
      select from operations
      where account_id = ${account_id} and resource_id = ${id} and type = 'volume_snapshot.delete'
    ) or exists (
      select from operations where account_id = ${account_id} and resource_id = ${volume_id}
        and type = 'volume.restore' and jsonb_exists(input->'remove', ${id})
    ) as asked`.execute(db);
  return rows[0]?.asked === true;
}
