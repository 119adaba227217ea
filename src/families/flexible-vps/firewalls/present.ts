import { presentOperation } from '../../../kernel/operations/schema.ts';
import type { StoredOperation } from '../../../kernel/operations/store.ts';
import { firewalls } from './resource.ts';
import type { Firewall, FirewallAttachment } from './schema.ts';
import type { FirewallRow } from './table.ts';

/** An attachment as the query of `store.ts` returns it. */
export interface CountedAttachment {
  readonly id: string;
  readonly vm_id: string | null;
  readonly interface_id: string | null;
  /** The machine of the interface. */
  readonly interface_vm: string | null;
  readonly network_id: string | null;
  readonly selector: string | null;
  readonly vm_count: number;
  readonly created_at: string;
}

export interface ShownFirewall extends FirewallRow {
  readonly attached: readonly CountedAttachment[];
  readonly vm_count: number;
}

export function targetOf({
  vm_id,
  interface_id,
  interface_vm,
  network_id,
  selector,
}: Pick<
  CountedAttachment,
  'vm_id' | 'interface_id' | 'interface_vm' | 'network_id' | 'selector'
>): FirewallAttachment['target'] {
  if (vm_id !== null) return { type: 'vm', id: vm_id };
  if (interface_id !== null) return { type: 'interface', vm_id: interface_vm ?? '', id: interface_id };
  if (network_id !== null) return { type: 'network', id: network_id };
  return { type: 'label_selector', selector: selector ?? '' };
}

export function presentFirewall(
  row: ShownFirewall,
  operation: StoredOperation | undefined,
  baseUrl: string,
): Firewall {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    labels: row.labels,
    status: row.status,
    status_reason: row.status_reason,
    operation: operation === undefined ? null : presentOperation(operation, baseUrl),
    default_in: row.default_in,
    default_out: row.default_out,
    rules: row.rules.map(({ ports, remote_cidrs, remote_firewall_ids, ...rule }) => ({
      ...rule,
      ports: [...ports],
      remote_cidrs: [...remote_cidrs],
      remote_firewall_ids: [...remote_firewall_ids],
    })),
    attachments: row.attached.map((each) => ({
      id: each.id,
      target: targetOf(each),
      vm_count: each.vm_count,
      created_at: new Date(each.created_at).toISOString(),
    })),
    vm_count: row.vm_count,
    applied_at: row.applied_at?.toISOString() ?? null,
    etag: firewalls.etag(row),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
