/** The schemas of VPN peers in requests and answers. */
import { addressFor } from '../../../kernel/chosen-addresses.ts';
import { Instruction, Resettable } from '../../../kernel/resets.ts';
import {
  advanced,
  CreatedAt,
  Etag,
  Id,
  Labels,
  LabelsPatch,
  label,
  Named,
  Nullable,
  OneOf,
  OwnId,
  ResourceName,
  Shape,
  type Static,
  Time,
  Type,
  UpdatedAt,
  unlessSent,
  volatile,
  when,
} from '../../../kernel/schema.ts';
import { WIREGUARD_KEY } from '../../../kernel/secrets/wireguard-keys.ts';
import { written } from '../../../kernel/text-patterns.ts';

const Kind = Named(
  'VpnPeerKind',
  OneOf(
    { client: 'One device.', site: 'A router with subnets behind it.' },
    { description: 'What the peer is.' },
  ),
);
const PublicKey = Type.String({
  ...written(
    WIREGUARD_KEY,
    'Must be the public key of WireGuard, as `wg pubkey` prints it: 44 characters of base64, the last one =.',
  ),
  examples: ['HIgo9xNzJMWLKASShiTqIybxZ0U3wGLiUeJ1PKf8ykw='],
});
const Keepalive = Type.Integer({
  minimum: 0,
  maximum: 65535,
  default: 25,
  'x-unit': 'seconds',
  ...advanced,
  description: 'How often an idle peer sends a packet, so that routers keep its way open; 0: never.',
});
const Endpoint = Type.String({
  maxLength: 260,
  ...written(
    '^(\\[[0-9A-Fa-f:.]+\\]|[A-Za-z0-9.-]+):[0-9]{1,5}$',
    'Must be a host name or an address and a port, such as office.example.com:51820 or [2001:db8::1]:51820.',
  ),
  examples: ['office.example.com:51820'],
  ...addressFor('called_endpoint'),
  ...advanced,
});
const Subnet = Type.String({ minLength: 4, maxLength: 49, format: 'cidr', ...addressFor('peer_subnet') });
const RoutedCidrs = Type.Array(Subnet, {
  default: [],
  maxItems: 20,
  ...label('Routed subnets'),
  description: 'The subnets behind a site peer, stored as their shortest form. Only with the kind `site`.',
});
const Enabled = Type.Boolean({ default: true, description: 'Whether the peer may connect.' });

const Expiry = {
  ...Time,
  description: 'When the peer is disabled by itself, in the future. Default: never.',
};

export const VpnPeer = Named(
  'VpnPeer',
  Shape({
    id: OwnId('peer'),
    name: ResourceName,
    labels: Labels,
    gateway_id: Id('vpn', { description: 'The gateway that the peer connects to.' }),
    kind: Kind,
    public_key: Type.String({ description: 'The public key of the peer.' }),
    key_source: OneOf(
      { client: 'The public key came with a request.', generated: 'The key pair was generated here.' },
      { description: 'Where the key pair comes from.' },
    ),
    private_key_available_until: Nullable({
      ...Time,
      ...volatile,
      description: 'Until when the configuration has the generated private key; null once it is erased.',
    }),
    preshared_key_set: Type.Boolean({ description: 'Whether the tunnel also uses a preshared key.' }),
    tunnel_ipv4: Type.String({ format: 'ipv4', description: 'The IPv4 address of the peer in the tunnel.' }),
    tunnel_ipv6: Nullable(
      Type.String({ format: 'ipv6', description: 'The IPv6 address in the tunnel; null if there is none.' }),
    ),
    routed_cidrs: Type.Array(Type.String(), { description: 'The subnets behind a site peer.' }),
    endpoint: Nullable(
      Type.String({ description: 'Where the gateway calls the peer; null if the peer always calls first.' }),
    ),
    keepalive_seconds: Type.Integer({
      'x-unit': 'seconds',
      description: 'How often an idle peer sends a packet; 0: never.',
    }),
    enabled: Type.Boolean({ description: 'Whether the peer may connect.' }),
    expires_at: Nullable({ ...Time, description: 'When the peer is disabled by itself; null: never.' }),
    applied_at: Nullable({
      ...Time,
      ...volatile,
      description: 'When the gateway got the present settings; null if it could not be reached yet.',
    }),
    config_changed_at: {
      ...Time,
      ...volatile,
      description: 'When the configuration of the peer last changed.',
    },
    last_handshake_at: Nullable({
      ...Time,
      ...volatile,
      description: 'When the peer last showed that it has its key; null: never. Read once a minute.',
    }),
    rx_bytes: Type.Integer({
      'x-unit': 'bytes',
      ...volatile,
      description: 'What the gateway has received from the peer. Read once a minute.',
    }),
    tx_bytes: Type.Integer({
      'x-unit': 'bytes',
      ...volatile,
      description: 'What the gateway has sent to the peer. Read once a minute.',
    }),
    etag: Etag,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  }),
  { columns: ['name', 'kind', 'enabled', 'tunnel_ipv4', 'last_handshake_at', 'expires_at'] },
);
export type VpnPeer = Static<typeof VpnPeer>;

export const VpnPeerId = Shape({
  id: Id('vpn', { description: 'The id of the gateway of the peer.' }),
  peer_id: Id('peer', { description: 'The id of a peer of this gateway.' }),
});

export const NewVpnPeer = Shape({
  name: ResourceName,
  kind: Type.Optional({ ...Kind, default: 'client' }),
  public_key: Type.Optional({
    ...PublicKey,
    ...advanced,
    description:
      'The public key of the peer. Default: a key pair is generated; get it with the configuration.',
  }),
  preshared_key: Type.Optional(
    OneOf(
      { generate: 'The tunnel also uses a generated preshared key.', none: 'It uses none.' },
      {
        default: 'generate',
        writeOnly: true,
        ...advanced,
        description: 'Whether the tunnel also uses a preshared key. `preshared_key_set` shows it.',
      },
    ),
  ),
  tunnel_ipv4: Type.Optional(
    Type.String({
      minLength: 7,
      maxLength: 15,
      format: 'ipv4',
      ...addressFor('private_address'),
      ...advanced,
      description: 'A free address in the tunnel range of the gateway. Default: the lowest one.',
    }),
  ),
  routed_cidrs: Type.Optional({ ...RoutedCidrs, ...when('kind', 'site') }),
  endpoint: Type.Optional({
    ...Endpoint,
    description: 'Where the gateway calls the peer, as host:port. Default: the peer always calls first.',
  }),
  keepalive_seconds: Type.Optional(Keepalive),
  enabled: Type.Optional(Enabled),
  expires_at: Type.Optional(Expiry),
  labels: Type.Optional({ ...Labels, default: {} }),
});
export type NewVpnPeer = Static<typeof NewVpnPeer>;

export const VpnPeerChange = Shape({
  name: Type.Optional(ResourceName),
  labels: Type.Optional(LabelsPatch),
  public_key: Type.Optional(
    Nullable({
      ...PublicKey,
      ...unlessSent('regenerate_key'),
      description: 'Another public key in place of the present one; null: a new key pair is generated.',
    }),
  ),
  regenerate_key: Type.Optional(
    Instruction({
      ...Type.Boolean({
        writeOnly: true,
        description: 'Whether a new key pair is generated. The peer then needs its new configuration.',
      }),
      default: false,
    }),
  ),
  routed_cidrs: Type.Optional(Resettable(RoutedCidrs)),
  endpoint: Type.Optional(
    Nullable({ ...Endpoint, description: 'Where the gateway calls the peer; null: the peer calls first.' }),
  ),
  keepalive_seconds: Type.Optional(Resettable(Keepalive)),
  enabled: Type.Optional(Resettable(Enabled)),
  expires_at: Type.Optional(Nullable(Expiry)),
});
export type VpnPeerChange = Static<typeof VpnPeerChange>;
