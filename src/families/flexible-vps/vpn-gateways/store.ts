import { randomInt } from 'node:crypto';
import { type Insertable, sql } from 'kysely';
import type { Ref } from '../../../engines/compute/port.ts';
import { rowsOf } from '../../../resources/owned/store.ts';
import type { Db, Tables } from '../../../store/database.ts';
import { localPrefix } from '../networks/addresses.ts';
import type { GatewayNetworkRow, VpnGatewayRow } from './table.ts';

/** Calls that change peers take the lock, so that they see each other's peers. */
export const { find: readOwnGateway, lock: lockGateway, read: readGateway } = rowsOf('vpn_gateways');

/** What answers show beside the columns of the row. */
export interface GatewayParts {
  readonly network_ids: readonly string[];
  readonly peer_count: number;
}

const networkIds = sql<readonly string[]>`(
  select coalesce(jsonb_agg(n.network_id order by n.rank), '[]') from vpn_gateway_networks n
  where n.gateway_id = vpn_gateways.id and n.state <> 'leaving')`;
const peerCount = sql<number>`(
  select count(*) from vpn_peers p where p.gateway_id = vpn_gateways.id)`;

export const gatewayParts = { network_ids: networkIds, peer_count: peerCount };

/** The condition of a list: gateways that lead into the network. */
export const leadsInto = (networkId: string) => sql<boolean>`exists (
  select from vpn_gateway_networks n
  where n.network_id = ${networkId} and n.gateway_id = vpn_gateways.id and n.state <> 'leaving')`;

export async function readParts(db: Db, id: string): Promise<GatewayParts> {
  return db
    .selectFrom('vpn_gateways')
    .select([networkIds.as('network_ids'), peerCount.as('peer_count')])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
}

/** Whether the account has the gateway in this location. */
export async function isGatewayAt(db: Db, { account, id }: Ref, location: string): Promise<boolean> {
  const row = await readOwnGateway(db, account, id);
  return row?.location === location;
}

/** In batches, in the order of the ids. */
export async function* gatewaysAt(db: Db, location: string): AsyncGenerator<VpnGatewayRow[]> {
  const AT_ONCE = 100;
  for (let after = ''; ; ) {
    const rows = await db
      .selectFrom('vpn_gateways')
      .selectAll()
      .where('location', '=', location)
      .where('id', '>', after)
      .orderBy('id')
      .limit(AT_ONCE)
      .execute();
    if (rows.length > 0) yield rows;
    if (rows.length < AT_ONCE) return;
    after = rows.at(-1)?.id ?? '';
  }
}

/** A private interface of a gateway with its addresses. */
export type GatewayNetwork = GatewayNetworkRow & {
  readonly name: string;
  readonly ipv4_cidr: string;
  readonly ipv6_cidr: string | null;
  readonly addresses: readonly { readonly address: string; readonly role: string }[];
};

export function networksOf(db: Db, gatewayId: string): Promise<GatewayNetwork[]> {
  return db
    .selectFrom('vpn_gateway_networks')
    .innerJoin('vps_networks', 'vps_networks.id', 'vpn_gateway_networks.network_id')
    .selectAll('vpn_gateway_networks')
    .select([
      'vps_networks.name',
      'vps_networks.ipv4_cidr',
      'vps_networks.ipv6_cidr',
      sql<GatewayNetwork['addresses']>`(
        select coalesce(jsonb_agg(jsonb_build_object('address', host(a.address), 'role', a.role)), '[]')
        from network_addresses a
        where a.network_id = vpn_gateway_networks.network_id and a.gateway_id = vpn_gateway_networks.gateway_id)`.as(
        'addresses',
      ),
    ])
    .where('vpn_gateway_networks.gateway_id', '=', gatewayId)
    .orderBy('vpn_gateway_networks.rank')
    .execute();
}

export async function joinNetwork(db: Db, row: Insertable<Tables['vpn_gateway_networks']>): Promise<void> {
  await db.insertInto('vpn_gateway_networks').values(row).execute();
}

export async function setNetworkState(
  db: Db,
  { gateway_id, network_id }: Pick<GatewayNetworkRow, 'gateway_id' | 'network_id'>,
  change: Partial<Pick<GatewayNetworkRow, 'state' | 'rank'>>,
): Promise<void> {
  await db
    .updateTable('vpn_gateway_networks')
    .set(change)
    .where('gateway_id', '=', gateway_id)
    .where('network_id', '=', network_id)
    .execute();
}

/** The networks of a gateway after an operation has joined and left them. */
export async function settleNetworks(db: Db, gatewayId: string): Promise<void> {
  await sql`
    delete from network_addresses a using vpn_gateway_networks n
    where n.gateway_id = ${gatewayId} and n.state = 'leaving'
      and a.network_id = n.network_id and a.gateway_id = n.gateway_id`.execute(db);
  await db
    .deleteFrom('vpn_gateway_networks')
    .where('gateway_id', '=', gatewayId)
    .where('state', '=', 'leaving')
    .execute();
  await db
    .updateTable('vpn_gateway_networks')
    .set({ state: 'joined' })
    .where('gateway_id', '=', gatewayId)
    .execute();
}

interface GatewayUser {
  readonly id: string;
  readonly name: string;
  /** The gateway leaves the network by itself, or is being deleted. */
  readonly is_leaving: boolean;
}

/** The gateways that are in a network. */
export function gatewaysIn(db: Db, networkId: string): Promise<GatewayUser[]> {
  return db
    .selectFrom('vpn_gateway_networks')
    .innerJoin('vpn_gateways', 'vpn_gateways.id', 'vpn_gateway_networks.gateway_id')
    .select([
      'vpn_gateways.id',
      'vpn_gateways.name',
      sql<boolean>`vpn_gateway_networks.state = 'leaving' or vpn_gateways.status = 'deleting'`.as(
        'is_leaving',
      ),
    ])
    .where('vpn_gateway_networks.network_id', '=', networkId)
    .orderBy('vpn_gateways.id')
    .execute();
}

/** The ranges of the account's networks and tunnels in the location, which a new tunnel avoids. */
export async function rangesAt(db: Db, accountId: string, location: string): Promise<string[]> {
  const { rows } = await sql<{ range: string }>`
    select ipv4_cidr::text as range from vps_networks where account_id = ${accountId} and location = ${location}
    union all
    select tunnel_ipv4_cidr::text from vpn_gateways
    where account_id = ${accountId} and location = ${location}`.execute(db);
  return rows.map(({ range }) => range);
}

const SUBNETS = 1 << 16;

/** A /64 of the account that none of its networks and tunnels has. */
export async function freePrefix(db: Db, accountId: string): Promise<string> {
  for (;;) {
    const prefix = localPrefix(accountId, randomInt(SUBNETS));
    const { rows } = await sql<{ taken: boolean }>`
      select exists (select from vps_networks where account_id = ${accountId} and ipv6_cidr = ${prefix}::cidr)
        or exists (select from vpn_gateways where account_id = ${accountId} and tunnel_ipv6_cidr = ${prefix}::cidr)
        as taken`.execute(db);
    if (rows[0]?.taken === false) return prefix;
  }
}
