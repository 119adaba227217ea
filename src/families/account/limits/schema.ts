import {
  byCatalogue,
  Named,
  Nullable,
  OneOf,
  Shape,
  type Static,
  Type,
  volatile,
} from '../../../kernel/schema.ts';

export const Limit = Named(
  'Limit',
  Shape({
    id: Type.String({ description: 'The name of the limit for programs, such as `flexible-vps.vms`.' }),
    family: Type.String({ description: 'The product family whose resources are counted.' }),
    name: Type.String({ ...byCatalogue, description: 'What is counted, in words.' }),
    unit: Type.String({ description: 'The unit of `limit` and `used`, such as `keys` or `GB`.' }),
    limit: Nullable(Type.Integer({ description: 'The most you may have. Null: counted, but not limited.' })),
    used: Type.Integer({ ...volatile, description: 'How much you have now.' }),
    scope: OneOf(
      {
        account: 'Counts in the whole account.',
        location: 'Counts in each location on its own.',
        parent: 'Counts in each parent resource on its own, for example snapshots of each machine.',
      },
      { description: 'What is counted together.' },
    ),
    location: Nullable(
      Type.String({
        description: 'The location of this count; null if the limit is not counted by location.',
      }),
    ),
    raisable: Type.Boolean({ description: 'Whether the provider raises the limit on request.' }),
    maximum_on_request: Nullable(
      Type.Integer({
        description: 'The highest value that the provider grants on request; null if none is set.',
      }),
    ),
  }),
  { columns: ['name', 'used', 'limit', 'location'] },
);

export type Limit = Static<typeof Limit>;
