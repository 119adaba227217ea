import type { Generated, Selectable } from 'kysely';
import type { OwnedTable } from '../../../resources/owned/table.ts';
import type { Tables } from '../../../store/database.ts';
import type { SnapshotStatus } from '../disk-snapshots/lifecycle.ts';

interface SnapshotsTable extends OwnedTable {
  vm_id: string;
  description: Generated<string>;
  status: SnapshotStatus;
  size_bytes: number | null;
  disk_gb: number;
  consistency: 'crash' | 'filesystem' | null;
  created_by: 'user' | 'system';
  expires_at: Date | null;
  failed_at: Date | null;
  provisioned_at: Date | null;
  /** The seed and user data that cloud-init had applied to the disk, so that it does not run again after a restore. */
  applied_seed: string | null;
  applied_user_data_sha256: string | null;
}

declare module '../../../store/database.ts' {
  interface Tables {
    vm_snapshots: SnapshotsTable;
  }
}

export type SnapshotRow = Selectable<Tables['vm_snapshots']>;
