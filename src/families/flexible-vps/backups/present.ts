import { presentLink } from '../../../kernel/downloads/link.ts';
import type { LinkJson } from '../../../kernel/downloads/store.ts';
import { presentOperation } from '../../../kernel/operations/schema.ts';
import type { StoredOperation } from '../../../kernel/operations/store.ts';
import { backups } from './resource.ts';
import type { Backup } from './schema.ts';
import type { BackupRow } from './table.ts';

export function presentBackup(
  row: BackupRow,
  operation: StoredOperation | undefined,
  baseUrl: string,
  links: readonly LinkJson[] = [],
): Backup {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    labels: row.labels,
    vm_id: row.vm_id,
    vm_name: row.vm_name,
    vm_deleted: row.vm_deleted,
    kind: row.kind,
    policy_id: row.policy_id,
    location: row.location,
    disk_gb: row.disk_gb,
    memory_mb: row.memory_mb,
    vcpus: row.vcpus,
    architecture: row.architecture,
    size_bytes: row.size_bytes,
    sha256: row.sha256,
    consistency: row.consistency,
    status: row.status,
    failure: row.failure,
    operation: operation === undefined ? null : presentOperation(operation, baseUrl),
    download_links: links.map(presentLink),
    expires_at: row.expires_at?.toISOString() ?? null,
    etag: backups.etag(row),
    created_at: row.created_at.toISOString(),
    provisioned_at: row.provisioned_at?.toISOString() ?? null,
    updated_at: row.updated_at.toISOString(),
  };
}
