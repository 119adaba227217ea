/** Compares the resources of an account with the state of the compute engines. */
import { isDeepStrictEqual } from 'node:util';
import {
  type ComputeEngine,
  computePort,
  type FirewallSpec,
  type Instance,
} from '../../engines/compute/port.ts';
import { engineAt } from '../../engines/engine-step.ts';
import { objectsPort } from '../../engines/objects/port.ts';
import { type Row, rowsIn } from '../../laws/account-rows.ts';
import type { Fixture } from '../../laws/fixture.ts';
import type { World } from '../../laws/world.ts';
import type { BackupRow } from './backups/table.ts';
import { specOf } from './firewalls/engine-firewall.ts';
import type { FirewallRow } from './firewalls/table.ts';
import type { InterfaceRow } from './interfaces/table.ts';
import type { VmRow } from './vms/table.ts';
import type { VolumeSnapshotRow } from './volume-snapshots/table.ts';
import type { VolumeRow } from './volumes/table.ts';
import type { VpnGatewayRow } from './vpn-gateways/table.ts';
import type { VpnPeerRow } from './vpn-peers/table.ts';

const same = (a: readonly string[], b: readonly string[]): boolean =>
  JSON.stringify([...a].sort()) === JSON.stringify([...b].sort());

const engineOf = ({ app }: World, location: string): ComputeEngine =>
  engineAt(computePort.engines(app.services), location);

/** Does not compare the power state of a machine in `error`, because its disk may be incomplete. */
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
  const drive = vm.iso_id === null ? null : `${vm.iso_id} ${vm.iso_boot_once}`;
  const inDrive = seen.drive === null ? null : `${seen.drive.iso} ${seen.drive.bootOnce}`;
  if (drive !== inDrive) faults.push(`the drive has ${drive}, and ${inDrive} at the engine`);
  return faults;
}

async function vmFaults(world: World, vm: VmRow): Promise<string[]> {
  const seen = await engineOf(world, vm.location).observeInstance({ account: vm.account_id, id: vm.id });
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

/** A volume in `error` may be at the engine or not: its creation, or its deletion, failed. */
async function volumeFaults(world: World, row: VolumeRow): Promise<string[]> {
  const { account_id: account, id, status, vm_id, size_gb } = row;
  if (status !== 'available' && status !== 'attached') return [];
  const seen = await engineOf(world, row.location).observeVolume({ account, id });
  if (seen === null) return [`the volume is ${status}, and gone at the engine`];
  const faults: string[] = [];
  if (seen.instance !== vm_id)
    faults.push(`the volume is on ${vm_id}, and on ${seen.instance} at the engine`);
  if (seen.sizeGb !== size_gb) faults.push(`the volume has ${size_gb} GB, and ${seen.sizeGb} at the engine`);
  const rows = (await rowsIn(world, 'volume_snapshots')) as unknown as VolumeSnapshotRow[];
  const kept = rows
    .filter((each) => each.volume_id === id && each.status === 'available')
    .map((each) => each.id);
  const taken = seen.snapshots.map((each) => each.id);
  if (!same(kept, taken))
    faults.push(`the snapshots of the volume are [${kept}], and [${taken}] at the engine`);
  return faults;
}

/** In force are the rules of the tables, for the interfaces of the tables. */
async function firewallFaults(world: World, { id, status, locations }: FirewallRow): Promise<string[]> {
  const faults: string[] = [];
  for (const location of status === 'active' ? locations : []) {
    const seen = await engineOf(world, location).observeFirewall({ account: world.account.id, id });
    const spec = await specOf(world.app.services.db, id, location);
    const told = (firewall: FirewallSpec | null) => [
      firewall?.defaultIn,
      firewall?.defaultOut,
      firewall?.rules,
      firewall?.members,
    ];
    const [wanted, found] = [told(spec), told(seen)];
    if (spec?.members.length !== 0 && !isDeepStrictEqual(wanted, found))
      faults.push(`the firewall is ${JSON.stringify(wanted)}, and ${JSON.stringify(found)} at the engine`);
  }
  return faults;
}

/** A backup that is available is in its store, in all its parts. */
async function backupFaults({ app }: World, row: BackupRow): Promise<string[]> {
  if (row.status !== 'available') return [];
  const store = engineAt(objectsPort.engines(app.services), row.location);
  const parts = await store.list(`${row.account_id}/${row.id}/`);
  return parts.length === row.part_count
    ? []
    : [`the backup has ${row.part_count} parts, and ${parts.length} in its store`];
}

/** A gateway in `error` may be at the engine or not. */
async function gatewayFaults(world: World, row: VpnGatewayRow): Promise<string[]> {
  if (row.status !== 'active') return [];
  const seen = await engineOf(world, row.location).observeGateway({ account: row.account_id, id: row.id });
  if (seen?.tunnel == null) return ['the VPN gateway is active, and gone at the engine'];
  const faults: string[] = [];
  if (seen.tunnel.port !== row.port || seen.tunnel.publicKey !== row.public_key)
    faults.push('the VPN gateway has another port or key at the engine');
  const peers = (await rowsIn(world, 'vpn_peers')) as unknown as VpnPeerRow[];
  const wanted = peers
    .filter((peer) => peer.gateway_id === row.id && peer.enabled && peer.applied_at !== null)
    .map(({ public_key }) => public_key);
  const applied = seen.tunnel.peers.map(({ publicKey }) => publicKey);
  if (!wanted.every((key) => applied.includes(key)))
    faults.push(`the peers are [${wanted}], and [${applied}] at the engine`);
  return faults;
}

async function presenceFaults(world: World): Promise<string[]> {
  const faults: string[] = [];
  const say = (what: string, { status }: Row, isThere: boolean): void => {
    const isBelieved = status === 'active' || status === 'available';
    if (isBelieved && !isThere) faults.push(`the ${what} is ${status}, and gone at the engine`);
  };
  const account = world.account.id;
  for (const row of (await rowsIn(world, 'vps_networks')) as (Row & { location: string })[]) {
    const seen = await engineOf(world, row.location).observeNetwork({ account, id: row.id });
    say('network', row, seen !== null);
  }
  for (const row of (await rowsIn(world, 'vps_volumes')) as unknown as VolumeRow[])
    faults.push(...(await volumeFaults(world, row)));
  for (const row of (await rowsIn(world, 'firewalls')) as unknown as FirewallRow[])
    faults.push(...(await firewallFaults(world, row)));
  for (const row of (await rowsIn(world, 'vm_backups')) as unknown as BackupRow[])
    faults.push(...(await backupFaults(world, row)));
  for (const row of (await rowsIn(world, 'vpn_gateways')) as unknown as VpnGatewayRow[])
    faults.push(...(await gatewayFaults(world, row)));
  for (const row of (await rowsIn(world, 'vps_images')) as (Row & { locations: string[] })[])
    for (const location of row.locations) {
      const seen = await engineOf(world, location).observeImage({ account, id: row.id });
      say('image', row, seen !== null);
    }
  for (const row of (await rowsIn(world, 'vps_isos')) as (Row & { locations: string[] })[])
    for (const location of row.locations) {
      const seen = await engineOf(world, location).observeIso({ account, id: row.id });
      say('ISO', row, seen !== null);
    }
  return faults;
}

async function disagreements(world: World): Promise<string[]> {
  const faults: string[] = [];
  for (const vm of (await rowsIn(world, 'vms')) as unknown as VmRow[])
    faults.push(...(await vmFaults(world, vm)));
  return [...faults, ...(await presenceFaults(world))];
}

/**
 * Finds ephemeral or attached addresses that the account still holds, which must be released with their machine, and
 * parts of backups that were deleted.
 */
async function leftovers({ app, account }: World): Promise<string[]> {
  const addresses = await app.services.db
    .selectFrom('public_addresses')
    .select('id')
    .where('account_id', '=', account.id)
    .where((where) => where.or([where('kind', '=', 'ephemeral'), where('vm_id', 'is not', null)]))
    .execute();
  const parts: string[] = [];
  for (const store of objectsPort.engines(app.services).all)
    parts.push(...(await store.list(`${account.id}/`)).map(({ key }) => `deleted, but ${key} is stored`));
  return [...(addresses.length > 0 ? ['deleted, but its addresses are held'] : []), ...parts];
}

export const fixture: Fixture = {
  agreement: {
    family: 'flexible-vps',
    disagreements,
    leftovers,
    // Deleted in this order: machines and gateways before the volumes, firewalls, networks, images and ISOs that they use.
    collections: {
      vms: 'vms',
      vps_volumes: 'volumes',
      firewalls: 'firewalls',
      vpn_gateways: 'vpn-gateways',
      vps_networks: 'networks',
      vps_images: 'images',
      vps_isos: 'isos',
      vm_backups: 'backups',
    },
  },
};
