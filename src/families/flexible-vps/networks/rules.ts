/** Checks the members of a network beyond their schema. Each fault has a pointer to its member. */
import { parseAddress } from '../../../kernel/net/address.ts';
import { type Cidr, parseCidr as parseLenient } from '../../../kernel/net/cidr.ts';
import type { FieldError } from '../../../kernel/problems/problem.ts';
import { contains, parseCidr } from './addresses.ts';
import type { NetworkChange, Settings } from './schema.ts';

export const PRIVATE_RANGES = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10'];
const WIDEST = 16;
const NARROWEST = 28;

export function ipv4Faults(text: string, pointer: string): FieldError[] {
  const isPlain = text.includes('/') && !text.includes(':');
  const parsed = isPlain ? parseLenient(text) : null;
  if (parsed === null) {
    return [{ pointer, code: 'invalid_format', detail: 'Write an IPv4 range such as 10.10.0.0/24.' }];
  }
  const { cidr } = parsed;
  if (!parsed.exact) {
    const detail = `The address has bits set beyond /${cidr.prefix}; write ${cidr.text} if you mean the whole range.`;
    return [{ pointer, code: 'invalid_format', detail }];
  }
  if (cidr.prefix < WIDEST || cidr.prefix > NARROWEST) {
    return [{ pointer, code: 'out_of_range', detail: `From /${WIDEST} to /${NARROWEST}.` }];
  }
  if (!isPrivateRange(cidr)) {
    return [
      { pointer, code: 'out_of_range', detail: `Must lie inside one of ${PRIVATE_RANGES.join(', ')}.` },
    ];
  }
  return [];
}

/** Each of these is at least as wide as the widest network, so a range that begins in one also ends in it. */
export const isPrivateRange = ({ base }: Cidr): boolean =>
  PRIVATE_RANGES.some((range) => contains(range, base.text));

export function serverFaults(servers: readonly string[]): FieldError[] {
  return servers.flatMap((server, i) =>
    parseAddress(server) === null
      ? [
          {
            pointer: `/dns/servers/${i}`,
            code: 'invalid_format' as const,
            detail: 'Write one IPv4 or IPv6 address.',
          },
        ]
      : [],
  );
}

type NewRoute = NonNullable<NetworkChange['routes']>[number];

export interface Ranges {
  readonly ipv4_cidr: string;
  readonly ipv6_cidr: string | null;
}

function routeFaults({ destination, next_hop }: NewRoute, ranges: Ranges, pointer: string): FieldError[] {
  const faults: FieldError[] = [];
  const range = parseCidr(destination);
  if (range === null) {
    const detail = 'Write a range such as 192.168.50.0/24, with no bits set beyond its prefix.';
    faults.push({ pointer: `${pointer}/destination`, code: 'invalid_format', detail });
  }
  const hop = parseAddress(next_hop);
  if (hop === null) {
    const detail = 'Write one IPv4 or IPv6 address.';
    return [...faults, { pointer: `${pointer}/next_hop`, code: 'invalid_format', detail }];
  }
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
