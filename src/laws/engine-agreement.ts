/** Whether what the rows of an account say and what the engines have of it is the same, and what is left when all was deleted. */
import { sql } from 'kysely';
import type { ComputeEngine, Instance } from '../engines/compute/port.ts';
import type { InterfaceRow } from '../families/flexible-vps/interfaces/table.ts';
import type { VmRow } from '../families/flexible-vps/vms/table.ts';
import { families } from '../families/index.ts';
import type { Lifecycle } from '../kernel/lifecycle.ts';
import { work } from './crashes.ts';
import type { World } from './walk.ts';

const lifecycles: readonly Lifecycle[] = families.flatMap((family) => family.lifecycles ?? []);

interface Row {
  readonly id: string;
  readonly status: string;
}

async function rowsIn({ app, account }: World, table: string): Promise<Row[]> {
  const query = sql<Row>`select * from ${sql.table(table)} where account_id = ${account.id} order by id`;
  return (await query.execute(app.services.db)).rows;
}

const same = (a: readonly string[], b: readonly string[]): boolean =>
  JSON.stringify([...a].sort()) === JSON.stringify([...b].sort());

const engineAt = ({ app }: World, location: string): ComputeEngine => {
  const engine = app.services.compute.at(location);
  if (engine === undefined) throw new Error(`No engine serves ${location}.`);
  return engine;
};

/** A machine in error says nothing of its power: its disk may be half written. */
function stateFault({ status, status_reason, host_group }: VmRow, seen: Instance | null): string[] {
  if (status === 'running' || status === 'stopped')
    return seen?.state === status
      ? []
      : [`the machine is ${status}, and ${seen?.state ?? 'gone'} at the engine`];
  if (status !== 'error') return [];
  if (host_group === null && seen !== null) return ['what a failed creation made is still at the engine'];
  return status_reason === 'lost' && seen !== null ? ['the machine is said to be lost and is there'] : [];
}

function partFaults(
  vm: VmRow,
  interfaces: readonly InterfaceRow[],
  snapshots: readonly Row[],
  seen: Instance,
): string[] {
  const faults: string[] = [];
  const { vcpus, memoryMb, diskGb } = seen.size;
  if (vm.vcpus !== vcpus || vm.memory_mb !== memoryMb || vm.disk_gb !== diskGb)
    faults.push(
      `the size is ${vm.vcpus}/${vm.memory_mb}/${vm.disk_gb}, and ${vcpus}/${memoryMb}/${diskGb} at the engine`,
    );
  const plugged = seen.nics.map(({ id }) => id);
  const nics = interfaces.map(({ id }) => id);
  if (!same(nics, plugged)) faults.push(`the interfaces are ${nics}, and ${plugged} at the engine`);
  const kept = snapshots.filter(({ status }) => status === 'available').map(({ id }) => id);
  const taken = seen.snapshots.map(({ id }) => id);
  if (!same(kept, taken)) faults.push(`the snapshots are [${kept}], and [${taken}] at the engine`);
  if ((vm.rescue_expires_at !== null) !== seen.rescue.wanted)
    faults.push(`rescue is ${vm.rescue_expires_at !== null}, and ${seen.rescue.wanted} at the engine`);
  return faults;
}

async function vmFaults(world: World, vm: VmRow): Promise<string[]> {
  const seen = await engineAt(world, vm.location).observeInstance({ account: vm.account_id, id: vm.id });
  const own = (rows: readonly Row[]): Row[] =>
    rows.filter((row) => (row as Row & { vm_id: string }).vm_id === vm.id);
  const interfaces = own(await rowsIn(world, 'vm_interfaces')) as unknown as InterfaceRow[];
  const snapshots = own(await rowsIn(world, 'vm_snapshots'));
  const isSettled = vm.status === 'running' || vm.status === 'stopped';
  return [
    ...stateFault(vm, seen),
    ...(seen === null || !isSettled ? [] : partFaults(vm, interfaces, snapshots, seen)),
  ];
}

async function presenceFaults(world: World): Promise<string[]> {
  const faults: string[] = [];
  const say = (what: string, { status }: Row, isThere: boolean): void => {
    const isBelieved = status === 'active' || status === 'available';
    if (isBelieved && !isThere) faults.push(`the ${what} is ${status}, and gone at the engine`);
  };
  const account = world.account.id;
  for (const row of (await rowsIn(world, 'vps_networks')) as (Row & { location: string })[]) {
    const seen = await engineAt(world, row.location).observeNetwork({ account, id: row.id });
    say('network', row, seen !== null);
  }
  for (const row of (await rowsIn(world, 'vps_images')) as (Row & { locations: string[] })[])
    for (const location of row.locations) {
      const seen = await engineAt(world, location).observeImage({ account, id: row.id });
      say('image', row, seen !== null);
    }
  return faults;
}

/** What the rows and the engines do not agree on, and what is still said to be under way. */
export async function disagreements(world: World): Promise<string[]> {
  const faults: string[] = [];
  for (const { resource, table, transitional } of lifecycles)
    for (const row of await rowsIn(world, table))
      if (transitional.includes(row.status)) faults.push(`the ${resource} is still ${row.status}`);
  for (const vm of (await rowsIn(world, 'vms')) as unknown as VmRow[])
    faults.push(...(await vmFaults(world, vm)));
  return [...faults, ...(await presenceFaults(world))];
}

const collections = { vms: 'vms', vps_networks: 'networks', vps_images: 'images' } as const;

/** As the owner would, machines first. */
export async function deleteAll(world: World): Promise<string[]> {
  const refusals: string[] = [];
  for (const [table, collection] of Object.entries(collections)) {
    for (const { id } of await rowsIn(world, table)) {
      const url = `/flexible-vps/v1/${collection}/${id}`;
      const answer = await world.app.call({ method: 'DELETE', url, key: world.key.key });
      if (answer.statusCode !== 202)
        refusals.push(`DELETE of ${collection}: ${answer.statusCode} ${answer.body}`);
    }
    await work(world.app);
  }
  return refusals;
}

export async function leftovers(world: World): Promise<string[]> {
  const faults: string[] = [];
  for (const { resource, table } of lifecycles)
    for (const { status } of await rowsIn(world, table))
      faults.push(`deleted, but a ${resource} is ${status}`);
  const { db } = world.app.services;
  const things = await db
    .selectFrom('sandbox_things')
    .select(['kind', 'id'])
    .where('project', '=', world.account.id)
    .execute();
  for (const { kind } of things) faults.push(`deleted, but the engine has a ${kind}`);
  const addresses = await db
    .selectFrom('public_addresses')
    .select('id')
    .where('account_id', '=', world.account.id)
    .where((where) => where.or([where('kind', '=', 'ephemeral'), where('vm_id', 'is not', null)]))
    .execute();
  if (addresses.length > 0) faults.push('deleted, but its addresses are held');
  for (const { type } of await db
    .selectFrom('resources')
    .select('type')
    .where('account_id', '=', world.account.id)
    .where('family', '=', 'flexible-vps')
    .execute())
    faults.push(`deleted, but a ${type} is in the inventory`);
  return faults;
}
