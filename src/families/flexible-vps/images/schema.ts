/** An image as the API shows it. Provider images and the account's own images have the same schema. */
import { OperationView, presentOperation } from '../../../kernel/operations/schema.ts';
import type { StoredOperation } from '../../../kernel/operations/store.ts';
import {
  Id,
  Labels,
  Named,
  Nullable,
  OneOf,
  ResourceName,
  Secret,
  Shape,
  Slug,
  type Static,
  Time,
  Type,
} from '../../../kernel/schema.ts';
import type { Services } from '../../../kernel/services.ts';
import { bookOf } from '../../../money/prices/book.ts';
import type { Image as CatalogueImage } from '../../../provider/catalogue.ts';
import { GB_MEANS } from '../gigabytes.ts';
import { SnapshotRef, VmRef } from '../references.ts';
import { imageLife } from './lifecycle.ts';
import { images } from './resource.ts';
import type { ImageRow } from './table.ts';

export const osFamilies = ['linux', 'windows', 'bsd'] as const;
export const architectures = ['amd64', 'arm64'] as const;
export const sourceTypes = ['vm', 'snapshot', 'backup', 'url'] as const;

export const Image = Named(
  'Image',
  Shape({
    id: Type.String({ description: 'For public images, this is the slug.' }),
    kind: OneOf(['public', 'custom']),
    slug: Nullable(Type.String()),
    name: Type.String(),
    description: Type.String(),
    labels: Labels,
    os: Shape({ family: OneOf(osFamilies), distribution: Type.String(), version: Type.String() }),
    architecture: OneOf(architectures),
    boot_mode: OneOf(['uefi', 'bios']),
    secure_boot: Type.Boolean(),
    min_disk_gb: Type.Integer({ description: GB_MEANS }),
    min_memory_mb: Type.Integer(),
    size_bytes: Nullable(Type.Integer({ description: `An image is billed by its size. ${GB_MEANS}` })),
    sha256: Nullable(Type.String()),
    cloud_init: Type.Boolean(),
    guest_agent: Type.Boolean(),
    default_user: Type.String(),
    source: Shape({
      type: OneOf(['provider', ...sourceTypes]),
      id: Nullable(Type.String()),
      url: Nullable(Type.String({ description: 'Without the query.' })),
    }),
    locations: Type.Array(Type.String(), {
      description:
        'Locations that have the image. Others get a copy when the first machine there is created from it.',
    }),
    status: imageLife.ShownStatus,
    progress_percent: Nullable(Type.Integer({ minimum: 0, maximum: 100 })),
    failure: Nullable(Shape({ code: Type.String(), detail: Type.String() })),
    operation: Nullable(OperationView),
    deprecated_at: Nullable(Time),
    removed_at: Nullable(Time),
    etag: Type.String(),
    created_at: Time,
    updated_at: Time,
  }),
);
export type Image = Static<typeof Image>;

export const ImageId = Shape({
  id: Type.Unsafe<string>({
    ...Slug,
    pattern: '^(img_[0-7][0-9a-hjkmnp-tv-z]{25}|[a-z0-9]([a-z0-9.-]*[a-z0-9])?)$',
    description: 'The id of the image, or the slug of a public image.',
  }),
});

const Sha256 = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'The SHA-256 of the file as it is downloaded, before it is unpacked.',
});

export const CreateImage = Shape({
  name: ResourceName,
  description: Type.Optional(Type.String({ maxLength: 255 })),
  labels: Type.Optional(Labels),
  source: Shape({
    type: OneOf(sourceTypes),
    vm_id: Type.Optional({
      ...VmRef,
      description: 'Required with the type `vm`; allowed with `snapshot`.',
    }),
    snapshot_id: Type.Optional({
      ...SnapshotRef('/source/vm_id'),
      description: 'Required with the type `snapshot`.',
    }),
    backup_id: Type.Optional(Id('bkp', { description: 'Required with the type `backup`.' })),
    url: Type.Optional(
      Secret(
        Type.String({
          maxLength: 2048,
          description:
            'Required with the type `url`: an https address without user and password. The query is never shown again, so you can use signed links.',
        }),
      ),
    ),
    format: Type.Optional(
      OneOf(['qcow2', 'raw', 'vmdk'], {
        description:
          'The format that the file must have. If left out, the format is detected. The file may be packed with gzip, xz or zstd.',
      }),
    ),
    sha256: Type.Optional(Sha256),
    architecture: Type.Optional(OneOf(architectures, { description: 'Required with the type `url`.' })),
    os: Type.Optional(
      Shape({
        family: Type.Optional(OneOf(osFamilies)),
        distribution: Type.Optional(Slug),
        version: Type.Optional(Type.String({ maxLength: 63 })),
      }),
    ),
    boot_mode: Type.Optional(OneOf(['uefi', 'bios'])),
  }),
});
export type CreateImage = Static<typeof CreateImage>;

export const isPublic = ({ account_id }: Pick<ImageRow, 'account_id'>): boolean => account_id === '';

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
    updated_at: row.updated_at.toISOString(),
  };
}
