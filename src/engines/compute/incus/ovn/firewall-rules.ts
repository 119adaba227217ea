/**
 * The rules of a firewall for one network. A packet gets the decision of the rule with the highest priority, so the
 * kinds of rules are ordered: what drops wins over what allows, and both over the defaults of all firewalls. Within a
 * kind all rules decide the same, so the order of firewalls has no meaning.
 */
import type { FirewallRule, FirewallSpec } from '../../firewall.ts';
import { priorities, type Rule } from './rules.ts';

const order = {
  defaultAllow: priorities.firewall,
  defaultDrop: priorities.firewall + 100,
  allow: priorities.firewall + 200,
  drop: priorities.firewall + 300,
  /** Without an address, a machine could not use what its firewall allows. */
  addressing: priorities.firewall + 400,
  fromNameServer: priorities.firewall + 500,
} as const;

/** The names of the sets that have the addresses of a firewall's members. */
export interface AddressSets {
  readonly v4: string;
  readonly v6: string;
}

const set = (values: readonly (string | number)[]): string => `{${values.join(', ')}}`;
const anyOf = (parts: readonly string[]): string =>
  parts.length === 1 ? parts[0]! : `(${parts.join(' || ')})`;

const sides = {
  in: { pipeline: 'to-lport', port: 'outport', remote: 'src' },
  out: { pipeline: 'from-lport', port: 'inport', remote: 'dst' },
} as const;

function protocolOf({ protocol, ports, icmpType }: FirewallRule): string {
  if (protocol === 'any') return 'ip';
  if (protocol === 'icmp') return icmpType === null ? 'icmp4' : `icmp4.type == ${icmpType}`;
  if (protocol === 'icmpv6') return 'icmp6';
  if (ports.length === 0) return protocol;
  const field = `${protocol}.dst`;
  return anyOf(
    ports.map(({ from, to }) =>
      from === to ? `${field} == ${from}` : `(${field} >= ${from} && ${field} <= ${to})`,
    ),
  );
}

/** Null if no packet of the protocol can have such a remote. */
function remoteOf(
  { direction, protocol, remote }: FirewallRule,
  setsOf: (firewall: string) => AddressSets,
): string | null {
  if (remote === null) return '';
  const side = sides[direction].remote;
  const sets = remote.firewalls.map(setsOf);
  const v4 = remote.cidrs.filter((cidr) => !cidr.includes(':'));
  const v6 = remote.cidrs.filter((cidr) => cidr.includes(':'));
  const parts = [
    ...(protocol === 'icmpv6'
      ? []
      : [
          ...(v4.length === 0 ? [] : [`ip4.${side} == ${set(v4)}`]),
          ...sets.map((each) => `ip4.${side} == $${each.v4}`),
        ]),
    ...(protocol === 'icmp'
      ? []
      : [
          ...(v6.length === 0 ? [] : [`ip6.${side} == ${set(v6)}`]),
          ...sets.map((each) => `ip6.${side} == $${each.v6}`),
        ]),
  ];
  return parts.length === 0 ? null : ` && ${anyOf(parts)}`;
}

/**
 * OVN answers questions for names of machines itself, and for that it lets all UDP packets from port 53 pass to a
 * machine, before any rule is asked. So such packets are dropped where they enter the network, by the address of the
 * receiver. Answers of name servers among the machines pass, because they belong to a connection. What comes from the
 * router is not tracked (`ct.trk`) and stays out of this.
 */
function fromNameServer(
  { defaultIn, rules }: Pick<FirewallSpec, 'defaultIn' | 'rules'>,
  members: AddressSets,
  setsOf: (firewall: string) => AddressSets,
): Rule[] {
  const dropped = rules.filter(
    ({ direction, action, protocol }) =>
      direction === 'in' && action === 'drop' && ['udp', 'any'].includes(protocol),
  );
  const matches =
    defaultIn === 'drop'
      ? ['']
      : dropped.flatMap((rule) => {
          const remote = remoteOf(rule, setsOf);
          return remote === null ? [] : [` && ${protocolOf(rule)}${remote}`];
        });
  const toMembers = `(ip4.dst == $${members.v4} || ip6.dst == $${members.v6})`;
  return matches.map((match) => ({
    direction: 'from-lport',
    priority: order.fromNameServer,
    match: `ct.trk && udp.src == 53 && ${toMembers}${match}`,
    action: 'drop',
  }));
}

/** `ports` are the names of the members' ports, which need not exist. `own` has the addresses of the members. */
export function firewallRules(
  { defaultIn, defaultOut, rules }: Omit<FirewallSpec, 'members' | 'revision'>,
  ports: readonly string[],
  own: AddressSets,
  setsOf: (firewall: string) => AddressSets,
): Rule[] {
  if (ports.length === 0) return [];
  const names = set(ports.map((name) => `"${name}"`));
  const ruleFor = (
    direction: FirewallRule['direction'],
    priority: number,
    match: string,
    action: 'allow' | 'drop',
  ): Rule => ({
    direction: sides[direction].pipeline,
    priority,
    match: `${sides[direction].port} == ${names} && ${match}`,
    action: action === 'allow' ? 'allow-related' : 'drop',
  });
  const byDefault = (direction: FirewallRule['direction'], action: 'allow' | 'drop'): Rule =>
    ruleFor(direction, action === 'allow' ? order.defaultAllow : order.defaultDrop, 'ip', action);
  return [
    byDefault('in', defaultIn),
    byDefault('out', defaultOut),
    ruleFor('out', order.addressing, '(udp.src == 68 && udp.dst == 67 && ip4)', 'allow'),
    ruleFor('out', order.addressing, '(udp.src == 546 && udp.dst == 547 && ip6)', 'allow'),
    ...fromNameServer({ defaultIn, rules }, own, setsOf),
    ...rules.flatMap((rule) => {
      const remote = remoteOf(rule, setsOf);
      if (remote === null) return [];
      return [ruleFor(rule.direction, order[rule.action], `${protocolOf(rule)}${remote}`, rule.action)];
    }),
  ];
}
