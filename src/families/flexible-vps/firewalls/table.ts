import type { Generated, Selectable } from 'kysely';
import type { FirewallAction, FirewallProtocol } from '../../../engines/compute/port.ts';
import type { Selector } from '../../../kernel/pages/label-selector.ts';
import type { OwnedTable } from '../../../resources/owned/table.ts';
import type { Tables } from '../../../store/database.ts';
import type { FirewallStatus } from './lifecycle.ts';

/** A rule as it is stored: lists are sorted, addresses and ports have their shortest forms. */
export interface StoredRule {
  readonly id: string;
  readonly direction: 'in' | 'out';
  readonly action: FirewallAction;
  readonly protocol: FirewallProtocol;
  readonly ports: readonly string[];
  readonly remote_cidrs: readonly string[];
  readonly remote_firewall_ids: readonly string[];
  readonly icmp_type: number | null;
  readonly enabled: boolean;
  readonly description: string;
}

interface FirewallsTable extends OwnedTable {
  description: Generated<string>;
  default_in: FirewallAction;
  default_out: FirewallAction;
  rules: readonly StoredRule[];
  /** How many entries the rules are for each machine. */
  entries: number;
  status: FirewallStatus;
  status_reason: string | null;
  applied_at: Date | null;
  /** Where an engine has or may have the firewall. */
  locations: Generated<string[]>;
}

interface AttachmentsTable {
  id: string;
  account_id: string;
  firewall_id: string;
  vm_id: string | null;
  interface_id: string | null;
  network_id: string | null;
  selector: string | null;
  terms: Selector | null;
  created_at: Generated<Date>;
}

/** A view: which firewall applies to which machine, to one interface of it or to all (null). */
interface MembersView {
  attachment_id: string;
  account_id: string;
  firewall_id: string;
  vm_id: string;
  interface_id: string | null;
}

declare module '../../../store/database.ts' {
  interface Tables {
    firewalls: FirewallsTable;
    firewall_attachments: AttachmentsTable;
    firewall_members: MembersView;
  }
}

export type FirewallRow = Selectable<Tables['firewalls']>;
export type AttachmentRow = Selectable<Tables['firewall_attachments']>;
