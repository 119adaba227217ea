import { presentOperation } from '../../../kernel/operations/schema.ts';
import type { StoredOperation } from '../../../kernel/operations/store.ts';
import type { Services } from '../../../kernel/services.ts';
import { bookOf } from '../../../money/prices/book.ts';
import type { Image as CatalogueImage } from '../../../provider/catalogue.ts';
import { images } from './resource.ts';
import type { Image } from './schema.ts';
import type { ImageRow } from './table.ts';

const isPublic = ({ account_id }: Pick<ImageRow, 'account_id'>): boolean => account_id === '';

/** Returns a provider image in the form of a row, so that lists can sort it among the account's own images. */
export function publicRow(image: CatalogueImage): ImageRow {
  const since = new Date(image.added_on);
  return {
    id: image.slug,
    account_id: '',
    name: image.name,
    labels: {},
    version: 1,
    created_at: since,
    provisioned_at: since,
    updated_at: since,
    description: '',
    os: image.os,
    architecture: image.architecture,
    boot_mode: image.boot_mode,
    secure_boot: image.secure_boot,
    min_disk_gb: image.min_disk_gb,
    min_memory_mb: image.min_memory_mb,
    size_bytes: null,
    sha256: null,
    cloud_init: image.cloud_init,
    guest_agent: image.guest_agent,
    default_user: image.default_user,
    source: { type: 'provider', id: null, url: null },
    sealed_url: null,
    locations: [],
    status: 'available',
    progress_percent: null,
    failure: null,
    failed_at: null,
  };
}

const atMidnight = (day: string | null | undefined): string | null =>
  day == null ? null : new Date(day).toISOString();

export function presentImage(
  { provider, baseUrl, compute }: Pick<Services, 'provider' | 'baseUrl' | 'compute'>,
  row: ImageRow,
  operation: StoredOperation | undefined,
): Image {
  const listed = isPublic(row) ? bookOf(provider.catalogue).images.get(row.id) : undefined;
  return {
    id: row.id,
    kind: isPublic(row) ? 'public' : 'custom',
    slug: isPublic(row) ? row.id : null,
    name: row.name,
    description: row.description,
    labels: row.labels,
    os: row.os as Image['os'],
    architecture: row.architecture,
    boot_mode: row.boot_mode,
    secure_boot: row.secure_boot,
    min_disk_gb: row.min_disk_gb,
    min_memory_mb: row.min_memory_mb,
    size_bytes: row.size_bytes,
    sha256: row.sha256,
    cloud_init: row.cloud_init,
    guest_agent: row.guest_agent,
    default_user: row.default_user,
    source: row.source,
    locations: isPublic(row) ? compute.all.map(({ location }) => location) : row.locations,
    status: row.status,
    progress_percent: row.progress_percent,
    failure: row.failure,
    operation: operation === undefined ? null : presentOperation(operation, baseUrl),
    deprecated_at: atMidnight(listed?.deprecated_at),
    removed_at: atMidnight(listed?.removed_at),
    etag: images.etag(row),
    created_at: row.created_at.toISOString(),
    provisioned_at: row.provisioned_at?.toISOString() ?? null,
    updated_at: row.updated_at.toISOString(),
  };
}
