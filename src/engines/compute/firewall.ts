/** The types of firewalls: rules for the packets that arrive at interfaces of machines and leave them. */
import type { Ref } from './instance.ts';

export type FirewallAction = 'allow' | 'drop';
export type FirewallProtocol = 'tcp' | 'udp' | 'icmp' | 'icmpv6' | 'any';

export interface PortRange {
  readonly from: number;
  readonly to: number;
}

export interface FirewallRule {
  /** `in`: packets that arrive at a member. `out`: packets that a member sends. */
  readonly direction: 'in' | 'out';
  readonly action: FirewallAction;
  readonly protocol: FirewallProtocol;
  /** Of the receiver; empty: all ports. Only for `tcp` and `udp`. */
  readonly ports: readonly PortRange[];
  /** Only for `icmp`; null: all types. */
  readonly icmpType: number | null;
  /** The other side: ranges, and the members of other firewalls in the same network. Null: everybody. */
  readonly remote: { readonly cidrs: readonly string[]; readonly firewalls: readonly string[] } | null;
}

export interface FirewallMember {
  readonly instance: string;
  readonly nic: string;
  /** The network of the interface; `null` is the public network of the location. */
  readonly network: string | null;
  /** All addresses and prefixes of the interface. */
  readonly addresses: readonly string[];
}

/**
 * A firewall as it has to be in one location. Rules have no order: a rule that drops wins over one that allows, also
 * among several firewalls of one interface, and every rule wins over the defaults. The default `drop` of one firewall
 * wins over the default `allow` of another. Answers to allowed packets always pass.
 */
export interface FirewallSpec {
  /** Taken before the other members were read. A driver ignores a specification that is older than what it has. */
  readonly revision: number;
  readonly defaultIn: FirewallAction;
  readonly defaultOut: FirewallAction;
  readonly rules: readonly FirewallRule[];
  /** Interfaces that the engine does not have are ignored until it has them. */
  readonly members: readonly FirewallMember[];
}

export interface Firewall extends Ref, FirewallSpec {}

/** What happens to packets that no rule of the firewalls of an interface is about. Without a firewall, all pass. */
export const combinedDefault = (defaults: readonly FirewallAction[]): FirewallAction =>
  defaults.includes('drop') ? 'drop' : 'allow';
