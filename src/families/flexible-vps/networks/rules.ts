/** Checks what depends on other members of a network: `src/kernel/net/` has already checked each address alone. */
import { parseAddress } from '../../../kernel/net/address.ts';
import type { FieldError } from '../../../kernel/problems/problem.ts';
import { contains, parseCidr } from './addresses.ts';
import type { NetworkChange, Settings } from './schema.ts';

type NewRoute = NonNullable<NetworkChange['routes']>[number];

export interface Ranges {
  readonly ipv4_cidr: string;
  readonly ipv6_cidr: string | null;
}

function routeFaults({ destination, next_hop }: NewRoute, ranges: Ranges, pointer: string): FieldError[] {
  const faults: FieldError[] = [];
  const range = parseCidr(destination);
  const hop = parseAddress(next_hop);
  if (hop === null) return faults;
  const own = hop.family === 4 ? ranges.ipv4_cidr : ranges.ipv6_cidr;
  if (own === null || !contains(own, next_hop)) {
    const detail = 'The next hop must be an address inside the network.';
    faults.push({ pointer: `${pointer}/next_hop`, code: 'out_of_range', detail });
  } else if (range !== null && range.base.family !== hop.family) {
    const detail = 'Destination and next hop must both be IPv4 or both IPv6.';
    faults.push({ pointer: `${pointer}/next_hop`, code: 'incompatible', detail });
  }
  return faults;
}

export function routesFaults(routes: readonly NewRoute[], ranges: Ranges): FieldError[] {
  const seen = new Set<string>();
  return routes.flatMap((route, i) => {
    const pointer = `/routes/${i}`;
    const faults = routeFaults(route, ranges, pointer);
    const destination = parseCidr(route.destination)?.text;
    if (destination === undefined) return faults;
    if (seen.has(destination)) {
      const detail = 'Another route has the same destination.';
      faults.push({ pointer: `${pointer}/destination`, code: 'not_unique', detail });
    }
    seen.add(destination);
    return faults;
  });
}

const canonicalAddress = (text: string): string => parseAddress(text)?.text ?? text;

/** The settings after a change. Omitted members keep their value; addresses are written in canonical form. */
export function changedSettings(
  now: Settings,
  { nat, dns, routes }: Pick<NetworkChange, 'nat' | 'dns' | 'routes'>,
): Settings {
  return {
    nat: { ipv4: nat?.ipv4 ?? now.nat.ipv4, ipv6: nat?.ipv6 ?? now.nat.ipv6 },
    dns: {
      servers: dns?.servers?.map(canonicalAddress) ?? now.dns.servers,
      domain: dns?.domain === undefined ? now.dns.domain : dns.domain,
    },
    routes:
      routes?.map(({ destination, next_hop, description = '' }) => ({
        destination: parseCidr(destination)?.text ?? destination,
        next_hop: canonicalAddress(next_hop),
        description,
      })) ?? now.routes,
  };
}

export const initialSettings: Settings = {
  nat: { ipv4: true, ipv6: false },
  dns: { servers: [], domain: null },
  routes: [],
};
