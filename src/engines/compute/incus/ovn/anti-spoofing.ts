/**
 * Keeps a machine in a private network from sending with addresses of others. Incus sets nothing of the kind in OVN.
 * There are two parts. A rule that names the port: it holds from the first packet on, also after a restart that only
 * the engine knows of. And the port security of the port: it also covers neighbour discovery, which passes all rules
 * as soon as a network has stateful ones, but Incus creates the port without it at each start.
 */
import { parseAddress } from '../../../../kernel/net/address.ts';
import type { Nic } from '../../instance.ts';
import { isNamed, type Northbound, setOf } from './northbound.ts';
import { priorities, type Rule, type RuleSet } from './rules.ts';

const ROUTER_ADVERTISEMENT = 134;

const isV6 = (text: string): boolean => text.includes(':');

/** The link-local address that a guest derives from its hardware address (EUI-64). */
function linkLocalOf(mac: string): string {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = mac.split(':').map((byte) => Number.parseInt(byte, 16));
  const groups = [((a ^ 2) << 8) | b, (c << 8) | 0xff, 0xfe00 | d, (e << 8) | f];
  const text = `fe80::${groups.map((group) => group.toString(16)).join(':')}`;
  return parseAddress(text)?.text ?? text;
}

function addressesOf({ ipv4, ipv6, aliases }: Nic): { readonly v4: string[]; readonly v6: string[] } {
  const all = [...(ipv4 === null ? [] : [ipv4]), ...(ipv6 === null ? [] : [ipv6]), ...aliases];
  return { v4: all.filter((each) => !isV6(each)), v6: all.filter(isV6) };
}

/** The subject of the rules for one interface, by which they are removed with it. */
export const subjectOf = (nicId: string): string => `sources ${nicId}`;

const list = (values: readonly string[]): string => `{${values.join(', ')}}`;

/**
 * Allows packets with an own source and drops all others. A guest without an address yet sends from `0.0.0.0` or `::`.
 * Only the router announces routes. The rules say what is allowed, not what is foreign: OVN needs a flow for each bit
 * of an address that must differ. They are in the second table, so that they allow nothing that a firewall drops.
 */
export function sourceRules(port: string, machine: string, nic: Nic): RuleSet {
  const subject = subjectOf(nic.id);
  if (!nic.antiSpoofing) return { subject, machine, rules: [] };
  const mac = nic.mac.toLowerCase();
  const { v4, v6 } = addressesOf(nic);
  const own = [
    ...(v4.length === 0 ? [] : [`ip4.src == ${list(v4)}`]),
    `(arp.sha == ${mac} && arp.spa == ${list([...v4, '0.0.0.0'])})`,
    '(ip4.src == 0.0.0.0 && ip4.dst == 255.255.255.255 && udp.src == 68 && udp.dst == 67)',
    `ip6.src == ${list([linkLocalOf(mac), ...v6])}`,
    '(ip6.src == :: && ip6.dst == ff00::/8 && icmp6)',
  ];
  const rule = (above: number, match: string, action: Rule['action']): Rule => ({
    direction: 'from-lport',
    priority: priorities.always + above,
    match: `inport == "${port}"${match}`,
    action,
    isSecond: true,
  });
  const rules = [
    rule(2, ` && icmp6.type == ${ROUTER_ADVERTISEMENT}`, 'drop'),
    rule(1, ` && eth.src == ${mac} && (${own.join(' || ')})`, 'allow'),
    rule(0, '', 'drop'),
  ];
  return { subject, machine, rules };
}

/** Does nothing while the machine is off, because then there is no port. */
export async function securePort(
  northbound: Northbound,
  port: string,
  nic: Nic,
  signal?: AbortSignal,
): Promise<void> {
  const { v4, v6 } = addressesOf(nic);
  const allowed = nic.antiSpoofing ? [[nic.mac.toLowerCase(), ...v4, ...v6].join(' ')] : [];
  const row = { port_security: setOf(allowed) };
  await northbound.change(
    [{ op: 'update', table: 'Logical_Switch_Port', where: [isNamed(port)], row }],
    signal,
  );
}
