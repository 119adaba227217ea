import { sql } from 'kysely';
import type { Call } from '../../../kernel/call.ts';
import { readResources } from '../../../kernel/listing/store.ts';
import { operationIn, pendingOperation } from '../../../kernel/pending/store.ts';
import type { Db } from '../../../store/database.ts';
import type { VolumeStatus } from './lifecycle.ts';
import type { VolumeRow } from './table.ts';

type ListCall = Parameters<typeof readResources>[0] & Pick<Call, 'db'>;

const withPending = (db: Db) =>
  db
    .selectFrom('vps_volumes')
    .selectAll('vps_volumes')
    .select(pendingOperation('vps_volumes.id').as('pending'));

interface Filters {
  readonly location?: string | undefined;
  readonly status?: VolumeStatus | undefined;
  readonly vm_id?: string | undefined;
}

export async function listVolumes(call: ListCall, { location, status, vm_id }: Filters) {
  let query = withPending(call.db);
  if (location !== undefined) query = query.where('vps_volumes.location', '=', location);
  if (status !== undefined) query = query.where('vps_volumes.status', '=', status);
  if (vm_id !== undefined) query = query.where('vps_volumes.vm_id', '=', vm_id);
  const { rows, nextCursor } = await readResources(call, 'vps_volumes', 'listVpsVolumes', query);
  return {
    rows: rows.map(({ pending, ...row }) => ({ row, operation: operationIn(pending) })),
    nextCursor,
  };
}

export async function findVolume(db: Db, accountId: string, id: string) {
  const found = await withPending(db)
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  if (found === undefined) return undefined;
  const { pending, ...row } = found;
  return { row, operation: operationIn(pending) };
}

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
