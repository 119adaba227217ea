/** Checks whether private networks can be created: on OVN its database and the uplink, and that none is of the other type. */
import { parseAddress } from '../../../../kernel/net/address.ts';
import { parseCidr } from '../../../../kernel/net/cidr.ts';
import type { Examination } from '../../../../kernel/registry.ts';
import { EngineUnreachable } from '../../../errors.ts';
import { isMissing } from '../failure.ts';
import type { NetworkType } from '../names.ts';
import { findLogical } from '../ovn/logical-network.ts';
import { Northbound } from '../ovn/northbound.ts';
import { OvsdbError } from '../ovn/ovsdb.ts';
import type { OvnSettings } from '../settings.ts';
import { reasonOf } from './access.ts';
import { cliOf, fine, type Place, wrong } from './context.ts';

interface RawNetwork {
  readonly name: string;
  readonly type: string;
  readonly managed: boolean;
  readonly config: Readonly<Record<string, string | undefined>>;
}

type Fault = readonly [detail: string, fix: string];

const NAME = 'private networks';
const EXTENSIONS = [
  'network_type_ovn',
  'ovn_nic_ip_address_none',
  'network_dns_nameservers',
  'network_ovn_dhcp',
];
const DEFAULT_DATABASE = 'unix:/run/ovn/ovnnb_db.sock';

const ours: Readonly<Record<NetworkType, RegExp>> = { bridge: /^hp[0-9a-f]{13}$/, ovn: /^ho[0-9a-f]{13}$/ };

/** After `networks` was changed, networks of the other type can no longer be used. */
function findOthers(all: readonly RawNetwork[], type: NetworkType): Fault | null {
  const other = type === 'ovn' ? 'bridge' : 'ovn';
  const left = all.filter(({ name }) => ours[other].test(name));
  if (left.length === 0) return null;
  const fix = `Set networks to ${other} again; or have the customers delete these networks first.`;
  return [`${left.length} networks of customers are of the type ${other}, but networks is ${type}.`, fix];
}

/** The number of addresses in a list such as `10.0.0.10-10.0.0.20,10.0.0.30-10.0.0.31`. */
function countIn(ranges: string): number {
  const sizes = ranges.split(',').map((range) => {
    const [from, to] = range.split('-').map((text) => parseAddress(text.trim())?.w3 ?? 0);
    return (to ?? from ?? 0) - (from ?? 0) + 1;
  });
  return sizes.reduce((sum, size) => sum + size, 0);
}

function findUplinkFault(uplink: RawNetwork, { server }: Place): Fault | null {
  const { name, type, managed, config } = uplink;
  const set = `${cliOf(server)} network set ${name}`;
  if (!managed || (type !== 'physical' && type !== 'bridge'))
    return [`${name} is no managed network of the type physical or bridge.`, creation];
  if (type === 'bridge' && server.environment.server_clustered)
    return [`${name} is a bridge, which ends at one member of the cluster.`, creation];
  const own = config[type === 'physical' ? 'ipv4.gateway' : 'ipv4.address'] ?? '';
  if (parseCidr(own) === null) return [`${name} has no IPv4 gateway.`, `${set} ipv4.gateway=203.0.113.1/24`];
  if (!config['ipv4.ovn.ranges'])
    return [
      `${name} has no addresses for the routers of private networks.`,
      `${set} ipv4.ovn.ranges=FIRST-LAST, with addresses of ${own} that nobody else uses.`,
    ];
  return null;
}

const creation =
  'Create one and name it in ovn_uplink: incus network create uplink --type=physical parent=br-ex ipv4.gateway=203.0.113.1/24 ipv4.ovn.ranges=203.0.113.100-203.0.113.199 dns.nameservers=203.0.113.1';

/** The engine and Hostplane must use the same database, so a network that the engine has must be in ours. */
async function findDatabaseFault(
  place: Place,
  { northbound: address }: OvnSettings,
  all: readonly RawNetwork[],
): Promise<Fault | null> {
  const { client, server } = place;
  const northbound = new Northbound(address);
  const shown = address.remotes.join(', ');
  try {
    await northbound.find('NB_Global', [], []);
    const known = all.find(({ name }) => ours.ovn.test(name));
    if (known !== undefined) await findLogical({ client, northbound }, known.name);
    return null;
  } catch (error) {
    if (!(error instanceof EngineUnreachable || error instanceof OvsdbError)) throw error;
    const { config } = await client.ask<{ config: Record<string, string> }>('GET', '/1.0');
    const theirs = config['network.ovn.northbound_connection'] || DEFAULT_DATABASE;
    const fix = `Start ovn-central, let this machine through to it, and set ovn_northbound to the database that the engine uses (${cliOf(server)} config get network.ovn.northbound_connection: ${theirs}).`;
    return [`${shown}: ${reasonOf(error)}`, fix];
  }
}

export async function examinePrivateNetworks(place: Place): Promise<Examination | null> {
  const { client, sold, settings, server } = place;
  const { ovn } = settings;
  const all = await client.ask<readonly RawNetwork[]>('GET', '/1.0/networks', { query: { recursion: 1 } });
  const others = findOthers(all, ovn === null ? 'bridge' : 'ovn');
  if (others !== null) return wrong(sold, NAME, ...others);
  if (ovn === null) return null;
  const missing = EXTENSIONS.filter((extension) => !server.api_extensions.includes(extension));
  if (server.environment.server !== 'incus' || missing.length > 0)
    return wrong(
      sold,
      NAME,
      'The engine cannot have them on OVN.',
      'Use Incus 6.0.4 or newer; or set networks to bridge.',
    );
  const uplink = await client
    .ask<RawNetwork>('GET', `/1.0/networks/${ovn.uplink}`)
    .catch((error: unknown) => (isMissing(error) ? null : Promise.reject(error)));
  if (uplink === null) return wrong(sold, NAME, `There is no network ${ovn.uplink}.`, creation);
  const fault = findUplinkFault(uplink, place) ?? (await findDatabaseFault(place, ovn, all));
  if (fault !== null) return wrong(sold, NAME, ...fault);
  const room = countIn(uplink.config['ipv4.ovn.ranges'] ?? '');
  return fine(sold, NAME, `on OVN, up to ${room}, through ${ovn.uplink}`);
}
