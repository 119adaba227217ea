/**
 * Private networks on OVN: each has a logical switch and a router of its own, on all members of a cluster. So two
 * networks may have the same addresses. What Incus cannot set is written into the northbound database afterwards.
 */
import { cidrCovers, parseCidr } from '../../../../kernel/net/cidr.ts';
import { CapabilityMissing, EngineRefused, EngineUnreachable } from '../../../errors.ts';
import type { NetworkSpec } from '../../network.ts';
import { askOrNull, type NetworkKind, type Site } from '../driver-context.ts';
import { ensureBoundary } from './boundary.ts';
import { findLogical } from './logical-network.ts';
import { ensureAnnouncements, ensureRoutes, routeList } from './routing.ts';
import { removeGroups } from './rules.ts';

const prefixOf = (cidr: string): string => cidr.split('/')[1] ?? '';

/**
 * For Incus, every network has NAT: one without NAT would have to lie in a public range of the uplink, and no other
 * could have its addresses. A network without internet access is closed by rules instead (`boundary.ts`).
 */
function configOf(uplink: string, spec: NetworkSpec): Record<string, string> {
  const { ipv4Cidr, ipv4Gateway, ipv6Cidr, dns, mtu } = spec;
  if (spec.routes.some(({ destination }) => destination === '::/0'))
    throw new CapabilityMissing(
      'ipv6Routes',
      'Networks of this location cannot have another default route for IPv6.',
    );
  const routes = routeList(spec);
  return {
    network: uplink,
    'ipv4.address': `${ipv4Gateway}/${prefixOf(ipv4Cidr)}`,
    'ipv4.nat': 'true',
    // The gateway is the first address of the range.
    'ipv6.address': ipv6Cidr === null ? 'none' : ipv6Cidr.replace(/::\//, '::1/'),
    ...(ipv6Cidr === null ? {} : { 'ipv6.nat': 'true', 'ipv6.dhcp.stateful': 'true' }),
    'bridge.mtu': String(mtu),
    ...(dns.domain === null ? {} : { 'dns.domain': dns.domain }),
    ...(dns.servers.length === 0 ? {} : { 'dns.nameservers': dns.servers.join(',') }),
    ...(routes.length === 0 ? {} : { 'ipv4.dhcp.routes': routes.join(',') }),
  };
}

interface Uplink {
  readonly config: Readonly<Record<string, string | undefined>>;
}

const KEYS = ['ipv4.gateway', 'ipv4.address', 'ipv6.gateway', 'ipv6.address'] as const;

function overlap(a: string, b: string): boolean {
  const [one, other] = [parseCidr(a)?.cidr, parseCidr(b)?.cidr];
  if (one === undefined || other === undefined) return false;
  return cidrCovers(one, other) || cidrCovers(other, one);
}

/** The router of a network is connected to the uplink, so the network cannot have the addresses of the uplink. */
async function refuseUplinkRange(
  { client }: Site,
  uplink: string,
  { ipv4Cidr, ipv6Cidr }: NetworkSpec,
  signal?: AbortSignal,
): Promise<void> {
  const found = await askOrNull(() => client.ask<Uplink>('GET', `/1.0/networks/${uplink}`, { signal }));
  if (found === null)
    throw new EngineRefused('engine_failed', 'The uplink of private networks is missing. Ask the provider.');
  const { config } = found;
  for (const range of [ipv4Cidr, ipv6Cidr])
    if (range !== null && KEYS.some((key) => overlap(range, config[key] ?? '')))
      throw new EngineRefused(
        'address_taken',
        `Addresses of ${range} are in use by the provider in this location. Choose another range.`,
      );
}

/** `northbound` is that of the site, which is not null where this kind is used. */
export function ovnNetworks(uplink: string, northbound: NonNullable<Site['northbound']>): NetworkKind {
  return {
    type: 'ovn',
    configOf: (_, spec) => configOf(uplink, spec),
    async prepare(site, _, spec, signal) {
      await refuseUplinkRange(site, uplink, spec, signal);
    },
    confirm: async () => undefined,
    async complete({ client }, name, spec, signal) {
      const network = await findLogical({ client, northbound }, name, signal);
      if (network === null)
        throw new EngineUnreachable('The network was removed while it was being changed.');
      await ensureBoundary(northbound, network, spec, signal);
      await ensureRoutes(northbound, network, spec, signal);
      await ensureAnnouncements(northbound, network, spec, signal);
    },
    clear: (name, signal) => removeGroups(northbound, name, signal),
    // Some versions of Incus list users incompletely (6.0.3 to 6.0.5).
    tellsUsers: false,
  };
}
