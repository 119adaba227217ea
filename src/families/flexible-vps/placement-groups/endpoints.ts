import { etagOf } from '../../../kernel/etag.ts';
import { ResourceQuery } from '../../../kernel/listing/query.ts';
import { List } from '../../../kernel/pages/list.ts';
import { invalid } from '../../../kernel/problems/problem.ts';
import { created, endpoint, noContent, ok } from '../../../kernel/record.ts';
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
import { Owned } from '../../../resources/owned/owned.ts';
import { MOST_NAMED, refuseUsed } from '../../../resources/owned/refuse-used.ts';
import { detachLeaving, readMembers, vmIds } from './store.ts';

export const placementGroups = new Owned({
  type: 'placement_group',
  idPrefix: 'pg',
  table: 'placement_groups',
  words: 'placement group',
  family: 'flexible-vps',
  permission: 'flexible-vps:placement-groups:read',
  path: '/flexible-vps/v1/placement-groups/{id}',
  limit: 'flexible-vps.placement-groups',
  events: { created: {}, deleted: {} },
  inventory: ({ location }) => ({ location }),
  shows: () => ({ vm_ids: vmIds }),
  // The members are part of the etag, because machines join and leave without a change to the row of the group.
  etag: ({ id, version, vm_ids }) => etagOf([id, ...vm_ids].join(' '), version),
});

const Policy = OneOf(['spread', 'compact'], {
  description: '`spread`: no two machines on one host. `compact`: as close together as possible.',
});
const isStrict =
  '`true`: a machine that the policy leaves no host for is refused. `false`: it is placed on any host.';
const members = 'The machines in the group, except machines that are being deleted. At most 10.';

const PlacementGroup = Named(
  'PlacementGroup',
  Shape({
    id: Id('pg'),
    name: ResourceName,
    labels: Labels,
    location: Slug,
    policy: Policy,
    strict: Type.Boolean({ description: isStrict }),
    vm_ids: Type.Array(Id('vm'), { description: members }),
    etag: Type.String(),
    created_at: Time,
    updated_at: Time,
  }),
);
export type PlacementGroup = Static<typeof PlacementGroup>;

const CreatePlacementGroup = Named(
  'CreatePlacementGroup',
  Shape({
    name: ResourceName,
    location: { ...Slug, description: 'A location that runs machines. All machines of the group are in it.' },
    policy: Type.Optional({ ...Policy, default: 'spread' }),
    strict: Type.Optional(Type.Boolean({ default: true, description: isStrict })),
    labels: Type.Optional(Labels),
  }),
);

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

export type PlacementGroupRow = Awaited<ReturnType<typeof placementGroups.get>>;

function present(row: PlacementGroupRow): PlacementGroup {
  const { id, name, labels, location, policy, strict, vm_ids, created_at, updated_at } = row;
  const times = { created_at: created_at.toISOString(), updated_at: updated_at.toISOString() };
  return { id, name, labels, location, policy, strict, vm_ids, etag: placementGroups.etag(row), ...times };
}

export const listPlacementGroups = endpoint({
  id: 'listPlacementGroups',
  method: 'GET',
  path: '/flexible-vps/v1/placement-groups',
  summary: 'List placement groups',
  permission: 'flexible-vps:placement-groups:read',
  access: 'read',
  resource: { name: 'placement_group', role: 'list' },
  query: ResourceQuery({
    location: Type.Optional({ ...Slug, description: 'Only groups of this location.' }),
  }),
  answers: { 200: List(PlacementGroup) },
  problems: [],
  example: { answer: { status: 200, body: { data: [example], next_cursor: null } } },
  async handle(call) {
    const { location } = call.query;
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
    if (call.services.compute.at(location) === undefined) {
      const detail = 'There is no location of this name that runs machines.';
      throw invalid([{ pointer: '/location', code: 'unknown_reference', detail }]);
    }
    await placementGroups.requireFree(call, name);
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
    refuseUsed(await readMembers(call.db, group.vm_ids.slice(0, MOST_NAMED)), {
      detail: 'There are machines in the group.',
      nextStep: 'Delete them, or stop them and set their placement_group_id to null, then repeat the call.',
      count: group.vm_ids.length,
    });
    await detachLeaving(call.db, group.id);
    await placementGroups.remove(call, group);
    return noContent;
  },
});
