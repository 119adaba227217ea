/** The schemas of private networks in requests and answers. */
import { addressFor } from '../../../kernel/chosen-addresses.ts';
import { readAs } from '../../../kernel/member-marks.ts';
import { PendingOperation } from '../../../kernel/operations/schema.ts';
import { Resettable } from '../../../kernel/resets.ts';
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
  OneOf,
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
import { hostName } from '../../../kernel/text-patterns.ts';
import { LocationRef } from '../references.ts';
import { networkLife } from './lifecycle.ts';

export const MTU = 1442;
export const MOST_IN_USE = 500;

const Address = Type.String({ minLength: 2, maxLength: 45 });
const Hop = { ...Address, ...addressFor('private_address') };
const Range = Type.String({ minLength: 4, maxLength: 49, format: 'cidr' });
const Destination = { ...Range, ...addressFor('route_destination') };

const DomainName = Type.String({
  maxLength: 253,
  format: 'hostname',
  ...addressFor('host_name'),
  description:
    'The domain that machines search for short host names; null: none, the default of a new network.',
  ...hostName,
});

const Route = Named(
  'NetworkRoute',
  Shape({
    destination: { ...Range, description: 'The range of addresses that the route leads to.' },
    next_hop: { ...Address, description: 'The address inside the network that packets are sent to.' },
    description: Description,
  }),
);
const NewRoute = Named(
  'NewNetworkRoute',
  Shape({
    destination: {
      ...Destination,
      description: 'The range of addresses that the route leads to. Stored as its shortest form.',
      examples: ['192.168.50.0/24'],
    },
    next_hop: {
      ...Hop,
      description: 'The address inside the network that packets are sent to. Stored as its shortest form.',
    },
    description: Type.Optional(NewDescription),
  }),
);

/** 50 is the maximum for any network; the limit of the account may be lower. */
const Routes = {
  ...Type.Array(NewRoute, {
    maxItems: 50,
    ...advanced,
    description: 'The complete list of routes; each destination once.',
  }),
  default: [],
};
const Servers = Type.Array(
  { ...Address, ...addressFor('dns_server') },
  {
    default: [],
    maxItems: 3,
    uniqueItems: true,
    examples: [['2001:db8::53']],
    description:
      'Addresses of the DNS servers that machines get, stored as their shortest form. Empty or null, the default of a new network: those of the provider.',
  },
);
const Delete = Type.Boolean({ description: 'Refuse to delete the network.' });
const Nat4 = Type.Boolean({
  description: 'Whether machines without a public IPv4 address reach the internet over IPv4.',
});
const Nat6 = Type.Boolean({
  description: 'Whether machines without a public IPv6 address reach the internet over IPv6.',
});
const PROTECTION = 'What is refused until you switch the protection off.';
const DNS = 'What machines in the network get as DNS settings.';
const NAT = 'Whether machines without a public address can reach the internet.';
const Protection = Shape({ delete: Delete }, { description: PROTECTION });
const NewNat = { ipv4: { ...Nat4, default: true }, ipv6: { ...Nat6, default: false } };
const NewProtection = { delete: { ...Delete, default: false } };

export const Network = Named(
  'Network',
  Shape({
    id: OwnId('net'),
    name: ResourceName,
    description: Description,
    labels: Labels,
    status: networkLife.ShownStatus,
    status_reason: Nullable(
      Type.String({
        ...volatile,
        description: 'The code of the error that led to this status; null if there was none.',
      }),
    ),
    operation: PendingOperation,
    location: {
      ...Slug,
      description: 'The slug of the location. Only machines there can join.',
    },
    ipv4_cidr: Type.String({
      format: 'cidr',
      ...label('IPv4 range'),
      description: 'The IPv4 range of the network, such as `10.10.0.0/24`.',
    }),
    ipv4_gateway: Type.String({
      format: 'ipv4',
      description: 'The gateway: the first address. The last two addresses are reserved as well.',
    }),
    ipv6_cidr: Nullable(
      Type.String({
        format: 'cidr',
        ...label('IPv6 range'),
        description:
          'A /64 of unique local addresses (RFC 4193) that no other network has; null if there is none.',
      }),
    ),
    nat: Shape({ ipv4: Nat4, ipv6: Nat6 }, { description: NAT }),
    dns: Shape(
      {
        servers: Type.Array(Type.String(), { description: 'The DNS servers; empty: those of the provider.' }),
        domain: Nullable(
          Type.String({
            format: 'hostname',
            description: 'The domain that machines search for short host names; null: none.',
          }),
        ),
      },
      { description: DNS },
    ),
    mtu: Type.Integer({ 'x-unit': 'bytes', description: 'The largest packet in the network.' }),
    routes: Type.Array(Route, { description: 'Routes that machines in the network get.' }),
    addresses: Shape(
      {
        ipv4_total: Type.Integer({ description: 'How many addresses machines can use.' }),
        ipv4_used: Type.Integer({ description: 'How many of these addresses are in use.' }),
      },
      { ...volatile, description: 'How full the IPv4 range is.' },
    ),
    in_use: Type.Optional(
      Type.Array(
        Shape({
          address: Type.String({ description: 'The address that is in use.' }),
          type: OneOf(
            {
              vm: 'A machine has the address.',
              vpn_gateway: 'A VPN gateway has the address.',
              gateway: 'The gateway of the network has the address.',
            },
            { description: 'What has the address.' },
          ),
          id: Type.String({
            description: 'The id of the machine or VPN gateway; for `gateway`, the id of the network.',
          }),
          interface_id: Nullable(
            Id('nic', { description: 'The interface of the machine that has it; null for gateways.' }),
          ),
        }),
        {
          ...volatile,
          description: `The addresses in use: the first ${MOST_IN_USE}, in ascending order. Only shown when you get a single network.`,
        },
      ),
    ),
    protection: Protection,
    etag: Etag,
    created_at: CreatedAt,
    provisioned_at: ProvisionedAt,
    updated_at: UpdatedAt,
  }),
  { columns: ['name', 'status', 'location', 'ipv4_cidr', 'ipv6_cidr', 'addresses'] },
);
export type Network = Static<typeof Network>;

const Dns = Named(
  'NewDns',
  Shape(
    { servers: Type.Optional(Resettable(Servers)), domain: Type.Optional(Nullable(DomainName)) },
    { ...label('DNS settings'), ...advanced, description: `${DNS} Default: those of the provider.` },
  ),
);

export const NewNetwork = Shape({
  name: ResourceName,
  location: {
    ...LocationRef,
    description: 'The slug of the location, such as `fra1`. Only machines there can join.',
  },
  ipv4_cidr: {
    ...Range,
    ...addressFor('network_range'),
    ...label('IPv4 range'),
    description:
      'The IPv4 range of the network: inside 10/8, 172.16/12, 192.168/16 or 100.64/10, from /16 to /28, host bits zero.',
  },
  ipv6: Type.Optional(
    Type.Boolean({
      default: true,
      ...readAs({ present: '/ipv6_cidr' }),
      ...label('IPv6 range'),
      description: 'Whether the network gets a /64.',
    }),
  ),
  nat: Type.Optional(
    Shape(
      { ipv4: Type.Optional(NewNat.ipv4), ipv6: Type.Optional(NewNat.ipv6) },
      { default: {}, ...label('Internet access'), description: NAT },
    ),
  ),
  dns: Type.Optional({ ...Dns, default: { servers: [], domain: null } }),
  routes: Type.Optional(Routes),
  labels: Type.Optional({ ...Labels, default: {} }),
  description: Type.Optional(NewDescription),
  protection: Type.Optional(
    Shape({ delete: Type.Optional(NewProtection.delete) }, { default: {}, description: PROTECTION }),
  ),
});
export type NewNetwork = Static<typeof NewNetwork>;

export const NetworkChange = Shape({
  name: Type.Optional(ResourceName),
  labels: Type.Optional(LabelsPatch),
  description: Type.Optional(Resettable(NewDescription)),
  nat: Type.Optional(
    Resettable(
      Shape(
        {
          ipv4: Type.Optional(Resettable(NewNat.ipv4)),
          ipv6: Type.Optional(Resettable(NewNat.ipv6)),
        },
        { description: NAT },
      ),
    ),
  ),
  dns: Type.Optional(Resettable({ ...Dns, description: `${DNS} Members you leave out stay unchanged.` })),
  routes: Type.Optional(Resettable(Routes)),
  protection: Type.Optional(
    Resettable(
      Shape({ delete: Type.Optional(Resettable(NewProtection.delete)) }, { description: PROTECTION }),
    ),
  ),
});
export type NetworkChange = Static<typeof NetworkChange>;

/** The settings that the engine needs and that an update can change. */
export const Settings = Shape({
  nat: Shape({ ipv4: Type.Boolean(), ipv6: Type.Boolean() }),
  dns: Shape({ servers: Type.Array(Type.String()), domain: Nullable(Type.String()) }),
  routes: Type.Array(Route),
});
export type Settings = Static<typeof Settings>;
