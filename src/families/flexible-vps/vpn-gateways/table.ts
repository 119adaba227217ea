import type { Generated, Selectable } from 'kysely';
import type { OwnedTable } from '../../../resources/owned/table.ts';
import type { Tables } from '../../../store/database.ts';
import type { VpnGatewayStatus } from './lifecycle.ts';

interface VpnGatewaysTable extends OwnedTable {
  description: Generated<string>;
  status: VpnGatewayStatus;
  status_reason: string | null;
  provisioned_at: Date | null;
  location: string;
  port: number;
  public_key: string;
  /** Sealed. */
  private_key: Buffer;
  /** The key pair that an update is about to put in place of the present one. */
  next_public_key: string | null;
  next_private_key: Buffer | null;
  tunnel_ipv4_cidr: string;
  tunnel_ipv6_cidr: string | null;
  dns_servers: readonly string[];
  mtu: number;
  protected: Generated<boolean>;
  /** The public interface. */
  nic_id: string;
  endpoint_ipv4: string;
  endpoint_ipv6: string | null;
  ipv4_address_id: string | null;
  ipv6_address_id: string | null;
}

interface VpnGatewayNetworksTable {
  gateway_id: string;
  network_id: string;
  nic_id: string;
  mac: string;
  /** The index of the interface. It stays the same as long as the gateway is in the network. */
  position: number;
  /** The place of the network in the customer's list. */
  rank: number;
  state: 'joining' | 'joined' | 'leaving';
}

declare module '../../../store/database.ts' {
  interface Tables {
    vpn_gateways: VpnGatewaysTable;
    vpn_gateway_networks: VpnGatewayNetworksTable;
  }
}

export type VpnGatewayRow = Selectable<Tables['vpn_gateways']>;
export type GatewayNetworkRow = Selectable<Tables['vpn_gateway_networks']>;
