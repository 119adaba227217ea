import type { ResourceRef } from '../../../kernel/call.ts';
import { etagOf } from '../../../kernel/etag.ts';
import { Lifecycle } from '../../../kernel/lifecycle.ts';
import { OperationView, presentOperation } from '../../../kernel/operations/schema.ts';
import type { StoredOperation } from '../../../kernel/operations/store.ts';
import { Id, Named, Nullable, OneOf, Shape, type Static, Time, Type } from '../../../kernel/schema.ts';
import type { InterfaceRow } from '../tables.ts';

export const interfaceLife = new Lifecycle({
  resource: 'interface',
  table: 'vm_interfaces',
  states: ['attaching', 'active', 'updating', 'detaching'] as const,
  transitional: ['attaching', 'updating', 'detaching'],
  transitions: [
    { by: ['attachVmInterface', 'createVm'], from: null, through: 'attaching', to: ['active', null] },
    { by: ['updateVmInterface'], from: ['active'], through: 'updating', to: ['active'] },
    { by: ['detachVmInterface'], from: ['active'], through: 'detaching', to: [null, 'active'] },
    // Whatever the interface is at, it goes with the machine; a network waits until it rests.
    {
      by: ['deleteVm', 'deleteVpsNetwork'],
      from: ['attaching', 'active', 'updating', 'detaching'],
      to: [null],
    },
  ],
});

export const Interface = Named(
  'Interface',
  Shape({
    id: Id('nic'),
    vm_id: Id('vm'),
    kind: OneOf(['public', 'private']),
    network_id: Nullable(Id('net')),
    mac: Type.String(),
    ipv4: Nullable(Type.String()),
    ipv6: Nullable(Type.String()),
    alias_ips: Type.Array(Type.String()),
    anti_spoofing: Type.Boolean({ description: 'Lets nothing out that comes from other addresses.' }),
    mtu: Type.Integer(),
    index: Type.Integer({ description: 'The order in which the guest sees them; kept for its whole life.' }),
    firewall_ids: Type.Array(Id('fw')),
    description: Type.String(),
    status: interfaceLife.Status,
    operation: Nullable(OperationView),
    etag: Type.String(),
    created_at: Time,
    updated_at: Time,
  }),
);
export type Interface = Static<typeof Interface>;

/** The addresses of an interface, wherever they are kept. */
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
  row: InterfaceRow,
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
    firewall_ids: [],
    description: row.description,
    status: row.status as Interface['status'],
    operation: operation === undefined ? null : presentOperation(operation, baseUrl),
    etag: interfaceEtag(row),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
