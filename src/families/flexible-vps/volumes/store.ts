import { sql } from 'kysely';
import type { Db } from '../../../store/database.ts';
import type { VolumeRow } from './table.ts';

/** For operation steps, which need no check of the account. Returns undefined if the row was deleted. */
export function readVolume(db: Db, id: string): Promise<VolumeRow | undefined> {
  return db.selectFrom('vps_volumes').selectAll().where('id', '=', id).executeTakeFirst();
}

export function readOwnVolume(db: Db, accountId: string, id: string): Promise<VolumeRow | undefined> {
  return db
    .selectFrom('vps_volumes')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
}

/** Callers that also lock machines lock them first. */
export function lockVolume(db: Db, accountId: string, id: string): Promise<VolumeRow | undefined> {
  return db
    .selectFrom('vps_volumes')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .forUpdate()
    .executeTakeFirst();
}

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
