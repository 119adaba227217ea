import type { Generated, Selectable } from 'kysely';
import type { OwnedTable } from '../../../resources/owned/table.ts';
import type { Tables } from '../../../store/database.ts';
import type { NetworkStatus } from './lifecycle.ts';

export interface Route {
  readonly destination: string;
  readonly next_hop: string;
  readonly description: string;
}

interface NetworksTable extends OwnedTable {
  description: Generated<string>;
  location: string;
  ipv4_cidr: string;
  ipv6_cidr: string | null;
  nat: { readonly ipv4: boolean; readonly ipv6: boolean };
  dns: { readonly servers: readonly string[]; readonly domain: string | null };
  mtu: number;
  routes: readonly Route[];
  protected: Generated<boolean>;
  status: NetworkStatus;
  status_reason: string | null;
  provisioned_at: Date | null;
}

interface NetworkAddressesTable {
  network_id: string;
  address: string;
  /** Of a machine; null if a VPN gateway has the address. */
  interface_id: string | null;
  gateway_id: Generated<string | null>;
  role: 'ipv4' | 'ipv6' | 'alias';
}

declare module '../../../store/database.ts' {
  interface Tables {
    vps_networks: NetworksTable;
    network_addresses: NetworkAddressesTable;
  }
}

export type NetworkRow = Selectable<Tables['vps_networks']>;
