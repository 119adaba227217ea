/** The configuration of a peer: as text for WireGuard's programs, as a QR code for telephones, and as JSON. */

import { Problem } from '../../../kernel/problems/problem.ts';
import { endpoint, ok } from '../../../kernel/record.ts';
import {
  byOthers,
  Id,
  Named,
  Nullable,
  Secret,
  Shape,
  type Static,
  Time,
  Type,
} from '../../../kernel/schema.ts';
import { plainAddress } from '../vpn-gateways/present.ts';
import { networksOf, readOwnGateway } from '../vpn-gateways/store.ts';
import { examplePeer } from '../vpn-peers/present.ts';
import { vpnPeers } from '../vpn-peers/resource.ts';
import { VpnPeerId } from '../vpn-peers/schema.ts';
import { findPeer } from '../vpn-peers/store.ts';
import { keyText } from '../vpn-peers/sync.ts';
import { qrPicture } from './qr-picture.ts';

const VpnPeerConfig = Named(
  'VpnPeerConfig',
  Shape({
    peer_id: Id('peer', { description: 'The peer that the configuration is for.' }),
    file_name: Type.String({ ...byOthers, description: 'The name under which the text is saved.' }),
    private_key_available_until: Nullable({
      ...Time,
      description: 'Until when the configuration has the generated private key; null if it has none.',
    }),
    interface: Shape(
      {
        private_key: Nullable(
          Secret(
            Type.String({
              readOnly: true,
              description: 'The generated private key; null if it is not kept here.',
            }),
          ),
        ),
        addresses: Type.Array(Type.String(), { description: 'The addresses of the peer in the tunnel.' }),
        dns_servers: Type.Array(Type.String(), { description: 'The DNS servers of the gateway.' }),
        mtu: Type.Integer({ 'x-unit': 'bytes', description: 'The largest packet in the tunnel.' }),
        listen_port: Nullable(
          Type.Integer({ description: 'The port of the `endpoint` of the peer; null if it has none.' }),
        ),
      },
      { description: 'The section `[Interface]` of the text.' },
    ),
    peer: Shape(
      {
        public_key: Type.String({ description: 'The public key of the gateway.' }),
        preshared_key: Nullable(
          Secret(
            Type.String({ readOnly: true, description: 'The preshared key; null if the tunnel uses none.' }),
          ),
        ),
        allowed_ips: Type.Array(Type.String(), { description: 'What is sent through the tunnel.' }),
        endpoint: Type.String({ description: 'The public address and port of the gateway.' }),
        keepalive_seconds: Type.Integer({
          'x-unit': 'seconds',
          description: 'How often an idle peer sends a packet; 0: never.',
        }),
      },
      { description: 'The section `[Peer]` of the text.' },
    ),
  }),
);
type VpnPeerConfig = Static<typeof VpnPeerConfig>;

const EVERYTHING = ['0.0.0.0/0', '::/0'];

function textOf({ file_name, interface: own, peer }: VpnPeerConfig): string {
  const lines = [
    `# ${file_name}`,
    '[Interface]',
    own.private_key === null
      ? '# PrivateKey = (put the private key of this peer here)'
      : `PrivateKey = ${own.private_key}`,
    `Address = ${own.addresses.join(', ')}`,
    ...(own.listen_port === null ? [] : [`ListenPort = ${own.listen_port}`]),
    ...(own.dns_servers.length === 0 ? [] : [`DNS = ${own.dns_servers.join(', ')}`]),
    `MTU = ${own.mtu}`,
    '',
    '[Peer]',
    `PublicKey = ${peer.public_key}`,
    ...(peer.preshared_key === null ? [] : [`PresharedKey = ${peer.preshared_key}`]),
    `AllowedIPs = ${peer.allowed_ips.join(', ')}`,
    `Endpoint = ${peer.endpoint}`,
    ...(peer.keepalive_seconds === 0 ? [] : [`PersistentKeepalive = ${peer.keepalive_seconds}`]),
  ];
  return `${lines.join('\n')}\n`;
}

/** A telephone cannot fill in the private key. */
function pictureOf(config: VpnPeerConfig): Buffer {
  if (config.interface.private_key !== null) return qrPicture(textOf(config));
  throw new Problem('invalid_state', {
    detail: 'The private key of this peer is not kept here any more, or never was.',
    nextStep: 'Get the text and put the private key into it, or change the peer with regenerate_key.',
    extra: { current_state: 'without_private_key', allowed_states: ['with_private_key'] },
  });
}

const portIn = (at: string | null): number | null => (at === null ? null : Number(at.split(':').at(-1)));

export const getVpnPeerConfig = endpoint({
  id: 'getVpnPeerConfig',
  method: 'GET',
  path: '/flexible-vps/v1/vpn-gateways/{id}/peers/{peer_id}/config',
  summary: "Get a peer's WireGuard configuration",
  description:
    'As text (`Accept: text/plain` or `*/*`), as a QR code (`image/png`), or as JSON. A generated private key is in it for 24 hours; without it, the text has a comment in its place, and there is no QR code.',
  permission: 'flexible-vps:vpn-configs:write',
  access: 'read',
  sensitive: true,
  resource: { name: 'vpn_peer', role: 'action' },
  params: VpnPeerId,
  query: Shape({
    full_tunnel: Type.Boolean({
      default: false,
      description: 'Whether all traffic of the peer goes through the tunnel, not only that to the networks.',
    }),
  }),
  answers: { 200: VpnPeerConfig },
  formats: {
    'text/plain': (config) => ({ content: textOf(config), fileName: config.file_name }),
    'image/png': (config) => ({ content: pictureOf(config) }),
  },
  preferredFormat: 'text/plain',
  problems: ['invalid_state'],
  example: {
    params: { id: examplePeer.gateway_id, peer_id: examplePeer.id },
    answer: {
      status: 200,
      body: {
        peer_id: examplePeer.id,
        file_name: 'laptop.conf',
        private_key_available_until: '2026-03-02T10:00:00.000Z',
        interface: {
          private_key: 'yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk=',
          addresses: ['100.96.0.2/32', 'fd3f:91c2:77a0:6001::2/128'],
          dns_servers: [],
          mtu: 1380,
          listen_port: null,
        },
        peer: {
          public_key: 'HIgo9xNzJMWLKASShiTqIybxZ0U3wGLiUeJ1PKf8ykw=',
          preshared_key: 'FpCyhws9cxwWoV4xELtfJvjJN+zQVRPISllRWgeopVE=',
          allowed_ips: ['10.10.0.0/24', '100.96.0.0/24'],
          endpoint: '203.0.113.40:51820',
          keepalive_seconds: 25,
        },
      },
    },
  },
  async handle({ db, caller, params, query, services, now, effect }) {
    const gateway = await readOwnGateway(db, caller.account.id, params.id);
    const row = gateway && (await findPeer(db, caller.account.id, gateway.id, params.peer_id));
    if (gateway === undefined || row === undefined) throw new Problem('not_found');
    // Nothing changes, but the audit entry names the peer whose keys were read.
    effect({ action: 'none', ...vpnPeers.ref(row) });
    const { secrets } = services;
    const networks = (await networksOf(db, gateway.id)).filter(({ state }) => state !== 'leaving');
    const until = row.private_key_available_until;
    const hasKey = row.private_key !== null && until !== null && until > now;
    const ranges = [
      ...networks.flatMap(({ ipv4_cidr, ipv6_cidr }) => [ipv4_cidr, ipv6_cidr]),
      gateway.tunnel_ipv4_cidr,
      gateway.tunnel_ipv6_cidr,
    ].filter((range) => range !== null);
    return ok({
      peer_id: row.id,
      file_name: `${row.name}.conf`,
      private_key_available_until: hasKey ? until.toISOString() : null,
      interface: {
        private_key: hasKey && row.private_key !== null ? keyText(secrets, row.private_key, row.id) : null,
        addresses: [
          `${plainAddress(row.tunnel_ipv4)}/32`,
          ...(row.tunnel_ipv6 === null ? [] : [`${plainAddress(row.tunnel_ipv6)}/128`]),
        ],
        dns_servers: [...gateway.dns_servers],
        mtu: gateway.mtu,
        listen_port: portIn(row.endpoint),
      },
      peer: {
        public_key: gateway.public_key,
        preshared_key: row.preshared_key === null ? null : keyText(secrets, row.preshared_key, row.id),
        allowed_ips: query.full_tunnel ? EVERYTHING : ranges,
        endpoint: `${plainAddress(gateway.endpoint_ipv4)}:${gateway.port}`,
        keepalive_seconds: row.keepalive_seconds,
      },
    });
  },
});
