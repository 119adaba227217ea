import { type RawBuilder, sql } from 'kysely';
import type { Ref } from '../../../engines/compute/port.ts';
import { inPages } from '../../../engines/reconciler/pages.ts';
import { isBusy, type Moment } from '../../../engines/reconciler/store.ts';
import type { Db, Tx } from '../../../store/database.ts';
import type { FirewallRow } from '../firewalls/table.ts';
import type { NetworkRow } from '../networks/table.ts';
import type { SnapshotRow } from '../snapshots/table.ts';
import type { VmRow } from '../vms/table.ts';
import type { VolumeSnapshotRow } from '../volume-snapshots/table.ts';
import type { VolumeRow } from '../volumes/table.ts';
import type { Facts } from './runtime-facts.ts';

const knownColumns = [
  'id',
  'account_id',
  'name',
  'status',
  'status_reason',
  'is_billed',
  'host_group',
  'started_at',
  'guest_agent',
  'failed_at',
  'vcpus',
  'memory_mb',
  'disk_gb',
  'rescue_expires_at',
  'iso_id',
  'iso_boot_once',
  'updated_at',
] as const;

/** The ids of the machine's snapshots: those that the engine should have, and those that it lost. */
const knownSnapshots = sql<string[]>`
  array(select s.id from vm_snapshots s where s.vm_id = vms.id and s.status = 'available')`;
const lostSnapshots = sql<string[]>`
  array(select s.id from vm_snapshots s
        where s.vm_id = vms.id and s.status = 'failed' and s.consistency is not null)`;

export interface SeenRow extends Pick<VmRow, (typeof knownColumns)[number]> {
  readonly is_busy: boolean;
  readonly snapshots: string[];
  readonly lost_snapshots: string[];
}

/** Reads all machines of a location, one page at a time. */
export const machinesAt = (db: Db, location: string): AsyncGenerator<SeenRow[]> =>
  inPages((after, limit) =>
    db
      .selectFrom('vms')
      .select(knownColumns)
      .select(isBusy('vms').as('is_busy'))
      .select([knownSnapshots.as('snapshots'), lostSnapshots.as('lost_snapshots')])
      .where('location', '=', location)
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute(),
  );

export async function isMachineAt(db: Db, { account, id }: Ref, location: string): Promise<boolean> {
  const row = await db
    .selectFrom('vms')
    .select('id')
    .where('id', '=', id)
    .where('account_id', '=', account)
    .where('location', '=', location)
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns undefined if the row is gone or changed after `since`, so that the observation is out of date. */
export function lockUnchanged(tx: Tx, { account, id }: Ref, since: Moment): Promise<VmRow | undefined> {
  return tx
    .selectFrom('vms')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', account)
    .where('updated_at', '<=', sql<Date>`${since}::timestamptz`)
    .forUpdate()
    .executeTakeFirst();
}

export function lockNetworkUnchanged(
  tx: Tx,
  { account, id }: Ref,
  since: Moment,
): Promise<NetworkRow | undefined> {
  return tx
    .selectFrom('vps_networks')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', account)
    .where('updated_at', '<=', sql<Date>`${since}::timestamptz`)
    .forUpdate()
    .executeTakeFirst();
}

/** Locks the unchanged snapshots of a machine, oldest first. The caller must have locked the machine. */
export function lockSnapshotsUnchanged(tx: Tx, vmId: string, since: Moment): Promise<SnapshotRow[]> {
  return tx
    .selectFrom('vm_snapshots')
    .selectAll()
    .where('vm_id', '=', vmId)
    .where('updated_at', '<=', sql<Date>`${since}::timestamptz`)
    .orderBy('created_at')
    .orderBy('id')
    .forUpdate()
    .execute();
}

/** Skips rows that another transaction has locked: the next run is soon enough. */
export async function writeFacts(tx: Tx, facts: readonly Facts[], since: Moment): Promise<void> {
  const held = await tx
    .selectFrom('vms')
    .select('id')
    .where(sql<boolean>`id = any(${facts.map(({ id }) => id)}::text[])`)
    .where('updated_at', '<=', sql<Date>`${since}::timestamptz`)
    .orderBy('id')
    .forUpdate()
    .skipLocked()
    .execute();
  // A second statement, because only a statement that starts after the lock sees all operations queued before it.
  await sql`
    update vms set host_group = f.host_group, started_at = f.started_at, guest_agent = nullif(f.guest_agent, 'null')
    from jsonb_to_recordset(${JSON.stringify(facts)}::jsonb)
      as f(id text, status text, host_group text, started_at timestamptz, guest_agent jsonb)
    where vms.id = f.id and vms.status = f.status and vms.id = any(${held.map(({ id }) => id)}::text[])
      and not ${isBusy('vms')}`.execute(tx);
}

/** Reads the machines whose creation failed more than `hours` hours ago, oldest first. */
export function oldFailedCreates(
  db: Db,
  hours: number,
  limit: number,
): Promise<Pick<VmRow, 'id' | 'account_id'>[]> {
  return db
    .selectFrom('vms')
    .select(['id', 'account_id'])
    .where('status', '=', 'error')
    .where('host_group', 'is', null)
    .where('is_billed', '=', false)
    .where('failed_at', '<', sql<Date>`now() - ${hours} * interval '1 hour'`)
    .where(sql<boolean>`not ${isBusy('vms')}`)
    .orderBy('failed_at')
    .limit(limit)
    .execute();
}

/** Reads the idle networks that the engine should have, and those that are marked as lost. */
export const networksAt = (
  db: Db,
  location: string,
): AsyncGenerator<Pick<NetworkRow, 'id' | 'account_id' | 'status'>[]> =>
  inPages((after, limit) =>
    db
      .selectFrom('vps_networks')
      .select(['id', 'account_id', 'status'])
      .where('location', '=', location)
      .where('id', '>', after)
      .where(sql<boolean>`(status = 'active' or (status = 'error' and status_reason = 'lost'))`)
      .where(sql<boolean>`not ${isBusy('vps_networks')}`)
      .orderBy('id')
      .limit(limit)
      .execute(),
  );

/** Firewalls that the engine of the location may have, and on which no operation works. */
export const firewallsAt = (
  db: Db,
  location: string,
): AsyncGenerator<Pick<FirewallRow, 'id' | 'account_id' | 'status'>[]> =>
  inPages((after, limit) =>
    db
      .selectFrom('firewalls')
      .select(['id', 'account_id', 'status'])
      .where(sql<boolean>`locations @> array[${location}]`)
      .where('id', '>', after)
      .where('status', 'in', ['active', 'error'])
      .where(sql<boolean>`not ${isBusy('firewalls')}`)
      .orderBy('id')
      .limit(limit)
      .execute(),
  );

export interface SeenVolume
  extends Pick<
    VolumeRow,
    'id' | 'account_id' | 'status' | 'status_reason' | 'size_gb' | 'vm_id' | 'provisioned_at'
  > {
  readonly is_busy: boolean;
  readonly snapshots: string[];
  readonly lost_snapshots: string[];
}

const snapshotIds = (where: RawBuilder<unknown>): RawBuilder<string[]> =>
  sql<string[]>`array(select s.id from volume_snapshots s where s.volume_id = vps_volumes.id and ${where})`;

/** Reads all volumes of a location, one page at a time. */
export const volumesAt = (db: Db, location: string): AsyncGenerator<SeenVolume[]> =>
  inPages((after, limit) =>
    db
      .selectFrom('vps_volumes')
      .select(['id', 'account_id', 'status', 'status_reason', 'size_gb', 'vm_id', 'provisioned_at'])
      .select(isBusy('vps_volumes').as('is_busy'))
      .select([
        snapshotIds(sql`s.status = 'available'`).as('snapshots'),
        snapshotIds(sql`s.status = 'failed' and s.consistency is not null`).as('lost_snapshots'),
      ])
      .where('location', '=', location)
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute(),
  );

export async function isVolumeAt(db: Db, { account, id }: Ref, location: string): Promise<boolean> {
  const row = await db
    .selectFrom('vps_volumes')
    .select('id')
    .where('id', '=', id)
    .where('account_id', '=', account)
    .where('location', '=', location)
    .executeTakeFirst();
  return row !== undefined;
}

export function lockVolumeUnchanged(
  tx: Tx,
  { account, id }: Ref,
  since: Moment,
): Promise<VolumeRow | undefined> {
  return tx
    .selectFrom('vps_volumes')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', account)
    .where('updated_at', '<=', sql<Date>`${since}::timestamptz`)
    .forUpdate()
    .executeTakeFirst();
}

/** Locks the unchanged snapshots of a volume, oldest first. The caller must have locked the volume. */
export function lockVolumeSnapshotsUnchanged(
  tx: Tx,
  volumeId: string,
  since: Moment,
): Promise<VolumeSnapshotRow[]> {
  return tx
    .selectFrom('volume_snapshots')
    .selectAll()
    .where('volume_id', '=', volumeId)
    .where('updated_at', '<=', sql<Date>`${since}::timestamptz`)
    .orderBy('created_at')
    .orderBy('id')
    .forUpdate()
    .execute();
}

/** Whether a repair by this type of operation has failed on the resource within the last hours. */
export async function hasFailedLately(
  tx: Tx,
  { accountId, type, resourceId }: { accountId: string; type: string; resourceId: string | null },
  hours: number,
): Promise<boolean> {
  const row = await tx
    .selectFrom('operations')
    .select('id')
    .where('account_id', '=', accountId)
    .where('resource_id', '=', resourceId)
    .where('type', '=', type)
    .where('status', '=', 'failed')
    // A repair has no request. After a failed call of a customer, the repair may follow at once.
    .where('request_id', 'is', null)
    .where('finished_at', '>', sql<Date>`now() - ${hours} * interval '1 hour'`)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
