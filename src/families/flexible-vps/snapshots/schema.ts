import { eg } from '../../../kernel/examples.ts';
import { PendingOperation } from '../../../kernel/operations/schema.ts';
import {
  advanced,
  CreatedAt,
  Description,
  Etag,
  Id,
  Labels,
  Named,
  Nullable,
  OneOf,
  OwnId,
  ProvisionedAt,
  ResourceName,
  Shape,
  type Static,
  Time,
  Type,
  UpdatedAt,
  volatile,
} from '../../../kernel/schema.ts';
import { GB_MEANS } from '../gigabytes.ts';
import { snapshotLife } from './lifecycle.ts';

/** Shared with the snapshots of volumes. */
export const SnapshotBytes = Nullable(
  Type.Integer({
    'x-unit': 'bytes',
    ...volatile,
    ...eg(1_610_612_736),
    description:
      'The space that the snapshot takes, billed by the GB of 2^30 bytes; null until it is taken. It grows as the disk changes.',
  }),
);
export const Consistency = Nullable(
  Named(
    'SnapshotConsistency',
    OneOf(
      {
        crash: 'As after a power failure: what was not written to the disk yet is missing.',
        filesystem: 'The file system of the guest was quiesced, or the machine did not run.',
      },
      {
        ...volatile,
        description: 'The state of the copied file system; null until the snapshot is taken.',
      },
    ),
  ),
);
export const ExpiresAt = Nullable({
  ...Time,
  description: 'When the snapshot is deleted by itself; null if it is kept.',
});

export const Snapshot = Named(
  'VmSnapshot',
  Shape({
    id: OwnId('snap'),
    name: ResourceName,
    description: Description,
    labels: Labels,
    vm_id: Id('vm', { description: 'The machine whose disk it is a copy of.' }),
    status: snapshotLife.ShownStatus,
    operation: PendingOperation,
    size_bytes: SnapshotBytes,
    disk_gb: Type.Integer({
      'x-unit': 'GB',
      description: `The size of the disk when the snapshot was taken. ${GB_MEANS}`,
    }),
    consistency: Consistency,
    created_by: OneOf(
      { user: 'A call took the snapshot.', system: 'The system took the snapshot by itself.' },
      { description: 'Who took the snapshot.' },
    ),
    expires_at: ExpiresAt,
    etag: Etag,
    created_at: CreatedAt,
    provisioned_at: ProvisionedAt,
    updated_at: UpdatedAt,
  }),
  { columns: ['name', 'status', 'size_bytes', 'created_at', 'expires_at'] },
);
export type Snapshot = Static<typeof Snapshot>;

const Quiesce = Named(
  'Quiesce',
  OneOf(
    {
      auto: 'It is quiesced if the guest agent answers.',
      require: 'It is quiesced, or the call is refused.',
      never: 'It is not quiesced.',
    },
    { description: 'Whether to quiesce the file system of a running machine.' },
  ),
);

export const CreateSnapshot = Shape({
  name: Type.Optional({
    ...ResourceName,
    description:
      'A name that is unique among the snapshots of the machine. Default: made from the current time.',
  }),
  description: Type.Optional({ ...Description, default: '' }),
  labels: Type.Optional({ ...Labels, default: {} }),
  expires_at: Type.Optional(
    Nullable({
      ...Time,
      default: null,
      description:
        'When the snapshot is deleted by itself: more than an hour and at most a year from now. Stored as UTC. Default: null, never.',
    }),
  ),
  quiesce: Type.Optional({ ...Quiesce, ...advanced, default: 'auto' }),
});
export type CreateSnapshot = Static<typeof CreateSnapshot>;
