import { bookOf } from '../../../money/prices/book.ts';
import type { Image as CatalogueImage } from '../../../provider/catalogue.ts';
import { view } from '../../../resources/records/records.ts';
import { exampleImage } from './example.ts';
import { images } from './resource.ts';
import { Image } from './schema.ts';
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

export const imageView = view(images, {
  schema: Image,
  example: exampleImage,
  compute(row, { services: { provider, compute } }) {
    const listed = isPublic(row) ? bookOf(provider.catalogue).images.get(row.id) : undefined;
    return {
      kind: isPublic(row) ? ('public' as const) : ('custom' as const),
      slug: isPublic(row) ? row.id : null,
      os: row.os as Image['os'],
      locations: isPublic(row) ? compute.all.map(({ location }) => location) : row.locations,
      deprecated_at: atMidnight(listed?.deprecated_at),
      removed_at: atMidnight(listed?.removed_at),
    };
  },
});
