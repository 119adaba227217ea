import { etagOf } from '../../../kernel/etag.ts';
import { presentOperation } from '../../../kernel/operations/schema.ts';
import type { StoredOperation } from '../../../kernel/operations/store.ts';
import type { Snapshot } from './schema.ts';
import type { SnapshotRow } from './table.ts';

export const snapshotEtag = ({ id, version }: Pick<SnapshotRow, 'id' | 'version'>): string =>
  etagOf(id, version);

/** The reference to a snapshot in audit entries, events and operations. */
export const snapshotRef = ({ id, name }: Pick<SnapshotRow, 'id' | 'name'>) => ({
  type: 'snapshot',
  id,
  name,
});

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
    etag: snapshotEtag(row),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
