/** An image as the API shows it. Provider images and the account's own images have the same schema. */
import { PendingOperation } from '../../../kernel/operations/schema.ts';
import {
  CreatedAt,
  Description,
  Etag,
  Labels,
  Named,
  Nullable,
  OneOf,
  ProvisionedAt,
  ResourceName,
  Shape,
  type Static,
  Time,
  Type,
  UpdatedAt,
  volatile,
} from '../../../kernel/schema.ts';
import { IdOrSlug } from '../catalog/id-or-slug.ts';
import { GB_MEANS } from '../gigabytes.ts';
import { Architecture, BootMode, Os, SecureBoot } from '../hardware.ts';
import { NewImageSource } from './alternatives.ts';
import { imageLife } from './lifecycle.ts';
import { ImageKind, sourceTypes } from './members.ts';

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
    os: Os,
    architecture: Architecture,
    boot_mode: BootMode,
    secure_boot: { ...SecureBoot, description: 'Whether machines of this image can use secure boot.' },
    min_disk_gb: Type.Integer({
      ...volatile,
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
        ...volatile,
        description:
          'The space that the image takes, billed by the GB of 2^30 bytes; null if it is not known.',
      }),
    ),
    sha256: Nullable(
      Type.String({
        ...volatile,
        description: 'The SHA-256 of the image, hexadecimal; null if it is not known.',
      }),
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
      ...volatile,
      description:
        'Locations that have the image. Others get a copy when the first machine there is created from it.',
    }),
    status: imageLife.ShownStatus,
    progress_percent: Nullable(
      Type.Integer({
        minimum: 0,
        maximum: 100,
        'x-unit': 'percent',
        ...volatile,
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
        { ...volatile, description: 'Why the image could not be created; null if it did not fail.' },
      ),
    ),
    operation: PendingOperation,
    deprecated_at: Nullable({
      ...Time,
      ...volatile,
      description: 'From then on, do not use it for new machines; null if it is current.',
    }),
    removed_at: Nullable({
      ...Time,
      ...volatile,
      description: 'From then on it can no longer be used; null if no end is known.',
    }),
    etag: Etag,
    created_at: CreatedAt,
    provisioned_at: ProvisionedAt,
    updated_at: UpdatedAt,
  }),
  { columns: ['name', 'kind', 'status', 'architecture', 'size_bytes', 'created_at'] },
);
export type Image = Static<typeof Image>;

export const ImageId = Shape({ id: IdOrSlug('img', 'image') });

export const CreateImage = Shape({
  name: ResourceName,
  description: Type.Optional({ ...Description, default: '' }),
  labels: Type.Optional({ ...Labels, default: {} }),
  source: NewImageSource,
});
export type CreateImage = Static<typeof CreateImage>;
