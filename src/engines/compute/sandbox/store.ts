/** The tables of the compute sandbox: the hosts with their capacity, and queries on machines. */
import { type Generated, sql } from 'kysely';
import type { Db } from '../../../store/database.ts';
import type { Fault } from '../../sandbox/faults.ts';
import * as sandbox from '../../sandbox/store.ts';
import type { Size } from '../instance.ts';
import type { Host } from '../placement.ts';
import type { NewFault } from './faults.ts';
import type { Machine, States } from './state.ts';

export { clearFaults, listFaults } from '../../sandbox/store.ts';

declare module '../../../store/database.ts' {
  interface Tables {
    sandbox_hosts: {
      location: string;
      name: string;
      vcpus: number;
      memory_mb: number;
      disk_gb: number;
      used_vcpus: Generated<number>;
      used_memory_mb: Generated<number>;
      used_disk_gb: Generated<number>;
    };
  }
}

export const SANDBOX_CHANNEL = 'hostplane_sandbox';

export type ComputeStateStore = sandbox.StateStore<States>;

export interface HostSpec extends Size {
  readonly name: string;
}

const NONE: Size = { vcpus: 0, memoryMb: 0, diskGb: 0 };

/** Returns the hosts of the machines with these ids, one entry for each machine that exists. */
export async function hostsOf(
  { db, location }: ComputeStateStore,
  project: string,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<{ host: string }>`
    select state->>'host' as host from sandbox_things
    where location = ${location} and kind = 'machine' and project = ${project}
      and id = any(${[...ids]}::text[])`.execute(db);
  return rows.map(({ host }) => host);
}

/** Locks the placement group until the end of the transaction, so that no other transaction places a member. */
export async function lockGroup({ db, location }: ComputeStateStore, groupId: string): Promise<void> {
  const name = `${SANDBOX_CHANNEL} ${location} ${groupId}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(db);
}

export async function writeHosts(
  { db, location }: ComputeStateStore,
  hosts: readonly HostSpec[],
): Promise<void> {
  const rows = hosts.map(({ name, vcpus, memoryMb, diskGb }) => ({
    location,
    name,
    vcpus,
    memory_mb: memoryMb,
    disk_gb: diskGb,
  }));
  await db
    .insertInto('sandbox_hosts')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['location', 'name']).doUpdateSet((row) => ({
        vcpus: row.ref('excluded.vcpus'),
        memory_mb: row.ref('excluded.memory_mb'),
        disk_gb: row.ref('excluded.disk_gb'),
      })),
    )
    .execute();
}

export async function readHosts({ db, location }: ComputeStateStore): Promise<Host[]> {
  const rows = await db
    .selectFrom('sandbox_hosts')
    .selectAll()
    .where('location', '=', location)
    .orderBy('name')
    .execute();
  return rows.map((row) => ({
    name: row.name,
    total: { vcpus: row.vcpus, memoryMb: row.memory_mb, diskGb: row.disk_gb },
    used: { vcpus: row.used_vcpus, memoryMb: row.used_memory_mb, diskGb: row.used_disk_gb },
  }));
}

/** Reserves `size` on the host in place of `instead`. Returns false if the host lacks capacity for the difference. */
export async function reserve(
  { db, location }: ComputeStateStore,
  host: string,
  size: Size,
  instead: Size = NONE,
): Promise<boolean> {
  const vcpus = size.vcpus - instead.vcpus;
  const memory = size.memoryMb - instead.memoryMb;
  const disk = size.diskGb - instead.diskGb;
  const { numAffectedRows } = await sql`
    update sandbox_hosts set used_vcpus = used_vcpus + ${vcpus}, used_memory_mb = used_memory_mb + ${memory},
      used_disk_gb = used_disk_gb + ${disk}
    where location = ${location} and name = ${host}
      and (${vcpus} <= 0 or used_vcpus + ${vcpus} <= vcpus)
      and (${memory} <= 0 or used_memory_mb + ${memory} <= memory_mb)
      and (${disk} <= 0 or used_disk_gb + ${disk} <= disk_gb)`.execute(db);
  return numAffectedRows === 1n;
}

export async function release(
  store: ComputeStateStore,
  { host, size }: Pick<Machine, 'host' | 'size'>,
): Promise<void> {
  await reserve(store, host, NONE, size);
}

export async function locationsInUse(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('sandbox_hosts')
    .select('location')
    .distinct()
    .orderBy('location')
    .execute();
  return rows.map(({ location }) => location);
}

export const addFault = (db: Db, fault: NewFault): Promise<Fault> => sandbox.addFault(db, fault);
