import type { Call } from '../../../kernel/call.ts';
import { newId } from '../../../kernel/ids.ts';
import { ResourceQuery } from '../../../kernel/listing/query.ts';
import { lockDeclarations } from '../../../kernel/named/store.ts';
import { List } from '../../../kernel/pages/list.ts';
import { invalid, Problem } from '../../../kernel/problems/problem.ts';
import { created, endpoint, noContent, ok } from '../../../kernel/record.ts';
import { Id, Shape, Slug, Type } from '../../../kernel/schema.ts';
import { forgetResource, noteResource } from '../../../resources/inventory/store.ts';
import { requireRoom } from '../../../resources/limits/require-room.ts';
import {
  CreatePlacementGroup,
  examplePlacementGroup,
  PlacementGroup,
  placementGroupEtag,
  presentPlacementGroup,
} from './schema.ts';
import { findGroup, insertGroup, listGroups, lockPlacementGroup, nameMembers, removeGroup } from './store.ts';

const PlacementGroupId = Shape({ id: Id('pg') });

/** As many users of a thing as an answer names. */
const NAMED_USERS = 20;

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
  example: { answer: { status: 200, body: { data: [examplePlacementGroup], next_cursor: null } } },
  async handle(call) {
    const { rows, nextCursor } = await listGroups(call, 'listPlacementGroups', call.query.location);
    return ok({ data: rows.map(presentPlacementGroup), next_cursor: nextCursor });
  },
});

async function requireFreeName({ db, caller, body }: Call<unknown, unknown, CreatePlacementGroup>) {
  const namesake = await findGroup(db, caller.account.id, 'name', body.name);
  if (namesake !== undefined) throw new Problem('name_taken', { extra: { existing_id: namesake.id } });
}

export const createPlacementGroup = endpoint({
  id: 'createPlacementGroup',
  method: 'POST',
  path: '/flexible-vps/v1/placement-groups',
  summary: 'Create a placement group',
  description:
    'Machines join it when they are created, or by PATCH while they are stopped. Where a strict group cannot be kept to, machines are refused with `placement_unsatisfiable` when they are created or started.',
  permission: 'flexible-vps:placement-groups:write',
  access: 'write',
  resource: { name: 'placement_group', role: 'create' },
  body: CreatePlacementGroup,
  answers: { 201: PlacementGroup },
  problems: ['name_taken', 'quota_exceeded'],
  example: {
    body: { name: 'web', location: 'fra1', policy: 'spread', labels: { env: 'prod' } },
    answer: { status: 201, body: { ...examplePlacementGroup, vm_ids: [] } },
  },
  async handle(call) {
    const { db, caller, body, services, effect, event } = call;
    const accountId = caller.account.id;
    if (services.compute.at(body.location) === undefined) {
      const detail = 'There is no location of this name that runs machines.';
      throw invalid([{ pointer: '/location', code: 'unknown_reference', detail }]);
    }
    await lockDeclarations(db, accountId, 'placement_group');
    await requireFreeName(call);
    await requireRoom(call, 'flexible-vps.placement-groups');
    const row = await insertGroup(db, {
      id: newId('placement_group'),
      account_id: accountId,
      name: body.name,
      labels: body.labels ?? {},
      location: body.location,
      policy: body.policy ?? 'spread',
      strict: body.strict ?? true,
    });
    await noteResource(db, {
      id: row.id,
      account_id: accountId,
      family: 'flexible-vps',
      type: 'placement_group',
      name: row.name,
      status: 'available',
      location: row.location,
      labels: row.labels,
      parent_id: null,
      api_key_id: caller.key.id,
      configuration: null,
    });
    const resource = { type: 'placement_group', id: row.id, name: row.name };
    effect({
      action: 'create',
      ...resource,
      changes: [
        { pointer: '/location', before: null, after: row.location },
        { pointer: '/policy', before: null, after: row.policy },
        { pointer: '/strict', before: null, after: row.strict },
      ],
    });
    event({
      type: 'placement_group.created',
      resource,
      message: `The placement group ${row.name} was created.`,
    });
    return created(presentPlacementGroup({ ...row, vm_ids: [] }));
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
  params: PlacementGroupId,
  answers: { 200: PlacementGroup },
  problems: [],
  example: {
    params: { id: examplePlacementGroup.id },
    answer: { status: 200, body: examplePlacementGroup },
  },
  async handle({ db, caller, params }) {
    const row = await findGroup(db, caller.account.id, 'id', params.id);
    if (row === undefined) throw new Problem('not_found');
    return ok(presentPlacementGroup(row));
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
  params: PlacementGroupId,
  answers: { 204: null },
  problems: ['resource_in_use'],
  example: { params: { id: examplePlacementGroup.id }, answer: { status: 204, body: null } },
  async handle({ db, caller, params, checkVersion, effect, event }) {
    const row = await lockPlacementGroup(db, caller.account.id, params.id);
    if (row === undefined) throw new Problem('not_found');
    checkVersion(placementGroupEtag(row));
    if (row.vm_ids.length > 0) {
      const users = await nameMembers(db, row.vm_ids.slice(0, NAMED_USERS));
      throw new Problem('resource_in_use', {
        detail: 'There are machines in the group.',
        nextStep: 'Delete them, or stop them and set their placement_group_id to null, then repeat the call.',
        extra: {
          used_by: users.map(({ id, name }) => ({ type: 'vm', id, name })),
          used_by_count: row.vm_ids.length,
        },
      });
    }
    await removeGroup(db, row.id);
    await forgetResource(db, row.id);
    const resource = { type: 'placement_group', id: row.id, name: row.name };
    effect({ action: 'delete', ...resource });
    event({
      type: 'placement_group.deleted',
      resource,
      message: `The placement group ${row.name} was deleted.`,
    });
    return noContent;
  },
});
