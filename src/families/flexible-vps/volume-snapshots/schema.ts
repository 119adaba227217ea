import { PendingOperation, presentOperation } from '../../../kernel/operations/schema.ts';
import type { StoredOperation } from '../../../kernel/operations/store.ts';
import {
  CreatedAt,
  Description,
  Etag,
  Id,
  Labels,
  Named,
  OwnId,
  ProvisionedAt,
  ResourceName,
  Shape,
  type Static,
  Type,
  UpdatedAt,
} from '../../../kernel/schema.ts';
import { GB_MEANS } from '../gigabytes.ts';
import { Consistency, CreateSnapshot, ExpiresAt, SnapshotBytes } from '../snapshots/schema.ts';
import { volumeSnapshotLife } from './lifecycle.ts';
import { volumeSnapshots } from './resource.ts';
import type { VolumeSnapshotRow } from './table.ts';

export const VolumeSnapshot = Named(
  'VolumeSnapshot',
  Shape({
    id: OwnId('vsnap'),
    name: ResourceName,
    description: Description,
    labels: Labels,
    volume_id: Id('vol', { description: 'The volume that it is a copy of.' }),
    status: volumeSnapshotLife.ShownStatus,
    operation: PendingOperation,
    size_bytes: SnapshotBytes,
    size_gb: Type.Integer({
      'x-unit': 'GB',
      description: `The size of the volume when the snapshot was taken. ${GB_MEANS}`,
    }),
    consistency: Consistency,
    expires_at: ExpiresAt,
    etag: Etag,
    created_at: CreatedAt,
    provisioned_at: ProvisionedAt,
    updated_at: UpdatedAt,
  }),
  { columns: ['name', 'status', 'size_bytes', 'created_at', 'expires_at'] },
);
export type VolumeSnapshot = Static<typeof VolumeSnapshot>;

const { description, labels, expires_at } = CreateSnapshot.properties;
export const CreateVolumeSnapshot = Shape({
  name: Type.Optional({
    ...ResourceName,
    description:
      'A name that is unique among the snapshots of the volume. Default: made from the current time.',
  }),
  description,
  labels,
  expires_at,
});

export const VolumeSnapshotId = Shape({ id: Id('vol'), snapshot_id: Id('vsnap') });

export const exampleVolumeSnapshot: VolumeSnapshot = {
  id: 'vsnap_01jqzv2m7xe9rs5d3k8w4t6y0b',
  name: 'before-upgrade',
  description: '',
  labels: { env: 'prod' },
  volume_id: 'vol_01jqzv2m7xe9rs5d3k8w4t6y0b',
  status: 'available',
  operation: null,
  size_bytes: 1_610_612_736,
  size_gb: 100,
  consistency: 'filesystem',
  expires_at: null,
  etag: 'q3w2c9T1hVb7Zk0m',
  created_at: '2026-03-01T10:00:00.000Z',
  provisioned_at: '2026-03-01T10:00:05.000Z',
  updated_at: '2026-03-01T10:00:00.000Z',
};

export function presentVolumeSnapshot(
  row: VolumeSnapshotRow,
  operation: StoredOperation | undefined,
  baseUrl: string,
): VolumeSnapshot {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    labels: row.labels,
    volume_id: row.volume_id,
    status: row.status,
    operation: operation === undefined ? null : presentOperation(operation, baseUrl),
    size_bytes: row.size_bytes,
    size_gb: row.size_gb,
    consistency: row.consistency,
    expires_at: row.expires_at?.toISOString() ?? null,
    etag: volumeSnapshots.etag(row),
    created_at: row.created_at.toISOString(),
    provisioned_at: row.provisioned_at?.toISOString() ?? null,
    updated_at: row.updated_at.toISOString(),
  };
}
