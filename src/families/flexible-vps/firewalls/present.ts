import { view } from '../../../resources/records/records.ts';
import { firewallExample } from './example.ts';
import { firewalls } from './resource.ts';
import { Firewall, type FirewallAttachment } from './schema.ts';
import { type CountedAttachment, firewallParts } from './store.ts';

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

export const firewallView = view(firewalls, {
  schema: Firewall,
  example: firewallExample,
  more: firewallParts,
  compute: (row) => ({
    attachments: row.attached.map((each) => ({
      id: each.id,
      target: targetOf(each),
      vm_count: each.vm_count,
      created_at: new Date(each.created_at).toISOString(),
    })),
  }),
});
