import { DownloadLink } from '../../../kernel/downloads/link.ts';
import { PendingOperation } from '../../../kernel/operations/schema.ts';
import {
  byOthers,
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
import { Architecture, MemoryMb, Vcpus } from '../hardware.ts';
import { VmRef } from '../references.ts';
import { Consistency, CreateSnapshot } from '../snapshots/schema.ts';
import { backupLife } from './lifecycle.ts';

const kinds = {
  manual: 'A call made it.',
  scheduled: 'A backup policy made it.',
  final: 'It was made before its machine was deleted.',
  safety: 'It was made before its machine was restored.',
} as const;
export const BackupKind = Named('BackupKind', OneOf(kinds, { description: 'Why the backup was made.' }));

const Sha256 = Nullable(
  Type.String({
    ...volatile,
    description: 'The SHA-256 of the archive that can be downloaded, hexadecimal; null until it is stored.',
  }),
);
const SizeBytes = Nullable(
  Type.Integer({
    'x-unit': 'bytes',
    ...volatile,
    description: 'The size of the archive, billed by the GB of 2^30 bytes; null until it is stored.',
  }),
);

export const Backup = Named(
  'VmBackup',
  Shape({
    id: OwnId('bkp'),
    name: { ...ResourceName, description: 'A name, which other backups may have, too.' },
    description: Description,
    labels: Labels,
    vm_id: Id('vm', { description: 'The machine whose disk it is a copy of.' }),
    vm_name: Type.String({ ...byOthers, description: 'The name of the machine when the backup was made.' }),
    vm_deleted: Type.Boolean({ ...volatile, description: 'Whether the machine no longer exists.' }),
    kind: BackupKind,
    policy_id: Nullable(Id('bpol', { description: 'The policy that made it; null for other kinds.' })),
    location: Type.String({ description: 'The location whose store has the backup.' }),
    disk_gb: Type.Integer({
      'x-unit': 'GB',
      description: `The size of the disk when the backup was made. ${GB_MEANS}`,
    }),
    memory_mb: MemoryMb,
    vcpus: Vcpus,
    architecture: { ...Architecture, description: 'The processor that the system on the disk is made for.' },
    size_bytes: SizeBytes,
    sha256: Sha256,
    consistency: Consistency,
    status: backupLife.ShownStatus,
    failure: Nullable(
      Shape(
        {
          code: Type.String({ description: 'The reason, as in `error.code` of operations.' }),
          detail: Type.String({ description: 'What went wrong, in words.' }),
        },
        { ...volatile, description: 'Why the backup could not be made; null if it was made.' },
      ),
    ),
    operation: PendingOperation,
    download_links: Type.Array(DownloadLink, {
      ...volatile,
      description:
        'The links with which the backup can be downloaded now, oldest first. `createVmBackupDownload` makes and ends them.',
    }),
    expires_at: Nullable({
      ...Time,
      description: 'When the backup is deleted by itself; null if it is kept.',
    }),
    etag: Etag,
    created_at: CreatedAt,
    provisioned_at: ProvisionedAt,
    updated_at: UpdatedAt,
  }),
  { columns: ['name', 'vm_name', 'kind', 'status', 'size_bytes', 'created_at', 'expires_at'] },
);
export type Backup = Static<typeof Backup>;

const { description, labels, expires_at, quiesce } = CreateSnapshot.properties;

export const CreateBackup = Shape({
  vm_id: { ...VmRef, description: 'The machine to back up, running or stopped.' },
  name: Type.Optional({
    ...ResourceName,
    description: 'A name, which other backups may have, too. Default: the name of the machine.',
  }),
  description,
  labels,
  expires_at,
  quiesce,
});
export type CreateBackup = Static<typeof CreateBackup>;

export const BackupParams = Shape({ id: Id('bkp') });
