/** The rows of the family. Who writes which table is told by its `store.ts`. */
import type { Generated, Selectable } from 'kysely';
import type { Tables } from '../../store/database.ts';

/** What all of them have. */
interface Common {
  id: string;
  account_id: string;
  name: string;
  labels: Generated<Record<string, string>>;
  version: Generated<number>;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

interface SshKeysTable extends Common {
  public_key: string;
  type: string;
  bits: number;
  fingerprint_sha256: string;
  fingerprint_md5: string;
  comment: string;
}

interface PlacementGroupsTable extends Common {
  location: string;
  policy: 'spread' | 'compact';
  strict: boolean;
}

export interface Route {
  readonly destination: string;
  readonly next_hop: string;
  readonly description: string;
}

interface NetworksTable extends Common {
  description: Generated<string>;
  location: string;
  ipv4_cidr: string;
  ipv6_cidr: string | null;
  nat: { readonly ipv4: boolean; readonly ipv6: boolean };
  dns: { readonly servers: readonly string[]; readonly domain: string | null };
  mtu: number;
  routes: readonly Route[];
  protected: Generated<boolean>;
  status: string;
  status_reason: string | null;
}

export interface Os {
  readonly family: string;
  readonly distribution: string;
  readonly version: string;
}

/** What an image was made from; of an address, without its query. */
export interface ImageSource {
  readonly type: 'provider' | 'vm' | 'snapshot' | 'url';
  readonly id: string | null;
  readonly url: string | null;
}

interface ImagesTable extends Common {
  description: Generated<string>;
  os: Os;
  architecture: 'amd64' | 'arm64';
  boot_mode: 'uefi' | 'bios';
  secure_boot: Generated<boolean>;
  min_disk_gb: number;
  min_memory_mb: number;
  size_bytes: number | null;
  sha256: string | null;
  cloud_init: boolean;
  guest_agent: boolean;
  default_user: string;
  source: ImageSource;
  /** The whole address it is fetched from, which may hold a signature; `null` once it is fetched. */
  sealed_url: Buffer | null;
  /** Where its bytes lie; other locations get a copy when the first machine there is made from it. */
  locations: Generated<string[]>;
  status: string;
  progress_percent: number | null;
  failure: { readonly code: string; readonly detail: string } | null;
  failed_at: Date | null;
}

/** Of what a disk was made. */
export interface VmImage {
  readonly id: string;
  readonly slug: string | null;
  readonly name: string;
  readonly os: Os;
  readonly default_user: string;
}

interface VmsTable extends Common {
  description: Generated<string>;
  status: string;
  status_reason: string | null;
  location: string;
  /** `custom` for a size of one's own. */
  plan: string;
  requested: { readonly location: string; readonly plan: string };
  vcpus: number;
  memory_mb: number;
  disk_gb: number;
  architecture: 'amd64' | 'arm64';
  hostname: string;
  image: VmImage | null;
  source: { readonly type: string; readonly id: string };
  boot_mode: 'uefi' | 'bios';
  secure_boot: boolean;
  ipv6_prefix: string | null;
  placement_group_id: string | null;
  ssh_key_ids: Generated<string[]>;
  ssh_public_keys: Generated<string[]>;
  password_hash: string | null;
  user_data: Buffer | null;
  user_data_sha256: string | null;
  applied_user_data_sha256: string | null;
  /** cloud-init runs again at the next start once it differs from the one it last ran with. */
  seed: string;
  applied_seed: string | null;
  rescue_expires_at: Date | null;
  /** `is_silent`: it does not answer any more. */
  guest_agent: {
    readonly version: string;
    readonly last_seen_at: string;
    readonly is_silent?: boolean;
  } | null;
  protected_delete: Generated<boolean>;
  protected_redeploy: Generated<boolean>;
  maintenance: { readonly starts_at: string; readonly ends_at: string; readonly kind: string } | null;
  host_group: string | null;
  configuration: Record<string, unknown>;
  /** From the moment it was made; one that could not be made, or is lost, costs nothing. */
  is_billed: Generated<boolean>;
  started_at: Date | null;
  failed_at: Date | null;
}

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
  status: string;
  version: Generated<number>;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

interface NetworkAddressesTable {
  network_id: string;
  address: string;
  interface_id: string;
  role: 'ipv4' | 'ipv6' | 'alias';
}

interface SnapshotsTable extends Common {
  vm_id: string;
  description: Generated<string>;
  status: string;
  size_bytes: number | null;
  disk_gb: number;
  consistency: 'crash' | 'filesystem' | null;
  created_by: 'user' | 'system';
  expires_at: Date | null;
  failed_at: Date | null;
  /** What cloud-init had run with on that disk, so that it does not run again once the disk is back. */
  applied_seed: string | null;
  applied_user_data_sha256: string | null;
}

interface ConsoleSessionsTable {
  id: string;
  account_id: string;
  vm_id: string;
  type: 'graphical' | 'serial';
  token_hash: Buffer;
  expires_at: Date;
  opened_at: Date | null;
  /** Renewed for as long as somebody is connected. */
  seen_at: Date | null;
  created_at: Generated<Date>;
}

declare module '../../store/database.ts' {
  interface Tables {
    ssh_keys: SshKeysTable;
    placement_groups: PlacementGroupsTable;
    vps_networks: NetworksTable;
    vps_images: ImagesTable;
    vms: VmsTable;
    vm_interfaces: InterfacesTable;
    network_addresses: NetworkAddressesTable;
    vm_snapshots: SnapshotsTable;
    console_sessions: ConsoleSessionsTable;
  }
}

export type { PublicAddressRow } from '../../resources/addresses/store.ts';
export type SshKeyRow = Selectable<Tables['ssh_keys']>;
export type PlacementGroupRow = Selectable<Tables['placement_groups']>;
export type NetworkRow = Selectable<Tables['vps_networks']>;
export type ImageRow = Selectable<Tables['vps_images']>;
export type VmRow = Selectable<Tables['vms']>;
export type InterfaceRow = Selectable<Tables['vm_interfaces']>;
export type SnapshotRow = Selectable<Tables['vm_snapshots']>;
export type ConsoleSessionRow = Selectable<Tables['console_sessions']>;
