import type { Generated, Selectable } from 'kysely';
import type { ImageFormat } from '../../../engines/compute/port.ts';
import type { OwnedTable } from '../../../resources/owned/table.ts';
import type { Tables } from '../../../store/database.ts';
import type { VmImage } from '../vms/table.ts';
import type { BackupStatus } from './lifecycle.ts';

export type BackupKind = 'manual' | 'scheduled' | 'final' | 'safety';

interface BackupsTable extends OwnedTable {
  description: Generated<string>;
  status: BackupStatus;
  provisioned_at: Date | null;
  vm_id: string;
  vm_name: string;
  vm_deleted: Generated<boolean>;
  kind: BackupKind;
  policy_id: string | null;
  location: string;
  disk_gb: number;
  memory_mb: number;
  vcpus: number;
  architecture: 'amd64' | 'arm64';
  boot_mode: 'uefi' | 'bios';
  secure_boot: boolean;
  image: VmImage | null;
  /** The seed and user data that cloud-init had applied to the disk, so that it does not run again after a restore. */
  applied_seed: string | null;
  applied_user_data_sha256: string | null;
  format: ImageFormat | null;
  /** Of the archive before it is encrypted. */
  size_bytes: number | null;
  sha256: string | null;
  part_count: number | null;
  consistency: 'crash' | 'filesystem' | null;
  failure: { readonly code: string; readonly detail: string } | null;
  failed_at: Date | null;
  /** Nothing is left of a failed backup at the engine and in the store. */
  is_cleared: Generated<boolean>;
  expires_at: Date | null;
}

/** An image that an operation makes of a backup and removes again, from before it is made until it is removed. */
export interface PassingImage {
  operation_id: string;
  account_id: string;
  location: string;
}

declare module '../../../store/database.ts' {
  interface Tables {
    vm_backups: BackupsTable;
    /** The parts that the object store has, with the SHA-256 of their plain bytes. */
    backup_parts: { backup_id: string; number: number; sha256: string };
    backup_keys: { account_id: string; sealed: Buffer };
    passing_images: PassingImage;
  }
}

export type BackupRow = Selectable<Tables['vm_backups']>;
