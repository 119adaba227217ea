/** Whether public addresses can be had on the bridge that is named for them. */
import { addressFromWords, parseAddress } from '../../../../kernel/net/address.ts';
import { type Cidr, cidrContains, cidrCovers, parseCidr } from '../../../../kernel/net/cidr.ts';
import type { Examination } from '../../../../kernel/registry.ts';
import { isMissing } from '../failure.ts';
import { cliOf, fine, type Place, type Sold, wrong } from './place.ts';

interface RawNetwork {
  readonly type: string;
  readonly managed: boolean;
  readonly config: Readonly<Record<string, string | undefined>>;
}

const NAME = 'network';

const rangesOf = (sold: Sold, version: 4 | 6): Cidr[] =>
  sold.pools.flatMap(({ cidr, version: each }) => {
    const parsed = each === version ? parseCidr(cidr) : null;
    return parsed === null ? [] : [parsed.cidr];
  });

/** The first address of a range, which is never handed out. */
function gatewayOf({ base, prefix }: Cidr): string {
  const { w0, w1, w2, w3 } = base;
  return `${addressFromWords(w0, w1, w2, w3 + 1).text}/${base.family === 6 ? Math.max(64, prefix) : prefix}`;
}

/** How such a bridge is made, with the first ranges that are sold here. */
function creation({ sold, server, settings }: Place): string {
  const [v4] = rangesOf(sold, 4);
  const [v6] = rangesOf(sold, 6);
  return [
    `${cliOf(server)} network create ${settings.publicNetwork} --type=bridge`,
    `ipv4.address=${v4 === undefined ? '203.0.113.1/24' : gatewayOf(v4)} ipv4.nat=false`,
    v6 === undefined ? 'ipv6.address=none' : `ipv6.address=${gatewayOf(v6)} ipv6.nat=false`,
  ].join(' ');
}

function examineRanges(place: Place, { config }: RawNetwork): Examination {
  const { sold, server, settings } = place;
  const set = `${cliOf(server)} network set ${settings.publicNetwork}`;
  const own = config['ipv4.address'] ?? 'none';
  const subnet = parseCidr(own)?.cidr;
  const ranges = rangesOf(sold, 4);
  const [first] = ranges;
  const wrongHere = (detail: string, fix: string) => wrong(sold, NAME, detail, fix);
  if (first !== undefined && subnet === undefined)
    return wrongHere('The bridge has no IPv4 subnet.', `${set} ipv4.address=${gatewayOf(first)}`);
  for (const range of ranges) {
    if (subnet !== undefined && !cidrCovers(subnet, range)) {
      const fix = `Give the bridge a subnet around it (${set} ipv4.address=${gatewayOf(range)}), or correct the pool.`;
      return wrongHere(`Pool ${range.text} is not within ${own} of the bridge.`, fix);
    }
    const address = parseAddress(own.split('/')[0] ?? '');
    if (address !== null && cidrContains(range, address) && address.w3 - range.base.w3 > 1) {
      const fix = `Make it the first one (${set} ipv4.address=${gatewayOf(range)}), or cut it out of the pool.`;
      return wrongHere(`Pool ${range.text} holds the address of the bridge, ${address.text}.`, fix);
    }
  }
  if (config['ipv4.dhcp'] === 'false')
    return wrongHere(
      'DHCP is off, so that machines would not learn their addresses.',
      `${set} ipv4.dhcp=true`,
    );
  const [v6] = rangesOf(sold, 6);
  if (v6 !== undefined && (config['ipv6.address'] ?? 'none') === 'none')
    return wrongHere('IPv6 is sold, and the bridge has none.', `${set} ipv6.address=${gatewayOf(v6)}`);
  return fine(sold, NAME, `${settings.publicNetwork}, ${own}`);
}

export async function examineNetwork(place: Place): Promise<Examination> {
  const { client, sold, settings } = place;
  const name = settings.publicNetwork;
  try {
    const network = await client.ask<RawNetwork>('GET', `/1.0/networks/${name}`);
    if (network.managed && network.type === 'bridge') return examineRanges(place, network);
    const what = network.managed ? `a network of type ${network.type}` : 'not managed by the engine';
    const fix = `Name one that is, in public_network; it is made by: ${creation(place)}`;
    return wrong(sold, NAME, `${name} is ${what}; it has to be a managed bridge.`, fix);
  } catch (error) {
    if (!isMissing(error)) throw error;
    return wrong(sold, NAME, `There is no network ${name}.`, `On the server: ${creation(place)}`);
  }
}
