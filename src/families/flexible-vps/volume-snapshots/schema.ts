import { exampleOf } from '../../../kernel/examples.ts';
import { PendingOperation } from '../../../kernel/operations/schema.ts';
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
import { view } from '../../../resources/records/records.ts';
import { GB_MEANS } from '../gigabytes.ts';
import { Consistency, CreateSnapshot, ExpiresAt, SnapshotBytes } from '../snapshots/schema.ts';
import { volumes } from '../volumes/resource.ts';
import { volumeSnapshotLife } from './lifecycle.ts';
import { volumeSnapshots } from './resource.ts';

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

export const volumeSnapshotView = view(volumeSnapshots, {
  schema: VolumeSnapshot,
  path: '/flexible-vps/v1/volumes/{id}/snapshots',
  parent: { of: volumes, column: 'volume_id', param: 'snapshot_id' },
  example: exampleOf(VolumeSnapshot, {
    name: 'before-upgrade',
    size_gb: 100,
    consistency: 'filesystem',
  }),
});
