import { sql } from 'kysely';
import { rowsOf } from '../../../resources/owned/store.ts';
import type { Db } from '../../../store/database.ts';
import type { VolumeRow } from './table.ts';

/** Callers that lock machines, too, lock them before volumes. */
export const { find: readOwnVolume, lock: lockVolume, read: readVolume } = rowsOf('vps_volumes');

/** The volumes that a machine has or is being given, in the order of their ids. */
export function volumesOf(db: Db, vmId: string): Promise<VolumeRow[]> {
  return db.selectFrom('vps_volumes').selectAll().where('vm_id', '=', vmId).orderBy('id').execute();
}

export function lockVolumesOf(db: Db, vmId: string): Promise<VolumeRow[]> {
  return db
    .selectFrom('vps_volumes')
    .selectAll()
    .where('vm_id', '=', vmId)
    .orderBy('id')
    .forUpdate()
    .execute();
}

/** The ids of the volumes of a machine, to be read in the same query as the machine. */
export const volumeIdsOf = (vm: string) =>
  sql<string[]>`(
    select coalesce(json_agg(v.id order by v.id), '[]') from vps_volumes v where v.vm_id = ${sql.ref(vm)})`;
