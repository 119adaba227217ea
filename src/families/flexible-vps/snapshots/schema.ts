import { OperationView } from '../../../kernel/operations/schema.ts';
import {
  Id,
  Labels,
  Named,
  Nullable,
  OneOf,
  ResourceName,
  Shape,
  type Static,
  Time,
  Type,
} from '../../../kernel/schema.ts';
import { GB_MEANS } from '../gigabytes.ts';
import { snapshotLife } from './lifecycle.ts';

export const Snapshot = Named(
  'VmSnapshot',
  Shape({
    id: Id('snap'),
    name: ResourceName,
    description: Type.String(),
    labels: Labels,
    vm_id: Id('vm'),
    status: snapshotLife.ShownStatus,
    operation: Nullable(OperationView),
    size_bytes: Nullable(
      Type.Integer({
        description: `The space that the snapshot takes, by which it is billed. It grows as the disk changes after the snapshot. ${GB_MEANS}`,
      }),
    ),
    disk_gb: Type.Integer({ description: `The size of the disk when the snapshot was taken. ${GB_MEANS}` }),
    consistency: Nullable(
      OneOf(['crash', 'filesystem'], {
        description: '`filesystem`: the file system of the guest was quiesced, or the machine did not run.',
      }),
    ),
    created_by: OneOf(['user', 'system']),
    expires_at: Nullable(Time),
    etag: Type.String(),
    created_at: Time,
    updated_at: Time,
  }),
);
export type Snapshot = Static<typeof Snapshot>;

export const CreateSnapshot = Shape({
  name: Type.Optional({ ...ResourceName, description: 'Default: made from the current time.' }),
  description: Type.Optional(Type.String({ maxLength: 255 })),
  labels: Type.Optional(Labels),
  expires_at: Type.Optional(
    Nullable({
      ...Time,
      description: 'When the snapshot is deleted: more than an hour and at most a year from now.',
    }),
  ),
  quiesce: Type.Optional(
    OneOf(['auto', 'require', 'never'], {
      default: 'auto',
      description: 'Whether to quiesce the file system of a running machine.',
    }),
  ),
});
export type CreateSnapshot = Static<typeof CreateSnapshot>;

export const SnapshotId = Shape({ id: Id('vm'), snapshot_id: Id('snap') });

export const exampleSnapshot: Snapshot = {
  id: 'snap_01jqzv2m7xe9rs5d3k8w4t6y0b',
  name: 'before-upgrade',
  description: '',
  labels: { env: 'prod' },
  vm_id: 'vm_01jqzv2m7xe9rs5d3k8w4t6y0b',
  status: 'available',
  operation: null,
  size_bytes: 1_610_612_736,
  disk_gb: 80,
  consistency: 'filesystem',
  created_by: 'user',
  expires_at: null,
  etag: 'q3w2c9T1hVb7Zk0m',
  created_at: '2026-03-01T10:00:00.000Z',
  updated_at: '2026-03-01T10:00:00.000Z',
};
