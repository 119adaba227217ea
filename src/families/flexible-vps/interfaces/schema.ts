import { addressFor } from '../../../kernel/chosen-addresses.ts';
import { etagOf } from '../../../kernel/etag.ts';
import { exampleOf } from '../../../kernel/examples.ts';
import { PendingOperation, presentOperation } from '../../../kernel/operations/schema.ts';
import type { StoredOperation } from '../../../kernel/operations/store.ts';
import { Instruction, Resettable } from '../../../kernel/resets.ts';
import type { ResourceRef } from '../../../kernel/resource-ref.ts';
import {
  advanced,
  CreatedAt,
  Description,
  Etag,
  Id,
  label,
  Named,
  NewDescription,
  Nullable,
  OneOf,
  OwnId,
  ProvisionedAt,
  Shape,
  type Static,
  Type,
  UpdatedAt,
  volatile,
  whenSent,
} from '../../../kernel/schema.ts';
import { VmNetworkRef } from '../references.ts';
import { interfaceLife } from './lifecycle.ts';
import type { InterfaceRow } from './table.ts';

export const InterfaceKind = Named(
  'InterfaceKind',
  OneOf(
    { public: 'It has the public addresses.', private: 'It is in a private network.' },
    { description: 'Which network the interface is in.' },
  ),
);

const AntiSpoofing = Type.Boolean({
  ...advanced,
  description: 'Blocks outgoing packets whose source address does not belong to the interface.',
});

export const Interface = Named(
  'Interface',
  Shape({
    id: OwnId('nic'),
    vm_id: Id('vm', { description: 'The machine that the interface is part of.' }),
    kind: InterfaceKind,
    network_id: Nullable(Id('net', { description: 'The private network; null for the public interface.' })),
    mac: Type.String({
      description:
        'The MAC address, such as `02:4f:31:9a:00:7c`. That of a public interface is made from its first IPv4 address.',
    }),
    ipv4: Nullable(Type.String({ format: 'ipv4', description: 'The IPv4 address; null if it has none.' })),
    ipv6: Nullable(Type.String({ format: 'ipv6', description: 'The IPv6 address; null if it has none.' })),
    alias_ips: Type.Array(Type.String(), { description: 'Additional addresses of the interface.' }),
    anti_spoofing: AntiSpoofing,
    mtu: Type.Integer({ 'x-unit': 'bytes', description: 'The largest packet that the interface sends.' }),
    index: Type.Integer({ description: 'The position of the interface in the guest. It never changes.' }),
    firewall_ids: Type.Array(Id('fw'), {
      ...volatile,
      description: 'The firewalls that apply to the interface, however they are attached.',
    }),
    description: Description,
    status: interfaceLife.ShownStatus,
    operation: PendingOperation,
    etag: Etag,
    created_at: CreatedAt,
    provisioned_at: ProvisionedAt,
    updated_at: UpdatedAt,
  }),
  { columns: ['kind', 'network_id', 'ipv4', 'ipv6', 'mac', 'status'] },
);
export type Interface = Static<typeof Interface>;

/** The addresses of a private interface (`network_addresses`) or a public one (`public_addresses`). */
export interface InterfaceAddresses {
  readonly ipv4: string | null;
  readonly ipv6: string | null;
  readonly aliases: readonly string[];
}

export const interfaceRef = ({ id }: Pick<InterfaceRow, 'id'>): ResourceRef => ({
  type: 'interface',
  id,
  name: null,
});

export const interfaceEtag = ({ id, version }: Pick<InterfaceRow, 'id' | 'version'>): string =>
  etagOf(id, version);

export function presentInterface(
  row: InterfaceRow & { readonly firewall_ids: readonly string[] },
  addresses: InterfaceAddresses,
  operation: StoredOperation | undefined,
  baseUrl: string,
): Interface {
  return {
    id: row.id,
    vm_id: row.vm_id,
    kind: row.kind,
    network_id: row.network_id,
    mac: row.mac,
    ipv4: addresses.ipv4,
    ipv6: addresses.ipv6,
    alias_ips: [...addresses.aliases],
    anti_spoofing: row.anti_spoofing,
    mtu: row.mtu,
    index: row.position,
    firewall_ids: [...row.firewall_ids],
    description: row.description,
    status: row.status,
    operation: operation === undefined ? null : presentOperation(operation, baseUrl),
    etag: interfaceEtag(row),
    created_at: row.created_at.toISOString(),
    provisioned_at: row.provisioned_at?.toISOString() ?? null,
    updated_at: row.updated_at.toISOString(),
  };
}

const NewAntiSpoofing = { ...AntiSpoofing, default: true };
const Addresses = Type.Array(Type.String({ maxLength: 45, ...addressFor('private_address') }), {
  default: [],
  maxItems: 10,
  ...label('Additional addresses'),
  ...advanced,
  description:
    'All additional addresses of the network for this interface. Stored as a sorted list of their shortest forms.',
});
const moveAliases = Type.Optional(
  Instruction({
    ...Type.Boolean(),
    default: false,
    ...whenSent('alias_ips'),
    ...advanced,
    description: 'Whether aliases that other machines in the network have are taken over, in one step.',
  }),
);

export const AttachInterface = Shape({
  network_id: {
    ...VmNetworkRef,
    description: 'The private network to join, in the location of the machine.',
  },
  ipv4: Type.Optional(
    Type.String({
      maxLength: 15,
      format: 'ipv4',
      ...addressFor('private_address'),
      description: 'A free address of the network. Default: the lowest free address.',
    }),
  ),
  ipv6: Type.Optional(
    Type.String({
      maxLength: 45,
      format: 'ipv6',
      ...addressFor('private_address'),
      description:
        'A free address of the network, stored as its shortest form. Default: derived from the MAC address.',
    }),
  ),
  alias_ips: Type.Optional(Addresses),
  anti_spoofing: Type.Optional(NewAntiSpoofing),
  description: Type.Optional(NewDescription),
  move_aliases: moveAliases,
});
export type AttachInterface = Static<typeof AttachInterface>;

export const UpdateInterface = Shape({
  alias_ips: Type.Optional(Resettable(Addresses)),
  anti_spoofing: Type.Optional(Resettable(NewAntiSpoofing)),
  description: Type.Optional(Resettable(NewDescription)),
  move_aliases: moveAliases,
});
export type UpdateInterface = Static<typeof UpdateInterface>;

export const InterfaceId = Shape({ id: Id('vm'), interface_id: Id('nic') });

export const exampleInterface = exampleOf(Interface, {
  kind: 'private',
  network_id: 'net_01jqzv2m7xe9rs5d3k8w4t6y0b',
  mac: '02:4f:31:9a:00:7c',
  ipv4: '10.10.0.20',
  ipv6: 'fd3f:91c2:77a0:1b:4f:31ff:fe9a:7c',
  anti_spoofing: true,
  mtu: 1442,
  index: 1,
});
