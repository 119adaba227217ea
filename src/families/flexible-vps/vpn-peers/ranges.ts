/** The subnets behind site peers, and the tunnel addresses of all peers. */
import { parseAddress } from '../../../kernel/net/address.ts';
import { parseCidr as parseLenient } from '../../../kernel/net/cidr.ts';
import { type FieldError, Problem } from '../../../kernel/problems/problem.ts';
import type { Db } from '../../../store/database.ts';
import { addressAt, indexOf, overlaps, sizeOf } from '../networks/addresses.ts';
import { plainAddress } from '../vpn-gateways/present.ts';
import type { NamedRange } from '../vpn-gateways/rules.ts';
import { networksOf } from '../vpn-gateways/store.ts';
import type { VpnGatewayRow } from '../vpn-gateways/table.ts';
import { peersOf } from './store.ts';
import type { VpnPeerRow } from './table.ts';

const rangesOfPeer = ({ id, name, routed_cidrs }: VpnPeerRow): NamedRange[] =>
  routed_cidrs.map((range) => ({ id, what: `the peer ${name}`, range }));

export const peerRanges = async (db: Db, gatewayId: string): Promise<NamedRange[]> =>
  (await peersOf(db, gatewayId)).flatMap(rangesOfPeer);

const canonicalRange = (range: string): string => parseLenient(range)?.cidr.text ?? range;

export const canonicalRanges = (ranges: readonly string[]): string[] => ranges.map(canonicalRange);

export function routedFaults(ranges: readonly string[]): FieldError[] {
  const seen = new Set<string>();
  return ranges.flatMap((text, i): FieldError[] => {
    const pointer = `/routed_cidrs/${i}`;
    const range = canonicalRange(text);
    const isTwice = seen.has(range);
    seen.add(range);
    return isTwice ? [{ pointer, code: 'not_unique', detail: 'This range is named twice.' }] : [];
  });
}

/** Throws 409 if a subnet overlaps another one, a joined network or the tunnel. */
export async function refuseRoutedOverlap(
  db: Db,
  gateway: VpnGatewayRow,
  { id, ranges }: { readonly id: string | null; readonly ranges: readonly string[] },
): Promise<void> {
  if (ranges.length === 0) return;
  const networks = (await networksOf(db, gateway.id)).filter(({ state }) => state !== 'leaving');
  const others: NamedRange[] = [
    ...(await peersOf(db, gateway.id)).filter((peer) => peer.id !== id).flatMap(rangesOfPeer),
    ...networks.flatMap(({ network_id, name, ipv4_cidr, ipv6_cidr }) =>
      [ipv4_cidr, ...(ipv6_cidr === null ? [] : [ipv6_cidr])].map((range) => ({
        id: network_id,
        what: `the network ${name}`,
        range,
      })),
    ),
    ...[gateway.tunnel_ipv4_cidr, gateway.tunnel_ipv6_cidr].flatMap((range) =>
      range === null ? [] : [{ id: gateway.id, what: 'the tunnel', range }],
    ),
  ];
  const named = ranges.map((range, n): NamedRange => ({ id, what: `routed_cidrs/${n}`, range }));
  for (const [n, one] of named.entries())
    for (const other of [...named.slice(n + 1), ...others])
      if (overlaps(one.range, other.range))
        throw new Problem('cidr_overlap', {
          detail: `${one.range} overlaps ${other.range} of ${other.what}.`,
          extra: { existing_id: other.id },
        });
}

/** The network address, the address of the gateway and the broadcast address are no peer's. */
const FIRST = 2n;
const usable = (pool: string): bigint => sizeOf(pool) - FIRST - 1n;

/** The faults of a tunnel address that the caller chose. */
export function tunnelAddressFaults(pool: string, text: string | undefined): FieldError[] {
  if (text === undefined) return [];
  const parsed = parseAddress(text);
  const index = parsed?.family === 4 ? indexOf(pool, parsed.text) : null;
  if (index !== null && index >= FIRST && index < sizeOf(pool) - 1n) return [];
  const detail = `Choose an address in ${pool} that is neither its first two nor its last.`;
  return [{ pointer: '/tunnel_ipv4', code: 'out_of_range', detail }];
}

/** The lowest free tunnel address. Throws 409 if all are in use. */
export function freeTunnelAddress(pool: string, peers: readonly Pick<VpnPeerRow, 'tunnel_ipv4'>[]): string {
  const taken = new Set(peers.map(({ tunnel_ipv4 }) => plainAddress(tunnel_ipv4)));
  for (let index = FIRST; index < sizeOf(pool) - 1n; index++) {
    const address = addressAt(pool, index);
    if (!taken.has(address)) return address;
  }
  const limit = Number(usable(pool));
  throw new Problem('quota_exceeded', {
    detail: `All addresses of the tunnel (${pool}) are in use.`,
    nextStep: 'Delete peers that are no longer needed, or create a gateway with a larger tunnel_ipv4_cidr.',
    extra: { limit_id: 'flexible-vps.peers-per-vpn-gateway', limit, used: limit, requested: 1 },
  });
}

/** The IPv6 address at the same index as the IPv4 address. */
export function ipv6For({ tunnel_ipv4_cidr, tunnel_ipv6_cidr }: VpnGatewayRow, ipv4: string): string | null {
  return tunnel_ipv6_cidr === null
    ? null
    : addressAt(tunnel_ipv6_cidr, indexOf(tunnel_ipv4_cidr, ipv4) ?? 0n);
}
