/** The schemas of addresses in requests and answers. */
import { addressFor } from '../../../kernel/chosen-addresses.ts';
import { readAs } from '../../../kernel/member-marks.ts';
import { PendingOperation } from '../../../kernel/operations/schema.ts';
import { Resettable } from '../../../kernel/resets.ts';
import {
  advanced,
  byProvider,
  byRule,
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
  Price,
  ProvisionedAt,
  ResourceName,
  Shape,
  Slug,
  type Static,
  Time,
  Type,
  UpdatedAt,
  volatile,
} from '../../../kernel/schema.ts';
import { addressLife } from '../../../resources/addresses/lifecycle.ts';
import { LocationRef, NearVmRef } from '../../flexible-vps/offers.ts';

const kinds = {
  ephemeral: 'It lives as long as the machine or VPN gateway that it was created with.',
  reserved: 'It is yours until you release it: a single IPv4 address or an IPv6 prefix of the length 64.',
  subnet: 'A larger block, which is yours until you release it and is routed as a whole.',
} as const;
export const Kind = Named('AddressKind', OneOf(kinds, { description: 'How long you have the address.' }));

const families = {
  ipv4: 'Four numbers, such as 203.0.113.7.',
  ipv6: 'Eight groups of digits, such as 2001:db8::1. Machines get a whole prefix.',
} as const;
export const Version = Named('AddressFamily', OneOf(families, { description: 'The version of IP.' }));

const holders = {
  vm: 'A machine of Flexible VPS has it.',
  vpn_gateway: 'The peers of a VPN gateway connect to it.',
} as const;

const Assignment = Named(
  'AddressAssignment',
  Shape({
    type: OneOf(holders, { description: 'What kind of resource has the address.' }),
    id: Type.String({ ...byProvider, description: 'The id of the resource that has the address.' }),
    name: Type.String({ description: 'The name of the resource that has the address.' }),
    since: { ...Time, description: 'When it got the address.' },
  }),
);

const routings = {
  normal: 'Traffic reaches the address.',
  null_routed: 'The provider drops all traffic to the address, for example during an attack.',
} as const;

const NullRoute = Named(
  'NullRoute',
  Shape({
    reason: Type.String({ ...byProvider, description: 'Why the provider drops the traffic.' }),
    since: { ...Time, description: 'Since when traffic is dropped.' },
    until: Nullable({ ...Time, description: 'When it ends by itself; null if the provider ends it.' }),
  }),
);

const Delete = Type.Boolean({ description: 'Refuse to release the address.' });
const PROTECTION = 'What is refused until you switch the protection off.';
const NewDelete = { ...Delete, default: false };

const JUSTIFICATION_IS = 'What you need the block for. Registries ask for it.';

export const Address = Named(
  'Address',
  Shape({
    id: OwnId('ip'),
    name: {
      ...ResourceName,
      description: 'A name that you choose. Without one, an address is named after itself.',
    },
    description: Description,
    labels: Labels,
    status: addressLife.ShownStatus,
    operation: PendingOperation,
    location: { ...Slug, description: 'The slug of the location. Only machines there can have the address.' },
    family: Version,
    kind: Kind,
    cidr: Type.String({
      format: 'cidr',
      ...label('Range'),
      description: 'The address with its prefix length.',
    }),
    address: Type.String({
      description: 'The address itself, or the first usable one of a prefix or subnet.',
    }),
    prefix_length: Type.Integer({
      'x-unit': 'bits',
      description: '32 for a single IPv4 address, 64 for the IPv6 prefix of a machine.',
    }),
    gateway: Nullable(
      Type.String({
        format: 'ipv4',
        ...volatile,
        description: 'The gateway that the guest uses; null for prefixes and subnets, which are routed.',
      }),
    ),
    netmask: Nullable(
      Type.String({
        format: 'ipv4',
        ...volatile,
        description: 'The netmask that the guest uses; null for prefixes and subnets.',
      }),
    ),
    assignment: Nullable({
      ...Assignment,
      ...volatile,
      description: 'What has the address; null if nothing has it.',
    }),
    routing: OneOf(routings, { ...volatile, description: 'Whether traffic reaches the address.' }),
    null_route: Nullable({
      ...NullRoute,
      ...volatile,
      description: 'Why and for how long the provider drops the traffic; null if it does not.',
    }),
    protection: Shape({ delete: Delete }, { description: PROTECTION }),
    releasable: Type.Boolean({
      ...volatile,
      description: 'Whether `releaseAddress` can give it back. An ephemeral address goes with its machine.',
    }),
    justification: Nullable(Type.String({ description: `${JUSTIFICATION_IS} Null if nobody said.` })),
    price: {
      ...Price,
      ...volatile,
      description:
        'What it costs, net of tax, assigned or not. An ephemeral address is part of the price of its machine.',
    },
    etag: Etag,
    created_at: CreatedAt,
    provisioned_at: ProvisionedAt,
    updated_at: UpdatedAt,
  }),
  { columns: ['name', 'cidr', 'kind', 'status', 'location', 'assignment'] },
);
export type Address = Static<typeof Address>;

/** Some endpoints will also take dedicated servers, so the type of the machine stands beside its id. */
const targets = { vm: 'A machine of Flexible VPS.' } as const;
const TargetType = OneOf(targets, { description: 'What kind of machine gets the address.' });

const AssignTo = Shape(
  {
    type: { ...TargetType, ...readAs('/assignment/type') },
    id: {
      ...NearVmRef,
      ...readAs('/assignment/id'),
      ...label('Machine'),
      description: 'A machine in the location of the address.',
    },
  },
  { description: 'The machine that gets the address at once. Default: none.' },
);

export const ReserveAddress = Named(
  'ReserveAddress',
  Shape({
    location: { ...LocationRef, description: 'The slug of the location, such as `fra1`.' },
    family: Version,
    prefix_length: Type.Optional(
      Type.Integer({
        minimum: 27,
        maximum: 64,
        'x-unit': 'bits',
        ...advanced,
        description:
          'IPv4: 32 (default), or 29, 28 or 27 for a subnet. IPv6: 64 (default), 56 or 48. Machines can have 32 and 64.',
      }),
    ),
    address: Type.Optional(
      Type.String({
        minLength: 2,
        maxLength: 49,
        ...byRule,
        ...addressFor('filter'),
        ...advanced,
        description:
          'An address that you released within the last 7 days, to take it back. Default: the provider chooses, and prefers those that you released.',
      }),
    ),
    name: Type.Optional({
      ...ResourceName,
      description: 'A name that you choose. Default: the address itself, such as `198-51-100-7`.',
    }),
    assign_to: Type.Optional(AssignTo),
    justification: Type.Optional(
      Type.String({
        minLength: 20,
        maxLength: 1000,
        ...advanced,
        description: `${JUSTIFICATION_IS} Required with a prefix_length of 29, 28, 27 or 48. Default: none.`,
      }),
    ),
    labels: Type.Optional({ ...Labels, default: {} }),
    description: Type.Optional(NewDescription),
    protection: Type.Optional(
      Shape({ delete: Type.Optional(NewDelete) }, { default: {}, description: PROTECTION }),
    ),
  }),
);
export type ReserveAddress = Static<typeof ReserveAddress>;

export const AddressChange = Named(
  'AddressChange',
  Shape({
    name: Type.Optional(
      Resettable({ ...ResourceName, description: 'A name that you choose. Null names it after itself.' }),
    ),
    labels: Type.Optional(LabelsPatch),
    description: Type.Optional(Resettable(NewDescription)),
    protection: Type.Optional(
      Resettable(Shape({ delete: Type.Optional(Resettable(NewDelete)) }, { description: PROTECTION })),
    ),
    kind: Type.Optional(
      Resettable({
        ...Kind,
        ...advanced,
        description:
          '`reserved` keeps an ephemeral address, which then has its own price. Nothing else can be changed; null means the same.',
      }),
    ),
  }),
);
export type AddressChange = Static<typeof AddressChange>;

export const AddressId = Shape({ id: Id('ip') });

export const Target = Shape(
  {
    type: TargetType,
    id: { ...NearVmRef, ...label('Machine'), description: 'A machine in the location of the address.' },
  },
  { description: 'The machine that gets the address; null takes it from the machine that has it.' },
);
