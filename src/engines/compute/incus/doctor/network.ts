/** Checks whether the configured bridge can serve the public addresses on sale. */
import { addressFromWords, parseAddress } from '../../../../kernel/net/address.ts';
import { type Cidr, cidrContains, cidrCovers, parseCidr } from '../../../../kernel/net/cidr.ts';
import type { Examination } from '../../../../kernel/registry.ts';
import { isMissing } from '../failure.ts';
import { cliOf, fine, type Place, type Sold, wrong } from './context.ts';

interface RawNetwork {
  readonly type: string;
  readonly managed: boolean;
  readonly config: Readonly<Record<string, string | undefined>>;
}

const NAME = 'network';
/** The suggested name of a new bridge when the configured name belongs to something else. */
const OTHER = 'public';

const rangesOf = (sold: Sold, version: 4 | 6): Cidr[] =>
  sold.pools.flatMap(({ cidr, version: each }) => {
    const parsed = each === version ? parseCidr(cidr) : null;
    return parsed === null ? [] : [parsed.cidr];
  });

/** The first address of a range, which is never assigned to a machine. */
function gatewayOf({ base: { w0, w1, w2, w3 }, prefix }: Cidr): string {
  return `${addressFromWords(w0, w1, w2, w3 + 1).text}/${prefix}`;
}

/** For IPv6 the bridge is only a gateway: prefixes are routed to machines, so its own addresses may be private. */
const AUTO = 'ipv6.address=auto ipv6.nat=false';

/**
 * Otherwise the engine manages a DNS name for each machine, and starts no machine with two interfaces on this bridge.
 */
const NO_NAMES = 'dns.mode=none';

/** A range that contains only the bridge's own address: machines without an assigned address get none. */
function noDynamic(own: string): string {
  const [address] = own.split('/');
  return `ipv4.dhcp.ranges=${address}-${address}`;
}

/** The command that creates such a bridge with the first ranges on sale here. */
function creation({ sold, server }: Place, name: string): string {
  const [v4] = rangesOf(sold, 4);
  const [v6] = rangesOf(sold, 6);
  return [
    `${cliOf(server)} network create ${name} --type=bridge`,
    `ipv4.address=${v4 === undefined ? '203.0.113.1/24' : gatewayOf(v4)} ipv4.nat=false`,
    ...(v4 === undefined ? [] : [noDynamic(gatewayOf(v4))]),
    v6 === undefined ? 'ipv6.address=none' : AUTO,
    NO_NAMES,
  ].join(' ');
}

type Fault = readonly [detail: string, fix: string];

/** The bridge's DHCP server assigns single addresses, so they have to be in its subnet. */
function findFault4(ranges: readonly Cidr[], { config }: RawNetwork, set: string): Fault | null {
  const own = config['ipv4.address'] ?? 'none';
  const subnet = parseCidr(own)?.cidr;
  const address = parseAddress(own.split('/')[0] ?? '');
  for (const range of ranges) {
    const mend = `${set} ipv4.address=${gatewayOf(range)}`;
    if (subnet === undefined || address === null) return ['The bridge has no IPv4 subnet.', mend];
    if (!cidrCovers(subnet, range)) {
      const fix = `Give the bridge a subnet that contains the pool (${mend}), or correct the pool.`;
      return [`Pool ${range.text} is not within ${own} of the bridge.`, fix];
    }
    if (cidrContains(range, address) && address.w3 - range.base.w3 > 1) {
      const fix = `Give the bridge the first address of the pool (${mend}), or exclude its address from the pool.`;
      return [`Pool ${range.text} holds the address of the bridge, ${address.text}.`, fix];
    }
  }
  if (config['ipv4.dhcp'] === 'false')
    return ['DHCP is off, so machines would not get their addresses.', `${set} ipv4.dhcp=true`];
  const given = subnet && ranges.find((range) => isGiven(config['ipv4.dhcp.ranges'], subnet, range));
  if (given === undefined) return null;
  const detail = `DHCP gives addresses of pool ${given.text} to any client, even addresses that are sold to others.`;
  return [detail, `${set} ${noDynamic(own)}`];
}

const lastOf = ({ base, prefix }: Cidr): number => base.w3 + 2 ** (32 - prefix) - 1;

/**
 * True if DHCP assigns dynamic addresses from the sold part of a pool, which is all but its first two addresses and
 * its last. Without configured ranges, DHCP uses the whole subnet.
 */
function isGiven(dynamic: string | undefined, subnet: Cidr, pool: Cidr): boolean {
  const [least, most] = [pool.base.w3 + 2, lastOf(pool) - 1];
  const chosen = dynamic
    ? dynamic.split(',').map((range) => range.split('-').map((text) => parseAddress(text.trim())?.w3))
    : [[subnet.base.w3, lastOf(subnet)]];
  return chosen.some(([from = 0, to = from]) => from <= most && to >= least);
}

/** Prefixes are routed to machines over the bridge, which is their gateway. */
function findFault6(ranges: readonly Cidr[], { config }: RawNetwork, set: string): Fault | null {
  const own = config['ipv6.address'] ?? 'none';
  const link = parseCidr(own)?.cidr;
  if (ranges.length > 0 && link === undefined)
    return ['IPv6 is sold here, but the bridge has no IPv6 address.', `${set} ${AUTO}`];
  const taken = ranges.find((range) => link !== undefined && cidrCovers(range, link));
  return taken ? [`Pool ${taken.text} holds ${own} of the bridge itself.`, `${set} ${AUTO}`] : null;
}

function findNameFault({ config }: RawNetwork, set: string): Fault | null {
  if (config['dns.mode'] === 'none') return null;
  return [
    'The bridge manages a DNS name for each machine, so none could have two interfaces.',
    `${set} ${NO_NAMES}`,
  ];
}

function examineRanges({ sold, server, settings }: Place, network: RawNetwork): Examination {
  const set = `${cliOf(server)} network set ${settings.publicNetwork}`;
  const fault =
    findFault4(rangesOf(sold, 4), network, set) ??
    findFault6(rangesOf(sold, 6), network, set) ??
    findNameFault(network, set);
  if (fault !== null) return wrong(sold, NAME, ...fault);
  return fine(sold, NAME, `${settings.publicNetwork}, ${network.config['ipv4.address']}`);
}

export async function examineNetwork(place: Place): Promise<Examination> {
  const { client, sold, settings } = place;
  const name = settings.publicNetwork;
  try {
    const network = await client.ask<RawNetwork>('GET', `/1.0/networks/${name}`);
    if (network.managed && network.type === 'bridge') return examineRanges(place, network);
    const what = network.managed ? `a network of type ${network.type}` : 'not managed by the engine';
    const fix = `Set public_network to a managed bridge. To create one: ${creation(place, OTHER)}`;
    return wrong(sold, NAME, `${name} is ${what}; it has to be a managed bridge.`, fix);
  } catch (error) {
    if (!isMissing(error)) throw error;
    return wrong(sold, NAME, `There is no network ${name}.`, `On the server: ${creation(place, name)}`);
  }
}
