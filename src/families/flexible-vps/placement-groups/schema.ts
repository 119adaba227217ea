import { etagOf } from '../../../kernel/etag.ts';
import {
  Id,
  Labels,
  Named,
  OneOf,
  ResourceName,
  Shape,
  Slug,
  type Static,
  Time,
  Type,
} from '../../../kernel/schema.ts';
import type { PlacementGroupWithMembers } from './store.ts';

const Policy = OneOf(['spread', 'compact'], {
  description: '`spread`: no two machines on one host. `compact`: as close together as possible.',
});

const isStrict = 'Whether a machine that finds no fitting host is refused, or placed somewhere else.';

export const PlacementGroup = Named(
  'PlacementGroup',
  Shape({
    id: Id('pg'),
    name: ResourceName,
    labels: Labels,
    location: Slug,
    policy: Policy,
    strict: Type.Boolean({ description: isStrict }),
    vm_ids: Type.Array(Id('vm'), {
      description: 'Its machines, without those that are being deleted. At most 10.',
    }),
    etag: Type.String(),
    created_at: Time,
    updated_at: Time,
  }),
);
export type PlacementGroup = Static<typeof PlacementGroup>;

export const CreatePlacementGroup = Named(
  'CreatePlacementGroup',
  Shape({
    name: ResourceName,
    location: { ...Slug, description: 'A location that runs machines; its machines are all there.' },
    policy: Type.Optional({ ...Policy, default: 'spread' }),
    strict: Type.Optional(Type.Boolean({ default: true, description: isStrict })),
    labels: Type.Optional(Labels),
  }),
);
export type CreatePlacementGroup = Static<typeof CreatePlacementGroup>;

/** Machines come and go without a word to the group, and yet it is another one to whoever reads it. */
export const placementGroupEtag = ({ id, version, vm_ids }: PlacementGroupWithMembers): string =>
  etagOf([id, ...vm_ids].join(' '), version);

export function presentPlacementGroup(row: PlacementGroupWithMembers): PlacementGroup {
  return {
    id: row.id,
    name: row.name,
    labels: row.labels,
    location: row.location,
    policy: row.policy,
    strict: row.strict,
    vm_ids: row.vm_ids,
    etag: placementGroupEtag(row),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

export const examplePlacementGroup: PlacementGroup = {
  id: 'pg_01jqzv6d4jg9mbp7r3w0t8n6ev',
  name: 'web',
  labels: { env: 'prod' },
  location: 'fra1',
  policy: 'spread',
  strict: true,
  vm_ids: ['vm_01jqzvbw8fh0xtq5a2k7r9t1mz'],
  etag: 'q3w2c9T1hVb7Zk0m',
  created_at: '2026-03-01T10:00:00.000Z',
  updated_at: '2026-03-01T10:00:00.000Z',
};
