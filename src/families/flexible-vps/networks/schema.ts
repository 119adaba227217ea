/** The schemas of private networks in requests and answers. */
import { Immutable } from '../../../kernel/immutable-members.ts';
import { OperationView } from '../../../kernel/operations/schema.ts';
import {
  Id,
  Labels,
  LabelsPatch,
  Named,
  Nullable,
  OneOf,
  ResourceName,
  Shape,
  Slug,
  type Static,
  Time,
  Type,
} from '../../../kernel/schema.ts';
import { LocationRef } from '../references.ts';
import { networkLife } from './lifecycle.ts';

export const MTU = 1442;
export const MOST_IN_USE = 500;

const Address = Type.String({ minLength: 2, maxLength: 45 });
const Range = Type.String({ minLength: 4, maxLength: 49 });
const Description = Type.String({ maxLength: 255 });

const DomainName = Type.String({
  maxLength: 253,
  pattern: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$',
});

const Route = Named(
  'NetworkRoute',
  Shape({ destination: Range, next_hop: Address, description: Description }),
);
const NewRoute = Shape({
  destination: { ...Range, examples: ['192.168.50.0/24'] },
  next_hop: { ...Address, description: 'An address inside the network.' },
  description: Type.Optional(Description),
});

/** 50 is the maximum for any network; the limit of the account may be lower. */
const Routes = Type.Array(NewRoute, {
  maxItems: 50,
  description: 'The complete list; each destination once.',
});
const Servers = Type.Array(Address, { maxItems: 3, uniqueItems: true });
const Protection = Shape({ delete: Type.Boolean() });

export const Network = Named(
  'Network',
  Shape({
    id: Id('net'),
    name: ResourceName,
    description: Type.String(),
    labels: Labels,
    status: networkLife.ShownStatus,
    status_reason: Nullable(Type.String({ description: 'The error code, if something went wrong.' })),
    operation: Nullable(OperationView),
    location: { ...Slug, 'x-immutable': true },
    ipv4_cidr: Type.String({ 'x-immutable': true }),
    ipv4_gateway: Type.String({
      description: 'The first address. The last two addresses are reserved as well.',
    }),
    ipv6_cidr: Nullable(
      Type.String({
        'x-immutable': true,
        description: 'A /64 of unique local addresses (RFC 4193) that no other network has.',
      }),
    ),
    nat: Shape(
      { ipv4: Type.Boolean(), ipv6: Type.Boolean() },
      { description: 'Whether machines without a public address can reach the internet.' },
    ),
    dns: Shape({ servers: Type.Array(Type.String()), domain: Nullable(Type.String()) }),
    mtu: Type.Integer(),
    routes: Type.Array(Route),
    addresses: Shape({
      ipv4_total: Type.Integer({ description: 'Addresses that machines can use.' }),
      ipv4_used: Type.Integer(),
    }),
    in_use: Type.Optional(
      Type.Array(
        Shape({
          address: Type.String(),
          type: OneOf(['vm', 'vpn_gateway', 'gateway']),
          id: Type.String({ description: 'The id of the machine; for a gateway, the id of the network.' }),
          interface_id: Nullable(Id('nic')),
        }),
        {
          description: `The first ${MOST_IN_USE}, in ascending order. Only shown when you get a single network.`,
        },
      ),
    ),
    protection: Protection,
    etag: Type.String(),
    created_at: Time,
    updated_at: Time,
  }),
);
export type Network = Static<typeof Network>;

export const NetworkId = Shape({ id: Id('net') });

export const NewNetwork = Shape({
  name: ResourceName,
  location: LocationRef,
  ipv4_cidr: {
    ...Range,
    description: 'Inside 10/8, 172.16/12, 192.168/16 or 100.64/10, from /16 to /28, host bits zero.',
  },
  ipv6: Type.Optional(Type.Boolean({ default: true, description: 'Whether the network gets a /64.' })),
  nat: Type.Optional(
    Shape({
      ipv4: Type.Optional(Type.Boolean({ default: true })),
      ipv6: Type.Optional(Type.Boolean({ default: false })),
    }),
  ),
  dns: Type.Optional(Shape({ servers: Type.Optional(Servers), domain: Type.Optional(Nullable(DomainName)) })),
  routes: Type.Optional(Routes),
  labels: Type.Optional(Labels),
  description: Type.Optional(Description),
  protection: Type.Optional(Shape({ delete: Type.Optional(Type.Boolean({ default: false })) })),
});
export type NewNetwork = Static<typeof NewNetwork>;

export const NetworkChange = Shape({
  name: Type.Optional(ResourceName),
  labels: Type.Optional(LabelsPatch),
  description: Type.Optional(Description),
  nat: Type.Optional(Shape({ ipv4: Type.Optional(Type.Boolean()), ipv6: Type.Optional(Type.Boolean()) })),
  dns: Type.Optional(Shape({ servers: Type.Optional(Servers), domain: Type.Optional(Nullable(DomainName)) })),
  routes: Type.Optional(Routes),
  protection: Type.Optional(Shape({ delete: Type.Optional(Type.Boolean()) })),
  location: Immutable,
  ipv4_cidr: Immutable,
  ipv6: Immutable,
});
export type NetworkChange = Static<typeof NetworkChange>;

/** The settings that the engine needs and that an update can change. */
export const Settings = Shape({
  nat: Shape({ ipv4: Type.Boolean(), ipv6: Type.Boolean() }),
  dns: Shape({ servers: Type.Array(Type.String()), domain: Nullable(Type.String()) }),
  routes: Type.Array(Route),
});
export type Settings = Static<typeof Settings>;
