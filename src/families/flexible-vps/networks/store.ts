import { randomInt } from 'node:crypto';
import { type Insertable, sql } from 'kysely';
import { rowsOf } from '../../../resources/owned/store.ts';
import type { Db, Tables } from '../../../store/database.ts';
import { localPrefix, usableRange } from './addresses.ts';
import { MOST_IN_USE, type Settings } from './schema.ts';
import type { NetworkRow } from './table.ts';

/** Attaching an interface and deleting the network both take the lock, so that neither misses the other's change. */
export const { find: readNetwork, lock: lockNetwork, read: readNetworkRow } = rowsOf('vps_networks');

/** The lowest free IPv4 address; null when all are in use. Locks the network until the transaction ends. */
export async function pickFreeAddress(
  db: Db,
  { id, account_id, ipv4_cidr }: Pick<NetworkRow, 'id' | 'account_id' | 'ipv4_cidr'>,
): Promise<string | null> {
  await lockNetwork(db, account_id, id);
  const { first, last } = usableRange(ipv4_cidr);
  // The lowest free address is the first usable one, or follows directly after one in use.
  const { rows } = await sql<{ address: string | null }>`
    select host(min(address)) as address from (
      select ${first}::inet as address
      union all
      select address + 1 from network_addresses where network_id = ${id} and family(address) = 4) candidates
    where address between ${first}::inet and ${last}::inet and not exists (
      select from network_addresses taken where taken.network_id = ${id} and taken.address = candidates.address)`.execute(
    db,
  );
  return rows[0]?.address ?? null;
}

export interface AddressInUse {
  readonly address: string;
  readonly vm_id: string | null;
  readonly interface_id: string | null;
  readonly gateway_id: string | null;
}

export const ipv4Used = sql<number>`(
  select count(*) from network_addresses a where a.network_id = vps_networks.id and family(a.address) = 4)`;

export const addressesInUse = sql<AddressInUse[]>`(
  select coalesce(jsonb_agg(jsonb_build_object(
    'address', host(held.address), 'vm_id', held.vm_id, 'interface_id', held.interface_id,
    'gateway_id', held.gateway_id) order by held.address), '[]')
  from (
    select a.address, a.interface_id, a.gateway_id, i.vm_id from network_addresses a
    left join vm_interfaces i on i.id = a.interface_id
    where a.network_id = vps_networks.id order by a.address limit ${MOST_IN_USE}) held)`;

/** Conditions of a list: networks in which the machine is not. */
export const withoutVm = (vmId: string | undefined) =>
  vmId === undefined
    ? []
    : [
        sql<boolean>`not exists (
          select from vm_interfaces i where i.vm_id = ${vmId} and i.network_id = vps_networks.id)`,
      ];

/** Conditions of a list: networks that the VPN gateway can lead into. */
export const reachableFrom = (gatewayId: string | undefined) =>
  gatewayId === undefined
    ? []
    : [
        sql<boolean>`exists (
          select from vpn_gateways g
          where g.id = ${gatewayId} and g.account_id = vps_networks.account_id
            and g.location = vps_networks.location and not g.tunnel_ipv4_cidr && vps_networks.ipv4_cidr)`,
      ];

export async function countUsed(db: Db, id: string): Promise<number> {
  const row = await db
    .selectFrom('network_addresses')
    .select(sql<number>`count(*)`.as('used'))
    .where('network_id', '=', id)
    .where(sql<boolean>`family(address) = 4`)
    .executeTakeFirstOrThrow();
  return row.used;
}

export async function findOverlapping(
  db: Db,
  { account_id, location, id, ipv4_cidr }: NetworkRow,
): Promise<{ id: string; name: string; ipv4_cidr: string }[]> {
  return db
    .selectFrom('vps_networks')
    .select(['id', 'name', 'ipv4_cidr'])
    .where('account_id', '=', account_id)
    .where('location', '=', location)
    .where('id', '<>', id)
    .where(sql<boolean>`ipv4_cidr && ${ipv4_cidr}::cidr`)
    .orderBy('id')
    .execute();
}

/**
 * Whether a network of any account in the location overlaps this range. Networks in `error` do not count, because
 * they have no addresses. A lock makes other calls that need a range in the location wait until the transaction
 * ends.
 */
export async function isRangeTaken(
  db: Db,
  { location, ipv4_cidr }: Pick<NetworkRow, 'location' | 'ipv4_cidr'>,
): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`network ranges ${location}`}, 0))`.execute(db);
  const found = await db
    .selectFrom('vps_networks')
    .select('id')
    .where('location', '=', location)
    .where('status', '<>', 'error')
    .where(sql<boolean>`ipv4_cidr && ${ipv4_cidr}::cidr`)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

export const settingsColumns = ({ nat, dns, routes }: Settings) => ({
  nat,
  dns,
  routes: sql<Settings['routes']>`${JSON.stringify(routes)}::jsonb`,
});

const SUBNETS = 1 << 16;
const MOST_TRIES = 100;

/** Picks an IPv6 prefix that no other network has, also when several calls pick one at the same time. */
export async function insertNetwork(
  db: Db,
  row: Omit<Insertable<Tables['vps_networks']>, 'ipv6_cidr' | keyof Settings>,
  settings: Settings,
  wants: { readonly ipv6: boolean },
): Promise<NetworkRow> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const ipv6_cidr = wants.ipv6 ? localPrefix(row.account_id, randomInt(SUBNETS)) : null;
    const inserted = await db
      .insertInto('vps_networks')
      .values({ ...row, ...settingsColumns(settings), ipv6_cidr })
      .onConflict((conflict) => conflict.column('ipv6_cidr').doNothing())
      .returningAll()
      .executeTakeFirst();
    if (inserted !== undefined) return inserted;
  }
  throw new Error(`No free prefix was found for ${row.account_id}.`);
}

export interface NetworkUser {
  readonly interface_id: string;
  readonly vm_id: string;
  readonly vm_name: string;
  /** The interface is being detached or its machine is being deleted, so it leaves the network by itself. */
  readonly is_leaving: boolean;
}

export async function readUsers(db: Db, networkId: string): Promise<NetworkUser[]> {
  return db
    .selectFrom('vm_interfaces')
    .innerJoin('vms', 'vms.id', 'vm_interfaces.vm_id')
    .select([
      'vm_interfaces.id as interface_id',
      'vms.id as vm_id',
      'vms.name as vm_name',
      sql<boolean>`vm_interfaces.status = 'detaching' or vms.status = 'deleting'`.as('is_leaving'),
    ])
    .where('vm_interfaces.network_id', '=', networkId)
    .orderBy('vm_interfaces.id')
    .execute();
}
