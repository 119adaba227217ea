import type { Generated, Selectable } from 'kysely';
import type { OwnedTable } from '../../../resources/owned/table.ts';
import type { Tables } from '../../../store/database.ts';
import type { SnapshotStatus } from '../disk-snapshots/lifecycle.ts';

interface VolumeSnapshotsTable extends OwnedTable {
  volume_id: string;
  description: Generated<string>;
  status: SnapshotStatus;
  size_bytes: number | null;
  size_gb: number;
  consistency: 'crash' | 'filesystem' | null;
  expires_at: Date | null;
  failed_at: Date | null;
  provisioned_at: Date | null;
}

declare module '../../../store/database.ts' {
  interface Tables {
    volume_snapshots: VolumeSnapshotsTable;
  }
}

export type VolumeSnapshotRow = Selectable<Tables['volume_snapshots']>;
