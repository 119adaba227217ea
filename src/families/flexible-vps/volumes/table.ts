import type { Generated, Selectable } from 'kysely';
import type { VolumeKind } from '../../../engines/compute/port.ts';
import type { OwnedTable } from '../../../resources/owned/table.ts';
import type { Tables } from '../../../store/database.ts';
import type { VolumeStatus } from './lifecycle.ts';

interface VolumesTable extends OwnedTable {
  description: Generated<string>;
  status: VolumeStatus;
  status_reason: string | null;
  location: string;
  size_gb: number;
  tier: string;
  kind: VolumeKind;
  /** While the volume moves to another machine, this is the present one until it is detached there. */
  vm_id: string | null;
  /** Known from the engine once the volume exists. */
  device_path: string | null;
  serial: string | null;
  source_snapshot_id: string | null;
  protected: Generated<boolean>;
  provisioned_at: Date | null;
}

declare module '../../../store/database.ts' {
  interface Tables {
    vps_volumes: VolumesTable;
  }
}

export type VolumeRow = Selectable<Tables['vps_volumes']>;
