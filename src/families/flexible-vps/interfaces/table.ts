import type { Generated, Insertable, Selectable } from 'kysely';
import type { Tables } from '../../../store/database.ts';
import type { InterfaceState } from './lifecycle.ts';

interface InterfacesTable {
  id: string;
  account_id: string;
  vm_id: string;
  kind: 'public' | 'private';
  network_id: string | null;
  mac: string;
  position: number;
  mtu: number;
  anti_spoofing: Generated<boolean>;
  description: Generated<string>;
  status: InterfaceState;
  version: Generated<number>;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
  provisioned_at: Date | null;
}

declare module '../../../store/database.ts' {
  interface Tables {
    vm_interfaces: InterfacesTable;
  }
}

export type InterfaceRow = Selectable<Tables['vm_interfaces']>;
export type NewInterface = Insertable<Tables['vm_interfaces']>;
