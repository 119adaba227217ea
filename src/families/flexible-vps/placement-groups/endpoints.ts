import { etagOf } from '../../../kernel/etag.ts';
import { exampleOf } from '../../../kernel/examples.ts';
import { ResourceQuery } from '../../../kernel/listing/query.ts';
import { invalid } from '../../../kernel/problems/problem.ts';
import {
  advanced,
  CreatedAt,
  Etag,
  Id,
  Labels,
  label,
  Named,
  OneOf,
  OwnId,
  ResourceName,
  Shape,
  Slug,
  type Static,
  Type,
  UpdatedAt,
  volatile,
} from '../../../kernel/schema.ts';
import { Owned } from '../../../resources/owned/owned.ts';
import type { OwnedTable } from '../../../resources/owned/table.ts';
import { deleteOf, listOf, readOf, view, writeOf } from '../../../resources/records/records.ts';
import { locationFor } from '../catalog/fitting.ts';
import { locationFaults } from '../catalog/location-faults.ts';
import { ForVm, LocationRef } from '../references.ts';
import { requireEmpty, vmIds } from './store.ts';

declare module '../../../store/database.ts' {
  interface Tables {
    placement_groups: OwnedTable & { location: string; policy: 'spread' | 'compact'; strict: boolean };
  }
}

export const placementGroups = new Owned({
  type: 'placement_group',
  idPrefix: 'pg',
  table: 'placement_groups',
  permission: 'flexible-vps:placement-groups:read',
  path: '/flexible-vps/v1/placement-groups/{id}',
  limit: 'flexible-vps.placement-groups',
  loses: 'The rule by which its machines would be placed.',
  events: { created: {}, deleted: {} },
  inventory: ({ location }) => ({ location }),
  shows: { vm_ids: vmIds },
  // The members are part of the etag, because machines join and leave without a change to the row of the group.
  etag: ({ id, version, vm_ids }) => etagOf([id, ...vm_ids].join(' '), version),
});

const Policy = Named(
  'PlacementPolicy',
  OneOf(
    { spread: 'No two machines are on one host.', compact: 'Machines are as close together as possible.' },
    { description: 'How the machines of the group are placed.' },
  ),
);
const Strict = Type.Boolean({
  ...advanced,
  description: 'If no host satisfies the policy: `true` refuses the machine, `false` places it on any host.',
});
const PlacementGroup = Named(
  'PlacementGroup',
  Shape({
    id: OwnId('pg'),
    name: ResourceName,
    labels: Labels,
    location: { ...Slug, description: 'The slug of the location. All machines of the group are in it.' },
    policy: Policy,
    strict: Strict,
    vm_ids: Type.Array(Id('vm'), {
      ...volatile,
      ...label('Machines'),
      description: 'The machines in the group, except machines that are being deleted. At most 10.',
    }),
    etag: Etag,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  }),
  { columns: ['name', 'location', 'policy', 'vm_ids'] },
);
const CreatePlacementGroup = Named(
  'CreatePlacementGroup',
  Shape({
    name: ResourceName,
    location: {
      ...LocationRef,
      description: 'A location that runs machines. All machines of the group are in it.',
    },
    policy: Type.Optional({ ...Policy, default: 'spread' }),
    strict: Type.Optional({ ...Strict, default: true }),
    labels: Type.Optional({ ...Labels, default: {} }),
  }),
);

export type PlacementGroup = Static<typeof PlacementGroup>;

const groups = view(placementGroups, {
  schema: PlacementGroup,
  example: exampleOf(PlacementGroup, {
    id: 'pg_01jqzv6d4jg9mbp7r3w0t8n6ev',
    name: 'web',
    location: 'fra1',
    strict: true,
    vm_ids: ['vm_01jqzvbw8fh0xtq5a2k7r9t1mz'],
  }),
});

export const listPlacementGroups = listOf(groups, {
  id: 'listPlacementGroups',
  query: ResourceQuery({
    location: Type.Optional({ ...LocationRef, description: 'Only groups of this location.' }),
    for_vm: ForVm,
  }),
  where: async (call) => ({ location: await locationFor(call, call.query) }),
});

export const createPlacementGroup = writeOf(groups, 'create', {
  id: 'createPlacementGroup',
  description:
    'Machines join it when they are created, or by `updateVm` while they are stopped. If the policy of a strict group cannot be met, creating or starting a machine fails with `placement_unsatisfiable`.',
  body: CreatePlacementGroup,
  problems: ['name_taken', 'quota_exceeded'],
  example: {
    body: { name: 'web', location: 'fra1', policy: 'spread', labels: { env: 'prod' } },
    answer: { vm_ids: [] },
  },
  async handle(call) {
    const { name, location, policy = 'spread', strict = true, labels = {} } = call.body;
    const faults = locationFaults(call.services, location);
    if (faults.length > 0) throw invalid(faults);
    await placementGroups.requireFree(call, name, location);
    const columns = { name, location, policy, strict, labels };
    const row = await placementGroups.create(call, columns, ['location', 'policy', 'strict']);
    return { row: { ...row, vm_ids: [] } };
  },
});

export const getPlacementGroup = readOf(groups, { id: 'getPlacementGroup' });

export const deletePlacementGroup = deleteOf(groups, {
  id: 'deletePlacementGroup',
  summary: 'Delete an empty placement group',
  problems: ['resource_in_use'],
  check: ({ db }, group) => requireEmpty(db, group),
});
