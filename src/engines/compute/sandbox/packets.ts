/**
 * Connections between machines of the sandbox: which machine has an address, and whether the firewalls at both ends
 * let the first packet pass. Answers always pass, as with any stateful firewall.
 */
import { parseAddress } from '../../../kernel/net/address.ts';
import { cidrContains, parseCidr } from '../../../kernel/net/cidr.ts';
import { combinedDefault, type FirewallMember, type FirewallRule, type FirewallSpec } from '../firewall.ts';
import type { Nic, Ref } from '../instance.ts';
import { type ComputeCore, missing, nameOf } from './core.ts';
import { isOn, type Machine } from './state.ts';
import type { ComputeStateStore } from './store.ts';

export type Packet =
  | { readonly protocol: 'tcp' | 'udp'; readonly port: number }
  | { readonly protocol: 'icmp' | 'icmpv6'; readonly type: number };

/** `unreachable`: no machine that the sender can reach has the address. `refused`: no program listens on the port. */
export type Delivery = 'arrived' | 'refused' | 'dropped' | 'unreachable';

/** One end of a connection. */
interface End {
  readonly account: string;
  readonly machine: Machine;
  readonly nic: Nic;
  readonly address: string;
}

const covers = (range: string, address: string): boolean => {
  const [cidr, parsed] = [parseCidr(range)?.cidr, parseAddress(address)];
  return cidr !== undefined && parsed !== null && cidrContains(cidr, parsed);
};

const addressesOf = ({ ipv4, ipv6, aliases }: Nic): string[] =>
  [ipv4, ipv6, ...aliases].filter((address) => address !== null);

/** The network and its account; a public address is reachable for the machines of all accounts. */
async function receiverOf(
  store: ComputeStateStore,
  sender: Pick<End, 'account' | 'machine'>,
  address: string,
): Promise<{ readonly from: Nic; readonly to: End } | null> {
  for (const { project: account, state: machine } of await store.list('machine'))
    for (const nic of machine.nics) {
      if (!addressesOf(nic).some((own) => covers(own, address))) continue;
      if (nic.network !== null && account !== sender.account) continue;
      const from = sender.machine.nics.find(({ network }) => network === nic.network);
      if (from !== undefined) return { from, to: { account, machine, nic, address } };
    }
  return null;
}

type Firewalls = ReadonlyMap<string, FirewallSpec>;

const isMember = ({ members }: FirewallSpec, nic: Nic): boolean =>
  members.some((each) => each.nic === nic.id);

const isAddressOf = (member: FirewallMember, network: string | null, address: string): boolean =>
  member.network === network && member.addresses.some((own) => covers(own, address));

/** The network and the address of the other end. */
interface Remote {
  readonly network: string | null;
  readonly address: string;
}

function isRemote({ remote }: FirewallRule, all: Firewalls, { network, address }: Remote): boolean {
  if (remote === null) return true;
  const { cidrs, firewalls } = remote;
  return (
    cidrs.some((cidr) => covers(cidr, address)) ||
    firewalls.some((id) => all.get(id)?.members.some((member) => isAddressOf(member, network, address)))
  );
}

function isAbout({ protocol, ports, icmpType }: FirewallRule, packet: Packet): boolean {
  if (protocol === 'any') return true;
  if (protocol !== packet.protocol) return false;
  if ('type' in packet) return icmpType === null || icmpType === packet.type;
  return ports.length === 0 || ports.some(({ from, to }) => from <= packet.port && packet.port <= to);
}

/** Whether the firewalls of an interface let the packet pass. */
function letsPass(
  all: Firewalls,
  nic: Nic,
  direction: FirewallRule['direction'],
  packet: Packet,
  remote: Remote,
): boolean {
  const own = [...all.values()].filter((firewall) => isMember(firewall, nic));
  const rules = own
    .flatMap((firewall) => firewall.rules)
    .filter((rule) => rule.direction === direction && isAbout(rule, packet) && isRemote(rule, all, remote));
  if (rules.some(({ action }) => action === 'drop')) return false;
  if (rules.length > 0) return true;
  const defaults = own.map(({ defaultIn, defaultOut }) => (direction === 'in' ? defaultIn : defaultOut));
  return combinedDefault(defaults) === 'allow';
}

async function firewallsOf(store: ComputeStateStore, account: string): Promise<Firewalls> {
  const found = await store.containing('firewall', account, {});
  return new Map(found.map(({ id, state }) => [id, state]));
}

const SSH = 22;
/** Programs that listen on a port have a file of this name. */
export const socketPath = (port: number): string => `/run/listening/${port}`;

const listens = ({ disk }: Machine, packet: Packet): boolean =>
  'type' in packet || packet.port === SSH || Object.hasOwn(disk, socketPath(packet.port));

/** The source address is the first of the same IP version. */
const sourceOf = (nic: Nic, address: string): string =>
  (address.includes(':') ? nic.ipv6 : nic.ipv4) ?? addressesOf(nic)[0] ?? '';

/** What happens to a packet that a machine sends to an address. */
export async function send(
  { store }: ComputeCore,
  ref: Ref,
  address: string,
  packet: Packet,
): Promise<Delivery> {
  const machine = await store.find('machine', nameOf(ref));
  if (machine === null) throw missing('machine', ref.id);
  const found = await receiverOf(store, { account: ref.account, machine }, address);
  if (found === null || !isOn(found.to.machine, await store.now())) return 'unreachable';
  const { from, to } = found;
  const own = await firewallsOf(store, ref.account);
  const theirs = to.account === ref.account ? own : await firewallsOf(store, to.account);
  const { network } = to.nic;
  const passes =
    letsPass(own, from, 'out', packet, { network, address }) &&
    letsPass(theirs, to.nic, 'in', packet, { network, address: sourceOf(from, address) });
  if (!passes) return 'dropped';
  return listens(to.machine, packet) ? 'arrived' : 'refused';
}
