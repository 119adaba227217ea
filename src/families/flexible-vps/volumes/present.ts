import { presentOperation } from '../../../kernel/operations/schema.ts';
import type { StoredOperation } from '../../../kernel/operations/store.ts';
import type { Services } from '../../../kernel/services.ts';
import { volumes } from './resource.ts';
import type { Volume } from './schema.ts';
import type { VolumeRow } from './table.ts';

export function presentVolume(
  { compute, baseUrl }: Services,
  row: VolumeRow,
  operation: StoredOperation | undefined,
): Volume {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    labels: row.labels,
    status: row.status,
    status_reason: row.status_reason,
    operation: operation === undefined ? null : presentOperation(operation, baseUrl),
    location: row.location,
    size_gb: row.size_gb,
    tier: row.tier,
    kind: row.kind,
    vm_id: row.vm_id,
    device_path: row.device_path,
    serial: row.serial,
    online_resize: compute.at(row.location)?.capabilities.onlineVolumeResize === true,
    source_snapshot_id: row.source_snapshot_id,
    protection: { delete: row.protected },
    etag: volumes.etag(row),
    created_at: row.created_at.toISOString(),
    provisioned_at: row.provisioned_at?.toISOString() ?? null,
    updated_at: row.updated_at.toISOString(),
  };
}
