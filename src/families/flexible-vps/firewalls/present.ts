import { presenter } from '../../../kernel/presenter.ts';
import { firewalls } from './resource.ts';
import { Firewall, type FirewallAttachment } from './schema.ts';
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

export const presentFirewall = presenter(Firewall, {
  etag: (row: ShownFirewall) => firewalls.etag(row),
  compute: (row) => ({
    attachments: row.attached.map((each) => ({
      id: each.id,
      target: targetOf(each),
      vm_count: each.vm_count,
      created_at: new Date(each.created_at).toISOString(),
    })),
  }),
});
