/** How a private network is written down as a bridge of the engine, and what its name server and DHCP tell the machines. */
import { isIPv4, isIPv6 } from 'node:net';
import { CapabilityMissing } from '../../errors.ts';
import type { Ref } from '../instance.ts';
import type { NetworkSpec } from '../network.ts';
import { networkNameOf } from './names.ts';

/** An access list without rules: all that counts is what happens to traffic that no rule is about. */
export const outsideList = {
  name: 'hostplane-private',
  description: 'Nothing gets into a private network from outside.',
  config: {},
  ingress: [],
  egress: [],
};

const prefixOf = (cidr: string): string => cidr.split('/')[1] ?? '';

export function bridgeConfigOf(ref: Ref, spec: NetworkSpec): Record<string, string> {
  const { ipv4Cidr, ipv4Gateway, ipv6Cidr, nat, dns, mtu } = spec;
  return {
    'ipv4.address': `${ipv4Gateway}/${prefixOf(ipv4Cidr)}`,
    'ipv4.nat': String(nat.ipv4),
    'ipv4.routing': String(nat.ipv4),
    // The gateway is the first address of the range.
    'ipv6.address': ipv6Cidr === null ? 'none' : ipv6Cidr.replace(/::\//, '::1/'),
    ...(ipv6Cidr === null
      ? {}
      : {
          'ipv6.nat': String(nat.ipv6),
          'ipv6.routing': String(nat.ipv6),
          'ipv6.dhcp.stateful': 'true',
        }),
    'bridge.mtu': String(mtu),
    ...(dns.domain === null ? {} : { 'dns.domain': dns.domain }),
    // Names that machines give themselves; else the engine lets none have two interfaces here.
    'dns.mode': 'dynamic',
    ...announced(networkNameOf(ref), spec),
    'security.acls': outsideList.name,
    'security.acls.default.ingress.action': 'drop',
    'security.acls.default.egress.action': 'allow',
  };
}

/** Who is told of routes heeds no gateway beside them: the way out has to be among them. */
function routesOf({ routes, nat, ipv4Gateway }: NetworkSpec): readonly string[] {
  if (routes.some(({ nextHop }) => !isIPv4(nextHop)))
    throw new CapabilityMissing('privateNetworks', 'Networks of this location announce IPv4 routes only.');
  if (routes.length === 0) return [];
  const all = [...(nat.ipv4 ? [{ destination: '0.0.0.0/0', nextHop: ipv4Gateway }] : []), ...routes];
  return all.flatMap(({ destination, nextHop }) => [destination, nextHop]);
}

/** An option without a value is left out of what machines are told. */
function announced(bridge: string, spec: NetworkSpec): Record<string, string> {
  const { ipv6Cidr, nat, dns } = spec;
  const { servers } = dns;
  const routes = routesOf(spec);
  const option = (name: string, values: readonly string[]): string =>
    `dhcp-option=${[name, ...values].join(',')}`;
  const hasIpv6 = ipv6Cidr !== null;
  const v4 = servers.filter((server) => isIPv4(server));
  const v6 = servers.filter((server) => isIPv6(server)).map((server) => `[${server}]`);
  const lines = [
    ...(servers.length > 0 ? [option('option:dns-server', v4)] : []),
    ...(servers.length > 0 && hasIpv6 ? [option('option6:dns-server', v6)] : []),
    ...(nat.ipv4 ? [] : [option('option:router', [])]),
    // Not by the setting that Incus has for it: LXD has none.
    ...(routes.length === 0 ? [] : [option('option:classless-static-route', routes)]),
    // Whoever has a public interface too is to leave by that one; without a way out here, nobody is to try.
    ...(hasIpv6 ? [`ra-param=${bridge},${nat.ipv6 ? 'low,60,1800' : '60,0'}`] : []),
  ];
  return lines.length === 0 ? {} : { 'raw.dnsmasq': lines.join('\n') };
}
