import { etagOf } from '../../../kernel/etag.ts';
import { ResourceQuery } from '../../../kernel/listing/query.ts';
import { List } from '../../../kernel/pages/list.ts';
import { invalid } from '../../../kernel/problems/problem.ts';
import { created, endpoint, noContent, ok } from '../../../kernel/record.ts';
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
  Type,
  UpdatedAt,
  volatile,
} from '../../../kernel/schema.ts';
import { Owned } from '../../../resources/owned/owned.ts';
import type { OwnedTable } from '../../../resources/owned/table.ts';
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

function present(group: Awaited<ReturnType<typeof placementGroups.get>>) {
  const { id, name, labels, location, policy, strict, vm_ids } = group;
  const [created_at, updated_at] = [group.created_at.toISOString(), group.updated_at.toISOString()];
  const etag = placementGroups.etag(group);
  return { id, name, labels, location, policy, strict, vm_ids, etag, created_at, updated_at };
}
export type PlacementGroup = ReturnType<typeof present>;

const example: PlacementGroup = {
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

export const listPlacementGroups = endpoint({
  id: 'listPlacementGroups',
  method: 'GET',
  path: '/flexible-vps/v1/placement-groups',
  summary: 'List placement groups',
  permission: 'flexible-vps:placement-groups:read',
  access: 'read',
  resource: { name: 'placement_group', role: 'list' },
  query: ResourceQuery({
    location: Type.Optional({ ...LocationRef, description: 'Only groups of this location.' }),
    for_vm: ForVm,
  }),
  answers: { 200: List(PlacementGroup) },
  problems: [],
  example: { answer: { status: 200, body: { data: [example], next_cursor: null } } },
  async handle(call) {
    const location = await locationFor(call, call.query);
    const { rows, nextCursor } = await placementGroups.list(call, 'listPlacementGroups', { location });
    return ok({ data: rows.map(present), next_cursor: nextCursor });
  },
});

export const createPlacementGroup = endpoint({
  id: 'createPlacementGroup',
  method: 'POST',
  path: '/flexible-vps/v1/placement-groups',
  summary: 'Create a placement group',
  description:
    'Machines join it when they are created, or by PATCH while they are stopped. If the policy of a strict group cannot be met, creating or starting a machine fails with `placement_unsatisfiable`.',
  permission: 'flexible-vps:placement-groups:write',
  access: 'write',
  resource: { name: 'placement_group', role: 'create' },
  body: CreatePlacementGroup,
  answers: { 201: PlacementGroup },
  problems: ['name_taken', 'quota_exceeded'],
  example: {
    body: { name: 'web', location: 'fra1', policy: 'spread', labels: { env: 'prod' } },
    answer: { status: 201, body: { ...example, vm_ids: [] } },
  },
  async handle(call) {
    const { name, location, policy = 'spread', strict = true, labels = {} } = call.body;
    const faults = locationFaults(call.services, location);
    if (faults.length > 0) throw invalid(faults);
    await placementGroups.requireFree(call, name, location);
    const columns = { name, location, policy, strict, labels };
    const row = await placementGroups.create(call, columns, ['location', 'policy', 'strict']);
    return created(present({ ...row, vm_ids: [] }));
  },
});

export const getPlacementGroup = endpoint({
  id: 'getPlacementGroup',
  method: 'GET',
  path: '/flexible-vps/v1/placement-groups/{id}',
  summary: 'Get a placement group',
  permission: 'flexible-vps:placement-groups:read',
  access: 'read',
  resource: { name: 'placement_group', role: 'read' },
  params: Shape({ id: Id('pg') }),
  answers: { 200: PlacementGroup },
  problems: [],
  example: { params: { id: example.id }, answer: { status: 200, body: example } },
  async handle(call) {
    return ok(present(await placementGroups.get(call, call.params.id)));
  },
});

export const deletePlacementGroup = endpoint({
  id: 'deletePlacementGroup',
  method: 'DELETE',
  path: '/flexible-vps/v1/placement-groups/{id}',
  summary: 'Delete an empty placement group',
  permission: 'flexible-vps:placement-groups:delete',
  access: 'destructive',
  resource: { name: 'placement_group', role: 'delete' },
  params: Shape({ id: Id('pg') }),
  answers: { 204: null },
  problems: ['resource_in_use'],
  example: { params: { id: example.id }, answer: { status: 204, body: null } },
  async handle(call) {
    const group = await placementGroups.take(call, call.params.id);
    await requireEmpty(call.db, group);
    await placementGroups.remove(call, group);
    return noContent;
  },
});
