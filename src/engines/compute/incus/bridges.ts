/**
 * Translates a `NetworkSpec` into the configuration of an engine bridge, including its DNS, DHCP and router
 * advertisement options.
 */
import { isIPv4, isIPv6 } from 'node:net';
import { CapabilityMissing } from '../../errors.ts';
import type { Ref } from '../instance.ts';
import type { NetworkSpec } from '../network.ts';
import { NO_IPV6_ROUTES } from './capabilities.ts';
import { networkNameOf } from './names.ts';

/** An ACL without rules: only its default actions matter, which drop ingress and allow egress. */
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
    // DNS names come from the machines' DHCP requests. With names managed by the engine, a machine could not have two
    // interfaces on this bridge.
    'dns.mode': 'dynamic',
    ...announced(networkNameOf(ref, 'bridge'), spec),
    'security.acls': outsideList.name,
    'security.acls.default.ingress.action': 'drop',
    'security.acls.default.egress.action': 'allow',
  };
}

/**
 * A DHCP client that receives classless routes ignores the router option (RFC 3442), so the default route is listed
 * among the routes.
 */
function routesOf({ routes, nat, ipv4Gateway }: NetworkSpec): readonly string[] {
  if (routes.some(({ nextHop }) => !isIPv4(nextHop)))
    throw new CapabilityMissing('ipv6Routes', NO_IPV6_ROUTES);
  if (routes.length === 0) return [];
  const all = [...(nat.ipv4 ? [{ destination: '0.0.0.0/0', nextHop: ipv4Gateway }] : []), ...routes];
  return all.flatMap(({ destination, nextHop }) => [destination, nextHop]);
}

/**
 * Extra lines for dnsmasq: DHCP options and router advertisements. An option without a value is not sent to the
 * machines.
 */
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
    // Set through dnsmasq, because LXD has no setting for routes as Incus does.
    ...(routes.length === 0 ? [] : [option('option:classless-static-route', routes)]),
    // With NAT, the router preference is low, so that machines with a public interface use that one for outbound
    // traffic. Without NAT, a lifetime of 0 keeps machines from using this bridge as their router.
    ...(hasIpv6 ? [`ra-param=${bridge},${nat.ipv6 ? 'low,60,1800' : '60,0'}`] : []),
  ];
  return lines.length === 0 ? {} : { 'raw.dnsmasq': lines.join('\n') };
}
