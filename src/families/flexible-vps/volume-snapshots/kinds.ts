import { kind, NoInput } from '../../../kernel/operations/kind.ts';
import { StatusBefore, statusBefore } from '../../../resources/records/deletion.ts';
import { creation, deletion } from './removal.ts';
import type { VolumeSnapshotRow } from './table.ts';

export const createVolumeSnapshotKind = kind<typeof NoInput>({
  ...creation,
  input: NoInput,
  typicalSeconds: 5,
});

export const deleteVolumeSnapshotKind = kind<typeof StatusBefore>({ ...deletion, input: StatusBefore });

export const volumeSnapshotDeletion = {
  kind: deleteVolumeSnapshotKind,
  input: statusBefore,
  subjects: ({ volume_id, id }: VolumeSnapshotRow) => [volume_id, id],
};
