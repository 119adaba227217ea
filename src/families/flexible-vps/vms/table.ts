import type { Generated, Selectable } from 'kysely';
import type { OwnedTable } from '../../../resources/owned/table.ts';
import type { Tables } from '../../../store/database.ts';
import type { Os } from '../hardware.ts';
import type { VmState } from './lifecycle.ts';

/** The image that a disk was created from, copied into the row of the machine. */
export interface VmImage {
  readonly id: string;
  readonly slug: string | null;
  readonly name: string;
  readonly os: Os;
  readonly default_user: string;
}

interface VmsTable extends OwnedTable {
  description: Generated<string>;
  status: VmState;
  status_reason: string | null;
  location: string;
  /** `custom` if the caller chose the size. */
  plan: string;
  requested: { readonly location: string; readonly plan: string };
  vcpus: number;
  memory_mb: number;
  disk_gb: number;
  architecture: 'amd64' | 'arm64';
  hostname: string;
  image: VmImage | null;
  source: { readonly type: 'image' | 'snapshot' | 'vm' | 'backup' | 'iso'; readonly id: string };
  boot_mode: 'uefi' | 'bios';
  secure_boot: boolean;
  ipv6_prefix: string | null;
  placement_group_id: string | null;
  backup_policy_id: string | null;
  ssh_key_ids: Generated<string[]>;
  ssh_public_keys: Generated<string[]>;
  password_hash: string | null;
  user_data: Buffer | null;
  user_data_sha256: string | null;
  applied_user_data_sha256: string | null;
  /** If the seed differs from the one of the last cloud-init run, cloud-init runs again at the next start. */
  seed: string;
  applied_seed: string | null;
  /** The ISO in the drive. */
  iso_id: string | null;
  iso_boot_once: Generated<boolean>;
  rescue_expires_at: Date | null;
  /** `is_silent`: the agent no longer answers. */
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
  /** True once the machine was created. A machine that could not be created, or is lost, is not billed. */
  is_billed: Generated<boolean>;
  started_at: Date | null;
  provisioned_at: Date | null;
  failed_at: Date | null;
}

declare module '../../../store/database.ts' {
  interface Tables {
    vms: VmsTable;
  }
}

export type VmRow = Selectable<Tables['vms']>;
