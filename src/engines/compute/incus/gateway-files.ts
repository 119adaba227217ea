/**
 * The files and scripts inside a VPN gateway. The scripts need a POSIX shell, `ip`, `flock`, `nft`, `wg`, and either
 * WireGuard in the kernel or `wireguard-go`. A busybox has the first three.
 */
import { parseCidr } from '../../../kernel/net/cidr.ts';
import type { Gateway, GatewayPeer, GatewaySpec } from '../gateway.ts';
import type { Nic } from '../instance.ts';

export const FOLDER = '/etc/hostplane-vpn';
export const APPLY = 'apply';
export const STATE = '/run/hostplane-vpn-state';
const DEVICE = 'wg0';

/** The addresses of a private interface with the lengths of their prefixes; private networks have a /64 in IPv6. */
const linkOf = ({ id, index, ipv4, ipv6 }: Nic, lengths: GatewaySpec['prefixLengths']): string =>
  [
    `eth${index}`,
    ...(ipv4 === null ? [] : [`${ipv4}/${lengths[id] ?? 32}`]),
    ...(ipv6 === null ? [] : [`${ipv6}/64`]),
  ].join(',');

const familyOf = (address: string): 'ip' | 'ip6' => (address.includes(':') ? 'ip6' : 'ip');

/**
 * Brings the tunnel into the state of the files beside the script. `wg syncconf` changes only what differs, so the
 * tunnels of other peers stay up. The name of an endpoint may be unknown, which must not keep the peers from being
 * applied: endpoints are set on their own, and only when they change. The filter comes first: a gateway that restarted
 * may already forward packets, and has no way into the private networks until their interfaces are up.
 */
const SCRIPT = `set -e
umask 077
cd ${FOLDER}
exec 9>lock
flock 9
. ./settings
touch peers endpoints routes endpoints.applied routes.applied
nft -f rules
if ! ip link show dev ${DEVICE} >/dev/null 2>&1; then
  ip link add ${DEVICE} type wireguard 2>/dev/null || wireguard-go ${DEVICE} >/dev/null 2>&1 9>&-
  : > endpoints.applied
  : > routes.applied
fi
cat interface peers > merged
wg syncconf ${DEVICE} merged
rm merged
for address in $ADDRESSES; do ip addr add "$address" dev ${DEVICE} 2>/dev/null || true; done
ip link set ${DEVICE} mtu "$MTU" up
while read -r key endpoint; do
  grep -qxF "$key $endpoint" endpoints.applied ||
    WG_ENDPOINT_RESOLUTION_RETRIES=0 wg set ${DEVICE} peer "$key" endpoint "$endpoint" 2>/dev/null || continue
  echo "$key $endpoint"
done < endpoints > endpoints.new
mv endpoints.new endpoints.applied
while read -r range; do
  grep -qxF "$range" routes || ip route del "$range" dev ${DEVICE} 2>/dev/null || true
done < routes.applied
while read -r range; do ip route add "$range" dev ${DEVICE} 2>/dev/null || true; done < routes
cp routes routes.applied
for link in $LINKS; do
  device=\${link%%,*}
  ip link set "$device" up
  for address in $(echo "\${link#*,}" | tr , ' '); do
    ip addr add "$address" dev "$device" 2>/dev/null || true
  done
done
echo 1 > /proc/sys/net/ipv4/ip_forward
echo 2 > /proc/sys/net/ipv6/conf/eth0/accept_ra 2>/dev/null || true
echo 1 > /proc/sys/net/ipv6/conf/all/forwarding 2>/dev/null || true
`;

/** WireGuard sends from its own port only. What peers have begun is answered, wherever they are. */
const callsOf = ({ port, callable }: Pick<GatewaySpec, 'port' | 'callable'>): string[] => [
  'ct state established,related accept',
  ...callable.map(
    ({ cidr, isCallable }) =>
      `udp sport ${port} ${familyOf(cidr)} daddr ${cidr} ${isCallable ? 'accept' : 'drop'}`,
  ),
];

/**
 * Packets of peers leave with the address of the gateway, so machines answer them without a route to the tunnel. Only
 * peers open connections through the gateway: others on its public network could send packets for private addresses to
 * it, as to any router. The host name of an endpoint may lead anywhere, so calls to peers are checked by their addresses.
 */
export const rulesOf = ({
  addresses,
  ...spec
}: Pick<GatewaySpec, 'addresses' | 'port' | 'callable'>): string => `table inet hostplane
delete table inet hostplane
table inet hostplane {
  chain leaving {
    type nat hook postrouting priority 100;
${addresses.map((address) => `    oifname "eth*" ${familyOf(address)} saddr ${rangeOf(address)} masquerade`).join('\n')}
  }
  chain passing {
    type filter hook forward priority 0; policy drop;
    ct state established,related accept
    iifname "${DEVICE}" accept
  }
  chain calling {
    type filter hook output priority 0;
${callsOf(spec)
  .map((rule) => `    ${rule}`)
  .join('\n')}
  }
}
`;

const rangeOf = (address: string): string => parseCidr(address)?.cidr.text ?? address;

export function interfaceFiles(spec: GatewaySpec): Readonly<Record<string, string>> {
  const { nics, port, privateKey, addresses, mtu, prefixLengths } = spec;
  const links = nics.filter(({ network }) => network !== null).map((nic) => linkOf(nic, prefixLengths));
  return {
    interface: `[Interface]\nPrivateKey = ${privateKey}\nListenPort = ${port}\n`,
    settings: `MTU=${mtu}\nADDRESSES='${addresses.join(' ')}'\nLINKS='${links.join(' ')}'\n`,
    rules: rulesOf(spec),
    [APPLY]: SCRIPT,
  };
}

const sectionOf = ({ publicKey, presharedKey, allowedIps, keepaliveSeconds }: GatewayPeer): string =>
  [
    '[Peer]',
    `PublicKey = ${publicKey}`,
    ...(presharedKey === null ? [] : [`PresharedKey = ${presharedKey}`]),
    `AllowedIPs = ${allowedIps.join(', ')}`,
    ...(keepaliveSeconds === 0 ? [] : [`PersistentKeepalive = ${keepaliveSeconds}`]),
    '',
  ].join('\n');

const linesOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

/** A peer's own addresses are in the range of the tunnel; only its subnets need routes. */
const isSubnet = (range: string): boolean => !/\/(32|128)$/.test(range);

export const peerFiles = (peers: readonly GatewayPeer[]): Readonly<Record<string, string>> => ({
  peers: peers.map(sectionOf).join('\n'),
  endpoints: linesOf(
    peers.flatMap(({ publicKey, endpoint }) => (endpoint === null ? [] : [`${publicKey} ${endpoint}`])),
  ),
  routes: linesOf(peers.flatMap(({ allowedIps }) => allowedIps.filter(isSubnet))),
});

/** Not `wg show dump`, which also prints the keys. */
export const SHOW = `set -e
f=${STATE}.$$
{
  wg show ${DEVICE} public-key
  wg show ${DEVICE} listen-port
  wg show ${DEVICE} allowed-ips | sed 's/^/allowed-ips\t/'
  wg show ${DEVICE} latest-handshakes | sed 's/^/handshake\t/'
  wg show ${DEVICE} transfer | sed 's/^/transfer\t/'
} > $f
mv $f ${STATE}
`;

export function parseState(text: string): NonNullable<Gateway['tunnel']> {
  const [publicKey = '', port = '', ...lines] = text.trim().split('\n');
  const rows = lines.map((line) => line.split('\t'));
  const valuesOf = (name: string, key: string): readonly string[] =>
    rows.find((row) => row[0] === name && row[1] === key)?.slice(2) ?? [];
  const keys = rows.filter(([name]) => name === 'allowed-ips').map(([, key = '']) => key);
  return {
    publicKey,
    port: Number(port),
    peers: keys.map((key) => {
      const [received = 0, sent = 0] = valuesOf('transfer', key).map(Number);
      const at = Number(valuesOf('handshake', key)[0] ?? 0);
      return {
        publicKey: key,
        allowedIps: (valuesOf('allowed-ips', key)[0] ?? '').split(' ').filter((range) => range !== '(none)'),
        lastHandshakeAt: at === 0 ? null : new Date(at * 1000),
        receivedBytes: received,
        sentBytes: sent,
      };
    }),
  };
}
