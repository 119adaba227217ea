import { sql } from 'kysely';
import type { Db } from '../database.ts';

const common = `
  id text collate "C" primary key,
  account_id text collate "C" not null references accounts on delete cascade,
  name text collate "C" not null,
  labels jsonb not null default '{}',
  version int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (account_id, name)`;

const statements = `
create table vpn_gateways (${common},
  description text not null default '',
  status text collate "C" not null,
  status_reason text,
  provisioned_at timestamptz,
  location text collate "C" not null,
  port int not null,
  public_key text not null,
  -- Sealed, as all private and preshared keys here.
  private_key bytea not null,
  -- The key pair that an update is about to put in place of the present one.
  next_public_key text,
  next_private_key bytea,
  tunnel_ipv4_cidr cidr not null,
  tunnel_ipv6_cidr cidr,
  dns_servers text[] not null default '{}',
  mtu int not null,
  protected bool not null default false,
  -- The public interface, and the addresses from the pools of the location; null once they are released.
  nic_id text collate "C" not null,
  endpoint_ipv4 inet not null,
  endpoint_ipv6 inet,
  ipv4_address_id text collate "C",
  ipv6_address_id text collate "C"
);
create index vpn_gateways_page on vpn_gateways (account_id, id);
create index vpn_gateways_by_update on vpn_gateways (account_id, updated_at, id);
create index vpn_gateways_by_name on vpn_gateways (account_id, name, id);
create index vpn_gateways_labels on vpn_gateways using gin (labels jsonb_path_ops);
create index vpn_gateways_by_location on vpn_gateways (account_id, location, id);
create index vpn_gateways_at on vpn_gateways (location, id);

-- The private interfaces of a gateway, one for each network.
create table vpn_gateway_networks (
  gateway_id text collate "C" not null references vpn_gateways on delete cascade,
  network_id text collate "C" not null references vps_networks,
  nic_id text collate "C" not null,
  mac text not null,
  position int not null,
  -- The place of the network in the list of the customer.
  rank int not null,
  state text not null check (state in ('joining', 'joined', 'leaving')),
  primary key (gateway_id, network_id)
);
create index vpn_gateway_networks_by_network on vpn_gateway_networks (network_id, gateway_id);

create table vpn_peers (${common},
  gateway_id text collate "C" not null references vpn_gateways on delete cascade,
  kind text not null check (kind in ('client', 'site')),
  public_key text not null,
  key_source text not null check (key_source in ('client', 'generated')),
  -- Erased when its time is over.
  private_key bytea,
  private_key_available_until timestamptz,
  preshared_key bytea,
  tunnel_ipv4 inet not null,
  tunnel_ipv6 inet,
  routed_cidrs text[] not null default '{}',
  endpoint text,
  keepalive_seconds int not null,
  enabled bool not null,
  expires_at timestamptz,
  applied_at timestamptz,
  config_changed_at timestamptz not null,
  last_handshake_at timestamptz,
  -- The sums of what the gateway counted, and its last counts, which begin again at zero when it restarts.
  rx_bytes bigint not null default 0,
  tx_bytes bigint not null default 0,
  rx_counted bigint not null default 0,
  tx_counted bigint not null default 0,
  unique (gateway_id, public_key),
  unique (gateway_id, tunnel_ipv4)
);
create index vpn_peers_page on vpn_peers (gateway_id, id);
create index vpn_peers_by_update on vpn_peers (gateway_id, updated_at, id);
create index vpn_peers_by_name on vpn_peers (gateway_id, name, id);
create index vpn_peers_labels on vpn_peers using gin (labels jsonb_path_ops);
create index vpn_peers_expiry on vpn_peers (expires_at) where enabled and expires_at is not null;
create index vpn_peers_keys on vpn_peers (private_key_available_until) where private_key is not null;

-- Gateways at engines that have no row.
create table vpn_gateway_strays (
  location text collate "C" not null,
  project text collate "C" not null,
  id text collate "C" not null,
  first_seen_at timestamptz not null default now(),
  primary key (location, project, id)
);

-- An address of a private network belongs to an interface of a machine, or to a gateway.
alter table network_addresses alter column interface_id drop not null;
alter table network_addresses add column gateway_id text collate "C" references vpn_gateways on delete cascade;
alter table network_addresses add check (num_nonnulls(interface_id, gateway_id) = 1);
create index network_addresses_by_gateway on network_addresses (gateway_id) where gateway_id is not null;
`;

export async function up(db: Db): Promise<void> {
  await sql.raw(statements).execute(db);
}
