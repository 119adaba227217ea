/**
 * The routes of a private network. The router of the network has them, so they work for every machine that uses it.
 * Machines are told of IPv4 routes by DHCP, and of IPv6 routes by the advertisements of the router. Incus has no
 * setting for routes of a router; it keeps those that it did not create.
 */
import { isIPv4, isIPv6 } from 'node:net';
import type { NetworkSpec, Route } from '../../network.ts';
import type { LogicalNetwork } from './logical-network.ts';
import {
  isLabelled,
  isNamed,
  mapOf,
  type Northbound,
  named,
  type Operation,
  type Row,
  readMap,
  readUuid,
  type Strings,
  setOf,
  unlessChanged,
  update,
  uuid,
} from './northbound.ts';

const DEFAULT4 = '0.0.0.0/0';
const LABEL = 'hostplane-network';

/** Incus manages the default routes of the router. */
const isSpecific = ({ destination }: Route): boolean => !destination.endsWith('/0');

/**
 * Destinations and next hops for DHCP. A client that receives classless routes ignores the router option (RFC 3442),
 * so the default route is listed among the routes.
 */
export function routeList({ routes, nat, ipv4Gateway }: NetworkSpec): string[] {
  const v4 = routes.filter(({ nextHop }) => isIPv4(nextHop));
  if (v4.length === 0) return [];
  const hasDefault = v4.some((route) => !isSpecific(route));
  const all = [...(nat.ipv4 && !hasDefault ? [{ destination: DEFAULT4, nextHop: ipv4Gateway }] : []), ...v4];
  return all.flatMap(({ destination, nextHop }) => [destination, nextHop]);
}

const textOf = (destination: unknown, nextHop: unknown): string => `${destination} ${nextHop}`;

export async function ensureRoutes(
  northbound: Northbound,
  { router, routerPort, prefix }: LogicalNetwork,
  { routes }: NetworkSpec,
  signal?: AbortSignal,
): Promise<void> {
  const columns = ['ip_prefix', 'nexthop'];
  const [[found], present] = await Promise.all([
    northbound.find('Logical_Router', [isNamed(router)], ['static_routes'], signal),
    northbound.find('Logical_Router_Static_Route', [isLabelled({ [LABEL]: prefix })], columns, signal),
  ]);
  if (found === undefined) return;
  const wanted = new Map(
    routes.filter(isSpecific).map((route) => [textOf(route.destination, route.nextHop), route]),
  );
  const textOfRow = ({ ip_prefix, nexthop }: Row): string => textOf(ip_prefix, nexthop);
  const gone = present.filter((row) => !wanted.has(textOfRow(row)));
  const there = new Set(present.map(textOfRow));
  const added = [...wanted].filter(([text]) => !there.has(text)).map(([, route]) => route);
  if (gone.length === 0 && added.length === 0) return;
  const inserts = added.map(
    ({ destination, nextHop }, i): Operation => ({
      op: 'insert',
      table: 'Logical_Router_Static_Route',
      row: {
        ip_prefix: destination,
        nexthop: nextHop,
        output_port: routerPort,
        external_ids: mapOf({ [LABEL]: prefix }),
      },
      'uuid-name': `route${i}`,
    }),
  );
  const mutations = [
    ['static_routes', 'delete', setOf(gone.map(readUuid).map(uuid))],
    ['static_routes', 'insert', setOf(added.map((_, i) => named(`route${i}`)))],
  ];
  const where = [isNamed(router)];
  await northbound.change([...inserts, { op: 'mutate', table: 'Logical_Router', where, mutations }], signal);
}

/** Sets the options of a row that are ours; null removes one. The others stay as Incus set them. */
async function ensureOptions(
  northbound: Northbound,
  table: string,
  row: Row | undefined,
  column: string,
  ours: Readonly<Record<string, string | null>>,
  signal?: AbortSignal,
): Promise<void> {
  if (row === undefined) return;
  const before = readMap(row[column]);
  if (Object.entries(ours).every(([name, value]) => (before[name] ?? null) === value)) return;
  const all = Object.entries({ ...before, ...ours }).filter(([, value]) => value !== null);
  const after = mapOf(Object.fromEntries(all) as Strings);
  const id = readUuid(row);
  await northbound.change(
    [unlessChanged(table, id, column, row[column]), update(table, id, { [column]: after })],
    signal,
  );
}

/**
 * What machines are told of the router. Without NAT they must not use it as their default router. With NAT the
 * preference of its advertisements is low, so that machines with a public interface use that one.
 */
export async function ensureAnnouncements(
  northbound: Northbound,
  network: LogicalNetwork,
  { ipv4Cidr, ipv4Gateway, ipv6Cidr, nat, routes }: NetworkSpec,
  signal?: AbortSignal,
): Promise<void> {
  const options = await northbound.find(
    'DHCP_Options',
    [['cidr', '==', ipv4Cidr]],
    ['options', 'external_ids'],
    signal,
  );
  const own = options.find((row) => Object.values(readMap(row.external_ids)).includes(network.switch));
  const router = { router: nat.ipv4 ? ipv4Gateway : null };
  await ensureOptions(northbound, 'DHCP_Options', own, 'options', router, signal);
  if (ipv6Cidr === null) return;
  const v6 = routes.filter((route) => isIPv6(route.nextHop) && isSpecific(route));
  const [port] = await northbound.find(
    'Logical_Router_Port',
    [isNamed(network.routerPort)],
    ['ipv6_ra_configs'],
    signal,
  );
  const isNeeded = nat.ipv6 || v6.length > 0;
  const advertised = {
    send_periodic: String(isNeeded),
    address_mode: isNeeded ? 'dhcpv6_stateful' : null,
    router_preference: 'LOW',
    route_info: v6.length === 0 ? null : v6.map(({ destination }) => `LOW-${destination}`).join(','),
  };
  await ensureOptions(northbound, 'Logical_Router_Port', port, 'ipv6_ra_configs', advertised, signal);
}
