/**
 * The boundary between a private network and the uplink. Nothing gets in from outside: whoever is on the uplink could
 * send packets for private addresses straight to the router, which would forward them. Answers to machines arrive
 * with the router's own address and pass. Without NAT, nothing gets out either.
 */
import type { NetworkSpec } from '../../network.ts';
import type { LogicalNetwork } from './logical-network.ts';
import type { Northbound } from './northbound.ts';
import { ensureRules, groupOf, priorities, type Rule } from './rules.ts';

const drop = (match: string): Rule => ({
  direction: 'from-lport',
  priority: priorities.always,
  match,
  action: 'drop',
});

export async function ensureBoundary(
  northbound: Northbound,
  network: LogicalNetwork,
  { ipv4Cidr, ipv6Cidr, nat }: NetworkSpec,
  signal?: AbortSignal,
): Promise<void> {
  const arriving = `inport == "${network.outside.uplinkPort}"`;
  const leaving = `inport == "${network.outside.routerPort}"`;
  const rules = [
    drop(`${arriving} && ip4.dst == ${ipv4Cidr}`),
    ...(ipv6Cidr === null ? [] : [drop(`${arriving} && ip6.dst == ${ipv6Cidr}`)]),
    ...(nat.ipv4 ? [] : [drop(`${leaving} && ip4`)]),
    ...(nat.ipv6 ? [] : [drop(`${leaving} && ip6`)]),
  ];
  const set = { subject: 'boundary', machine: null, rules };
  await ensureRules(northbound, groupOf(network, 'outside'), [set], signal);
}
