/** An image as the API shows it. Provider images and the account's own images have the same schema. */
import { PendingOperation, presentOperation } from '../../../kernel/operations/schema.ts';
import type { StoredOperation } from '../../../kernel/operations/store.ts';
import {
  CreatedAt,
  Description,
  Etag,
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
  UpdatedAt,
} from '../../../kernel/schema.ts';
import type { Services } from '../../../kernel/services.ts';
import { bookOf } from '../../../money/prices/book.ts';
import type { Image as CatalogueImage } from '../../../provider/catalogue.ts';
import { GB_MEANS } from '../gigabytes.ts';
import { Architecture, BootMode, osMembers, SecureBoot } from '../hardware.ts';
import { SnapshotRef, VmRef } from '../references.ts';
import { imageLife } from './lifecycle.ts';
import { ImageFormat, ImageKind, OsFamily, sourceTypes } from './members.ts';
import { images } from './resource.ts';
import type { ImageRow } from './table.ts';

export const Image = Named(
  'Image',
  Shape({
    id: Type.String({ description: 'The id of the image: `img_…`. For public images, this is the slug.' }),
    kind: ImageKind,
    slug: Nullable(
      Type.String({ description: 'The slug of a public image, such as `debian-12`; null for your own.' }),
    ),
    name: Type.String({ description: 'The name of the image; of your own images, unique in the account.' }),
    description: Description,
    labels: Labels,
    os: Shape(
      { family: OsFamily, ...osMembers },
      { description: 'The operating system that the image contains.' },
    ),
    architecture: Architecture,
    boot_mode: BootMode,
    secure_boot: { ...SecureBoot, description: 'Whether machines of this image can use secure boot.' },
    min_disk_gb: Type.Integer({
      'x-unit': 'GB',
      description: `The smallest disk that the image fits on. ${GB_MEANS}`,
    }),
    min_memory_mb: Type.Integer({
      'x-unit': 'MB',
      description: 'The least memory that a machine needs for the image.',
    }),
    size_bytes: Nullable(
      Type.Integer({
        'x-unit': 'bytes',
        description: `The space that the image takes, by which it is billed; null if it is not known. ${GB_MEANS}`,
      }),
    ),
    sha256: Nullable(
      Type.String({ description: 'The SHA-256 of the image, hexadecimal; null if it is not known.' }),
    ),
    cloud_init: Type.Boolean({
      description: 'Whether the image runs cloud-init, which applies SSH keys and user data.',
    }),
    guest_agent: Type.Boolean({
      description: 'Whether the image contains the guest agent, which resets passwords.',
    }),
    default_user: Type.String({ description: 'The user that SSH keys and passwords are set for.' }),
    source: Shape(
      {
        type: OneOf(
          { provider: 'The provider made it.', ...sourceTypes },
          { description: 'What the image was made from.' },
        ),
        id: Nullable(
          Type.String({ description: 'The id of the machine, snapshot or backup; null for other sources.' }),
        ),
        url: Nullable(
          Type.String({
            format: 'uri',
            description: 'The URL of the file, without the query; null for other sources.',
          }),
        ),
      },
      { description: 'Where the image comes from.' },
    ),
    locations: Type.Array(Type.String(), {
      description:
        'Locations that have the image. Others get a copy when the first machine there is created from it.',
    }),
    status: imageLife.ShownStatus,
    progress_percent: Nullable(
      Type.Integer({
        minimum: 0,
        maximum: 100,
        'x-unit': 'percent',
        description: 'The part of the creation that is done; null if it is not being created.',
      }),
    ),
    failure: Nullable(
      Shape(
        {
          code: Type.String({
            description: 'The reason, such as `checksum_mismatch`, as in `error.code` of operations.',
          }),
          detail: Type.String({ description: 'What went wrong, in words.' }),
        },
        { description: 'Why the image could not be created; null if it did not fail.' },
      ),
    ),
    operation: PendingOperation,
    deprecated_at: Nullable({
      ...Time,
      description: 'From then on, do not use it for new machines; null if it is current.',
    }),
    removed_at: Nullable({
      ...Time,
      description: 'From then on it can no longer be used; null if no end is known.',
    }),
    etag: Etag,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
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
  description:
    'The SHA-256 that the downloaded file must have, before it is unpacked. Default: it is not checked.',
});

export const CreateImage = Shape({
  name: ResourceName,
  description: Type.Optional({ ...Description, default: '' }),
  labels: Type.Optional({ ...Labels, default: {} }),
  source: Shape(
    {
      type: OneOf(sourceTypes, {
        description: 'What the image is made from. It decides which other members are required.',
      }),
      vm_id: Type.Optional({
        ...VmRef,
        description:
          'The machine to copy. Required with the type `vm`; with `snapshot`, the machine of the snapshot, which may be left out.',
      }),
      snapshot_id: Type.Optional({
        ...SnapshotRef(),
        description: 'Required with the type `snapshot`: the snapshot to copy.',
      }),
      backup_id: Type.Optional(
        Id('bkp', { description: 'Required with the type `backup`, which is not offered yet.' }),
      ),
      url: Type.Optional(
        Secret(
          Type.String({
            maxLength: 2048,
            format: 'uri',
            writeOnly: true,
            description:
              'Required with the type `url`: an https address without user and password. The query is never shown again, so you can use signed links.',
          }),
        ),
      ),
      format: Type.Optional(ImageFormat),
      sha256: Type.Optional(Sha256),
      architecture: Type.Optional({
        ...Architecture,
        description: 'Required with the type `url`: the processor that the system in the file is made for.',
      }),
      os: Type.Optional(
        Shape(
          {
            family: Type.Optional({ ...OsFamily, default: 'linux' }),
            distribution: Type.Optional({
              ...Slug,
              default: 'other',
              description: 'The distribution or edition, such as `ubuntu`.',
            }),
            version: Type.Optional(
              Type.String({
                maxLength: 63,
                default: '',
                description: 'The version of the distribution, such as `24.04`.',
              }),
            ),
          },
          {
            description:
              'Only with the type `url`: the operating system in the file, for display. Default: unknown Linux.',
          },
        ),
      ),
      boot_mode: Type.Optional({
        ...BootMode,
        default: 'uefi',
        description: 'Only with the type `url`: how machines of this image boot.',
      }),
    },
    { description: 'What the image is made from.' },
  ),
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
