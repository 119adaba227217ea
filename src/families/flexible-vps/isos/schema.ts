/** The schemas of ISOs in requests and answers. */

import { addressFor } from '../../../kernel/chosen-addresses.ts';
import { PendingOperation } from '../../../kernel/operations/schema.ts';
import {
  advanced,
  byOthers,
  CreatedAt,
  Description,
  Etag,
  Labels,
  label,
  Named,
  NewDescription,
  Nullable,
  OneOf,
  ProvisionedAt,
  ResourceName,
  Secret,
  Shape,
  type Static,
  Time,
  Type,
  UpdatedAt,
  volatile,
} from '../../../kernel/schema.ts';
import { written } from '../../../kernel/text-patterns.ts';
import { IdOrSlug } from '../catalog/id-or-slug.ts';
import { Architecture } from '../hardware.ts';
import { isoLife } from './lifecycle.ts';

const IsoArchitecture = {
  ...Architecture,
  description: 'The processor that the system on the ISO is made for.',
};

export const IsoKind = Named(
  'IsoKind',
  OneOf(
    { public: 'The provider offers it to all accounts.', private: 'You imported it.' },
    { description: 'Whose ISO it is.' },
  ),
);

export const Iso = Named(
  'Iso',
  Shape({
    id: Type.String({ description: 'The id of the ISO: `iso_…`. For public ISOs, this is the slug.' }),
    kind: IsoKind,
    name: Type.String({ description: 'The name of the ISO; of your own ISOs, unique in the account.' }),
    description: Description,
    labels: Labels,
    status: isoLife.ShownStatus,
    operation: PendingOperation,
    architecture: IsoArchitecture,
    source_url: Nullable(
      Type.String({
        ...byOthers,
        format: 'uri',
        description: 'Where it was downloaded from, without the query; null for public ISOs.',
      }),
    ),
    size_bytes: Nullable(
      Type.Integer({
        'x-unit': 'bytes',
        ...volatile,
        description: 'The size of the file, billed by the GB of 2^30 bytes; null if it is not known.',
      }),
    ),
    sha256: Nullable(
      Type.String({
        ...volatile,
        description: 'The SHA-256 of the file, hexadecimal; null if it is not known.',
      }),
    ),
    locations: Type.Array(Type.String(), {
      ...volatile,
      description: 'The locations that have the ISO. Only machines there can use it.',
    }),
    progress_percent: Nullable(
      Type.Integer({
        minimum: 0,
        maximum: 100,
        'x-unit': 'percent',
        ...volatile,
        description: 'The part of the import that is done; null if it is not being imported.',
      }),
    ),
    failure: Nullable(
      Shape(
        {
          code: Type.String({
            description: 'The reason, such as `not_an_iso`, as in `error.code` of operations.',
          }),
          detail: Type.String({ description: 'What went wrong, in words.' }),
        },
        { ...volatile, description: 'Why the ISO could not be imported; null if it did not fail.' },
      ),
    ),
    mounted_on_count: Type.Integer({
      'x-unit': 'machines',
      ...volatile,
      description: 'How many machines have it in their drive.',
    }),
    expires_at: Nullable({
      ...Time,
      ...volatile,
      description: 'When a failed ISO is deleted; null for others.',
    }),
    etag: Etag,
    created_at: CreatedAt,
    provisioned_at: ProvisionedAt,
    updated_at: UpdatedAt,
  }),
  { columns: ['name', 'kind', 'status', 'architecture', 'size_bytes', 'created_at'] },
);
export type Iso = Static<typeof Iso>;

export const IsoId = Shape({ id: IdOrSlug('iso', 'ISO') });

export const NewIso = Shape({
  name: ResourceName,
  url: Secret(
    Type.String({
      maxLength: 2048,
      format: 'uri',
      ...addressFor('called_url'),
      writeOnly: true,
      ...label('Address of the file'),
      description:
        'An https address without user and password. Stored as a URL in normal form, with the host in lower case. The query is never shown again, so you can use signed links.',
    }),
  ),
  sha256: Type.Optional(
    Type.String({
      ...label('SHA-256 of the file'),
      ...advanced,
      writeOnly: true,
      ...written(
        '^[0-9a-f]{64}$',
        'Must be a SHA-256: 64 digits from 0 to 9 and lower-case letters from a to f.',
      ),
      description: 'The SHA-256 that the file must have. Default: it is not checked.',
    }),
  ),
  architecture: Type.Optional({ ...IsoArchitecture, default: 'amd64' }),
  labels: Type.Optional({ ...Labels, default: {} }),
  description: Type.Optional(NewDescription),
});
export type NewIso = Static<typeof NewIso>;
