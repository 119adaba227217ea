/** Applies a gateway in the tables to the engine, and checks the result. */
import type { ComputeEngine, Gateway, GatewaySpec, Nic, Ref } from '../../../engines/compute/port.ts';
import { canonicalJson } from '../../../kernel/audit/canonical-json.ts';
import { callableRanges } from '../../../kernel/net/callable-ranges.ts';
import type { Services } from '../../../kernel/services.ts';
import type { Db } from '../../../store/database.ts';
import { macFor } from '../interfaces/macs.ts';
import { addressAt } from '../networks/addresses.ts';
import { plainAddress } from './present.ts';
import { type GatewayNetwork, networksOf } from './store.ts';
import type { VpnGatewayRow } from './table.ts';

export const refOf = ({ account_id, id }: Pick<VpnGatewayRow, 'account_id' | 'id'>): Ref => ({
  account: account_id,
  id,
});

const PREFIX = /:?:1$/;

/** The gateway has the first address of its /64, as machines do. */
const prefixOf = (ipv6: string): string => `${ipv6.replace(PREFIX, '::')}/64`;

function publicNic({ nic_id, endpoint_ipv4, endpoint_ipv6 }: VpnGatewayRow): Nic {
  const ipv4 = plainAddress(endpoint_ipv4);
  const ipv6 = endpoint_ipv6 === null ? null : plainAddress(endpoint_ipv6);
  return {
    id: nic_id,
    index: 0,
    network: null,
    mac: macFor(ipv4),
    ipv4,
    ipv6,
    aliases: ipv6 === null ? [] : [prefixOf(ipv6)],
    antiSpoofing: true,
  };
}

/** Without anti-spoofing, because packets of peers pass through it. */
function privateNic({ nic_id, position, network_id, mac, addresses }: GatewayNetwork): Nic {
  const own = (role: string): string | null =>
    addresses.find((address) => address.role === role)?.address ?? null;
  return {
    id: nic_id,
    index: position,
    network: network_id,
    mac,
    ipv4: own('ipv4'),
    ipv6: own('ipv6'),
    aliases: [],
    antiSpoofing: false,
  };
}

const lengthOf = (cidr: string): string => cidr.split('/')[1] ?? '';

/** The wanted state: with the next key if there is one, and without the networks that the gateway leaves. */
export async function specOf(
  db: Db,
  { secrets, provider }: Pick<Services, 'secrets' | 'provider'>,
  row: VpnGatewayRow,
): Promise<GatewaySpec> {
  const networks = (await networksOf(db, row.id)).filter(({ state }) => state !== 'leaving');
  const pools = [row.tunnel_ipv4_cidr, ...(row.tunnel_ipv6_cidr === null ? [] : [row.tunnel_ipv6_cidr])];
  return {
    nics: [publicNic(row), ...networks.map(privateNic).sort((a, b) => a.index - b.index)],
    prefixLengths: Object.fromEntries(
      networks.map(({ nic_id, ipv4_cidr }) => [nic_id, Number(lengthOf(ipv4_cidr))]),
    ),
    port: row.port,
    privateKey: secrets.open(row.next_private_key ?? row.private_key, row.id).toString('base64'),
    addresses: pools.map((pool) => `${addressAt(pool, 1)}/${lengthOf(pool)}`),
    mtu: row.mtu,
    callable: callableRanges(provider.egress),
  };
}

const nicsIn = (nics: readonly Nic[]): string => canonicalJson(nics.toSorted((a, b) => a.index - b.index));

/** Whether the engine has the gateway as wanted, apart from its peers. */
export const isAsWanted = (
  seen: Gateway | null,
  { nics, port }: Pick<GatewaySpec, 'nics' | 'port'>,
  publicKey: string,
): boolean =>
  seen !== null &&
  seen.tunnel !== null &&
  seen.tunnel.port === port &&
  seen.tunnel.publicKey === publicKey &&
  nicsIn(seen.nics) === nicsIn(nics);

/** Returns false if the engine does not have the gateway as wanted afterwards. */
export async function applyGateway(
  engine: ComputeEngine,
  row: VpnGatewayRow,
  spec: GatewaySpec,
  signal: AbortSignal,
): Promise<boolean> {
  await engine.ensureGateway(refOf(row), spec, signal);
  const seen = await engine.observeGateway(refOf(row), signal);
  return isAsWanted(seen, spec, row.next_public_key ?? row.public_key);
}
