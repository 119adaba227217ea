import type { Generated, Selectable } from 'kysely';
import type { OwnedTable } from '../../../resources/owned/table.ts';
import type { Tables } from '../../../store/database.ts';

interface VpnPeersTable extends OwnedTable {
  gateway_id: string;
  kind: 'client' | 'site';
  public_key: string;
  key_source: 'client' | 'generated';
  /** Sealed. Erased when its time is over. */
  private_key: Buffer | null;
  private_key_available_until: Date | null;
  /** Sealed. */
  preshared_key: Buffer | null;
  tunnel_ipv4: string;
  tunnel_ipv6: string | null;
  routed_cidrs: readonly string[];
  endpoint: string | null;
  keepalive_seconds: number;
  enabled: boolean;
  expires_at: Date | null;
  /** When the gateway got the present settings; null if it has not got them yet. */
  applied_at: Date | null;
  config_changed_at: Date;
  last_handshake_at: Date | null;
  rx_bytes: Generated<number>;
  tx_bytes: Generated<number>;
  rx_counted: Generated<number>;
  tx_counted: Generated<number>;
}

declare module '../../../store/database.ts' {
  interface Tables {
    vpn_peers: VpnPeersTable;
  }
}

export type VpnPeerRow = Selectable<Tables['vpn_peers']>;
