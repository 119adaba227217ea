import { presentOperation } from '../../../kernel/operations/schema.ts';
import type { StoredOperation } from '../../../kernel/operations/store.ts';
import type { Services } from '../../../kernel/services.ts';
import { isPublic } from './offered.ts';
import { isos } from './resource.ts';
import type { Iso } from './schema.ts';
import type { IsoRow } from './table.ts';

/** A failed ISO is kept so that its owner can read the reason. */
export const KEPT_DAYS = 7;
const DAY_MS = 86_400_000;

export function presentIso(
  { baseUrl }: Pick<Services, 'baseUrl'>,
  row: IsoRow,
  operation: StoredOperation | undefined,
  mountedOn: number,
): Iso {
  return {
    id: row.id,
    kind: isPublic(row) ? 'public' : 'private',
    name: row.name,
    description: row.description,
    labels: row.labels,
    status: row.status,
    operation: operation === undefined ? null : presentOperation(operation, baseUrl),
    architecture: row.architecture,
    source_url: row.source_url,
    size_bytes: row.size_bytes,
    sha256: row.sha256,
    locations: row.locations,
    progress_percent: row.progress_percent,
    failure: row.failure,
    mounted_on_count: mountedOn,
    expires_at:
      row.failed_at === null ? null : new Date(row.failed_at.getTime() + KEPT_DAYS * DAY_MS).toISOString(),
    etag: isos.etag(row),
    created_at: row.created_at.toISOString(),
    provisioned_at: row.provisioned_at?.toISOString() ?? null,
    updated_at: row.updated_at.toISOString(),
  };
}
