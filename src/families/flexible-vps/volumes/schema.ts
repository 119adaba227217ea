/** The schemas of volumes in requests and answers. */
import { PendingOperation } from '../../../kernel/operations/schema.ts';
import { Resettable } from '../../../kernel/resets.ts';
import {
  advanced,
  byProvider,
  CreatedAt,
  Description,
  Etag,
  Id,
  Labels,
  LabelsPatch,
  label,
  Named,
  NewDescription,
  Nullable,
  OneOf,
  OwnId,
  ProvisionedAt,
  ResourceName,
  Shape,
  Slug,
  type Static,
  Type,
  UpdatedAt,
  volatile,
} from '../../../kernel/schema.ts';
import { GB_MEANS } from '../gigabytes.ts';
import { LocationRef, NearVmRef, VolumeSnapshotRef } from '../references.ts';
import { volumeLife } from './lifecycle.ts';

const LARGEST_GB = 10_000;

const kinds = {
  block: 'A raw device. The guest makes a file system on it, and grows it after the volume has grown.',
  filesystem: 'A file system that is mounted in the guest.',
} as const;
const Kind = Named('VolumeKind', OneOf(kinds, { description: 'What the guest gets.' }));

const Delete = Type.Boolean({ description: 'Refuse to delete the volume.' });
const PROTECTION = 'What is refused until you switch the protection off.';
const NewDelete = { ...Delete, default: false };

export const SizeGb = Type.Integer({
  minimum: 10,
  maximum: LARGEST_GB,
  'x-unit': 'GB',
  ...label('Size'),
  description: `The size of the volume. ${GB_MEANS}`,
});

export const Volume = Named(
  'Volume',
  Shape({
    id: OwnId('vol'),
    name: ResourceName,
    description: Description,
    labels: Labels,
    status: volumeLife.ShownStatus,
    status_reason: Nullable(
      Type.String({
        ...volatile,
        description: 'The code of the error that led to this status; null if there was none.',
      }),
    ),
    operation: PendingOperation,
    location: { ...Slug, description: 'The slug of the location. Only machines there can have the volume.' },
    size_gb: Type.Integer({
      'x-unit': 'GB',
      ...label('Size'),
      description: `The size of the volume. It can only grow. ${GB_MEANS}`,
    }),
    tier: { ...Slug, description: 'The kind of storage that the volume is billed as.' },
    kind: Kind,
    vm_id: Nullable(
      Id('vm', { ...label('Machine'), description: 'The machine that has the volume; null if none has.' }),
    ),
    device_path: Nullable(
      Type.String({
        ...volatile,
        description:
          'Where the guest finds the volume: the device, or the folder where the file system is mounted. The same on every machine; null until the volume exists.',
      }),
    ),
    serial: Nullable(
      Type.String({
        ...volatile,
        description: 'The serial number of the device; null for a file system.',
      }),
    ),
    online_resize: Type.Boolean({
      ...volatile,
      description: 'Whether the volume can grow while its machine is running.',
    }),
    source_snapshot_id: Nullable(
      Id('vsnap', { description: 'The snapshot that the volume was made from; null if it began empty.' }),
    ),
    protection: Shape({ delete: Delete }, { description: PROTECTION }),
    etag: Etag,
    created_at: CreatedAt,
    provisioned_at: ProvisionedAt,
    updated_at: UpdatedAt,
  }),
  { columns: ['name', 'status', 'size_gb', 'tier', 'location', 'vm_id'] },
);
export type Volume = Static<typeof Volume>;

export const VolumeId = Shape({ id: Id('vol') });

export const NewVolume = Shape({
  name: ResourceName,
  location: { ...LocationRef, description: 'The slug of the location, such as `fra1`.' },
  size_gb: SizeGb,
  tier: Type.Optional({
    ...Slug,
    ...byProvider,
    ...advanced,
    description: 'The kind of storage, such as `standard` or `fast`. Default: the first that is sold.',
  }),
  kind: Type.Optional({
    ...Kind,
    ...advanced,
    description:
      'What the guest gets. Default: what the location offers. Another value is refused with the reason.',
  }),
  source_snapshot_id: Type.Optional({
    ...VolumeSnapshotRef('/location'),
    ...label('Snapshot'),
    description:
      'A snapshot of a volume in the same location, whose content is copied. Default: the volume begins empty.',
  }),
  vm_id: Type.Optional({
    ...NearVmRef,
    ...label('Machine'),
    description: 'A machine in the same location, to which the new volume is attached. Default: none.',
  }),
  labels: Type.Optional({ ...Labels, default: {} }),
  description: Type.Optional(NewDescription),
  protection: Type.Optional(
    Shape({ delete: Type.Optional(NewDelete) }, { default: {}, description: PROTECTION }),
  ),
});
export type NewVolume = Static<typeof NewVolume>;

export const VolumeChange = Shape({
  name: Type.Optional(ResourceName),
  labels: Type.Optional(LabelsPatch),
  description: Type.Optional(Resettable(NewDescription)),
  protection: Type.Optional(
    Resettable(Shape({ delete: Type.Optional(Resettable(NewDelete)) }, { description: PROTECTION })),
  ),
});
export type VolumeChange = Static<typeof VolumeChange>;
