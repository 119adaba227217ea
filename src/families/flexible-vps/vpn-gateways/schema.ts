/** The schemas of VPN gateways in requests and answers. */

import { addressFor } from '../../../kernel/chosen-addresses.ts';
import { exampleOf } from '../../../kernel/examples.ts';
import { readAs } from '../../../kernel/member-marks.ts';
import { PendingOperation } from '../../../kernel/operations/schema.ts';
import { Instruction, Resettable } from '../../../kernel/resets.ts';
import {
  advanced,
  CreatedAt,
  Description,
  Etag,
  Id,
  Labels,
  LabelsPatch,
  label,
  Named,
  NewDescription,
  Nullable,
  OwnId,
  ProvisionedAt,
  ResourceName,
  Shape,
  Slug,
  type Static,
  Type,
  UpdatedAt,
  volatile,
} from '../../../kernel/schema.ts';
import { GatewayNetworkRef, LocationRef, NewGatewayNetworkRef } from '../references.ts';
import { vpnGatewayLife } from './lifecycle.ts';

export const TUNNEL_MTU = 1380;
export const DEFAULT_PORT = 51820;
const MOST_NETWORKS = 5;

const Delete = Type.Boolean({ description: 'Refuse to delete the gateway.' });
const PROTECTION = 'What is refused until you switch the protection off.';
const NewDelete = { ...Delete, default: false };

const Port = Type.Integer({
  minimum: 1024,
  maximum: 65535,
  default: DEFAULT_PORT,
  ...advanced,
  ...readAs('/endpoint/port'),
  description: 'The UDP port that peers connect to.',
});
const NetworkIds = (network: typeof GatewayNetworkRef) =>
  Type.Array(network, {
    minItems: 1,
    maxItems: MOST_NETWORKS,
    uniqueItems: true,
    ...label('Networks'),
    description: 'The private networks that peers reach, all in the location of the gateway.',
  });
const DnsServers = Type.Array(Type.String({ minLength: 2, maxLength: 45, ...addressFor('dns_server') }), {
  default: [],
  maxItems: 3,
  uniqueItems: true,
  ...advanced,
  description: 'DNS servers for the configurations of peers, stored as their shortest form. Empty: none.',
});

export const VpnGateway = Named(
  'VpnGateway',
  Shape({
    id: OwnId('vpn'),
    name: ResourceName,
    description: Description,
    labels: Labels,
    status: vpnGatewayLife.ShownStatus,
    status_reason: Nullable(
      Type.String({
        ...volatile,
        description: 'The code of the error that led to this status; null if there was none.',
      }),
    ),
    operation: PendingOperation,
    location: { ...Slug, description: 'The slug of the location of the gateway and its networks.' },
    network_ids: Type.Array(Id('net'), { description: 'The private networks that peers reach.' }),
    endpoint: Shape(
      {
        ipv4: Type.String({ format: 'ipv4', description: 'The public IPv4 address of the gateway.' }),
        ipv6: Nullable(
          Type.String({ format: 'ipv6', description: 'The public IPv6 address; null if there is none.' }),
        ),
        port: Type.Integer({ description: 'The UDP port that peers connect to.' }),
      },
      { description: 'Where peers connect to.' },
    ),
    public_key: Type.String({
      ...volatile,
      description: 'The public key of the gateway. An update with `rotate_key` replaces it.',
    }),
    tunnel_ipv4_cidr: Type.String({
      format: 'cidr',
      ...label('Tunnel range'),
      description: 'The range that the tunnel addresses of peers come from. The gateway has the first.',
    }),
    tunnel_ipv6_cidr: Nullable(
      Type.String({ format: 'cidr', description: 'The IPv6 range of the tunnel; null if it has none.' }),
    ),
    dns_servers: Type.Array(Type.String(), { description: 'DNS servers in the configurations of peers.' }),
    mtu: Type.Integer({ 'x-unit': 'bytes', description: 'The largest packet in the tunnel.' }),
    peer_count: Type.Integer({ ...volatile, description: 'How many peers the gateway has.' }),
    protection: Shape({ delete: Delete }, { description: PROTECTION }),
    etag: Etag,
    created_at: CreatedAt,
    provisioned_at: ProvisionedAt,
    updated_at: UpdatedAt,
  }),
  { columns: ['name', 'status', 'location', 'endpoint', 'tunnel_ipv4_cidr', 'peer_count'] },
);
export type VpnGateway = Static<typeof VpnGateway>;

export const NewVpnGateway = Shape({
  name: ResourceName,
  location: { ...LocationRef, description: 'The slug of the location, such as `fra1`.' },
  network_ids: NetworkIds(NewGatewayNetworkRef),
  port: Type.Optional(Port),
  tunnel_ipv4_cidr: Type.Optional(
    Type.String({
      minLength: 9,
      maxLength: 18,
      format: 'cidr',
      ...addressFor('tunnel_range'),
      ...advanced,
      ...label('Tunnel range'),
      description:
        'A private range from /20 to /28, host bits zero. Default: a free /24 of 100.96.0.0/11 that overlaps no network.',
    }),
  ),
  ipv6: Type.Optional(
    Type.Boolean({
      default: true,
      ...advanced,
      ...readAs({ present: '/tunnel_ipv6_cidr' }),
      ...label('IPv6 in the tunnel'),
      description: 'Whether peers also get IPv6 addresses in the tunnel.',
    }),
  ),
  dns_servers: Type.Optional(DnsServers),
  labels: Type.Optional({ ...Labels, default: {} }),
  description: Type.Optional(NewDescription),
  protection: Type.Optional(
    Shape({ delete: Type.Optional(NewDelete) }, { default: {}, description: PROTECTION }),
  ),
});
export type NewVpnGateway = Static<typeof NewVpnGateway>;

export const VpnGatewayChange = Shape({
  name: Type.Optional(ResourceName),
  labels: Type.Optional(LabelsPatch),
  description: Type.Optional(Resettable(NewDescription)),
  network_ids: Type.Optional(NetworkIds(GatewayNetworkRef)),
  port: Type.Optional(Resettable(Port)),
  dns_servers: Type.Optional(Resettable(DnsServers)),
  rotate_key: Type.Optional(
    Instruction({
      ...Type.Boolean({
        writeOnly: true,
        description: 'Whether the gateway gets a new key. All peers then need their new configuration.',
      }),
      default: false,
    }),
  ),
  protection: Type.Optional(
    Resettable(Shape({ delete: Type.Optional(Resettable(NewDelete)) }, { description: PROTECTION })),
  ),
});
export type VpnGatewayChange = Static<typeof VpnGatewayChange>;

export const exampleGateway = exampleOf(VpnGateway, {
  name: 'office',
  location: 'fra1',
  network_ids: ['net_01jqzv2m7xe9rs5d3k8w4t6y0b'],
  endpoint: { ipv4: '203.0.113.40', ipv6: '2001:db8:100:4::1', port: DEFAULT_PORT },
  public_key: 'HIgo9xNzJMWLKASShiTqIybxZ0U3wGLiUeJ1PKf8ykw=',
  tunnel_ipv4_cidr: '100.96.0.0/24',
  tunnel_ipv6_cidr: 'fd3f:91c2:77a0:6001::/64',
  mtu: TUNNEL_MTU,
  peer_count: 0,
  provisioned_at: '2026-03-01T10:00:08.000Z',
  updated_at: '2026-03-01T10:00:08.000Z',
});
