/** A private network as the API shows and takes it. */

import { Immutable } from '../../../kernel/immutable-members.ts';
import { OperationView } from '../../../kernel/operations/schema.ts';
import {
  Id,
  Labels,
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

/** As many as any network can have; the account's own limit may be lower. */
const Routes = Type.Array(NewRoute, { maxItems: 50, description: 'All of them, each destination once.' });
const Servers = Type.Array(Address, { maxItems: 3, uniqueItems: true });
const Protection = Shape({ delete: Type.Boolean() });

export const Network = Named(
  'Network',
  Shape({
    id: Id('net'),
    name: ResourceName,
    description: Type.String(),
    labels: Labels,
    status: networkLife.Status,
    status_reason: Nullable(Type.String({ description: 'The code of what went wrong.' })),
    operation: Nullable(OperationView),
    location: { ...Slug, 'x-immutable': true },
    ipv4_cidr: Type.String({ 'x-immutable': true }),
    ipv4_gateway: Type.String({ description: 'The first address; the last two are kept back as well.' }),
    ipv6_cidr: Nullable(
      Type.String({
        'x-immutable': true,
        description: 'A /64 of unique local addresses (RFC 4193) that no other network has.',
      }),
    ),
    nat: Shape(
      { ipv4: Type.Boolean(), ipv6: Type.Boolean() },
      { description: 'Whether machines without a public address have a way out.' },
    ),
    dns: Shape({ servers: Type.Array(Type.String()), domain: Nullable(Type.String()) }),
    mtu: Type.Integer(),
    routes: Type.Array(Route),
    addresses: Shape({
      ipv4_total: Type.Integer({ description: 'Those that machines can have.' }),
      ipv4_used: Type.Integer(),
    }),
    in_use: Type.Optional(
      Type.Array(
        Shape({
          address: Type.String(),
          type: OneOf(['vm', 'vpn_gateway', 'gateway']),
          id: Type.String({ description: 'Of the machine; of a gateway, that of the network.' }),
          interface_id: Nullable(Id('nic')),
        }),
        { description: `The first ${MOST_IN_USE}, in their order. Only where one network is read.` },
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
  location: Slug,
  ipv4_cidr: {
    ...Range,
    description: 'Inside 10/8, 172.16/12, 192.168/16 or 100.64/10, from /16 to /28, host bits zero.',
  },
  ipv6: Type.Optional(Type.Boolean({ default: true, description: 'A /64 is assigned.' })),
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
  labels: Type.Optional(Labels),
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

/** What the engine has to know, and an update can change. */
export const Settings = Shape({
  nat: Shape({ ipv4: Type.Boolean(), ipv6: Type.Boolean() }),
  dns: Shape({ servers: Type.Array(Type.String()), domain: Nullable(Type.String()) }),
  routes: Type.Array(Route),
});
export type Settings = Static<typeof Settings>;
