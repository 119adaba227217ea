import { presentOperation } from '../../../kernel/operations/schema.ts';
import type { StoredOperation } from '../../../kernel/operations/store.ts';
import { snapshots } from './resource.ts';
import type { Snapshot } from './schema.ts';
import type { SnapshotRow } from './table.ts';

export function presentSnapshot(
  row: SnapshotRow,
  operation: StoredOperation | undefined,
  baseUrl: string,
): Snapshot {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    labels: row.labels,
    vm_id: row.vm_id,
    status: row.status,
    operation: operation === undefined ? null : presentOperation(operation, baseUrl),
    size_bytes: row.size_bytes,
    disk_gb: row.disk_gb,
    consistency: row.consistency,
    created_by: row.created_by,
    expires_at: row.expires_at?.toISOString() ?? null,
    etag: snapshots.etag(row),
    created_at: row.created_at.toISOString(),
    provisioned_at: row.provisioned_at?.toISOString() ?? null,
    updated_at: row.updated_at.toISOString(),
  };
}
