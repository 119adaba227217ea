/**
 * A family that exists only in tests. It uses every feature of a product family (create with a secret, merge patch,
 * If-Match, delete, labels, prices, inventory), so that the laws check them without depending on a product family.
 */
import { type Selectable, sql } from 'kysely';
import { mergeLabels } from '../kernel/merged-labels.ts';
import { dateFilters, List, ListQuery } from '../kernel/pages/list.ts';
import { readPage, type SortKey } from '../kernel/pages/store.ts';
import { created, endpoint, noContent, ok } from '../kernel/record.ts';
import type { Family } from '../kernel/registry.ts';
import {
  Id,
  Labels,
  LabelsPatch,
  Named,
  Nullable,
  ResourceName,
  Secret,
  Shape,
  type Static,
  Time,
  Type,
} from '../kernel/schema.ts';
import { Owned } from '../resources/owned/owned.ts';
import type { Tables } from '../store/database.ts';
import { machineEndpoints } from './machine-endpoints.ts';
import { machineKinds, machineResource } from './machines.ts';
import { orderEndpoints, orderResources } from './orders.ts';

export { createWidgetsTable } from './widget-table.ts';

const Widget = Named(
  'Widget',
  Shape({
    id: Id('wid'),
    name: ResourceName,
    size: Type.Integer(),
    labels: Labels,
    etag: Type.String(),
    created_at: Time,
  }),
);
const NewWidget = Named(
  'NewWidget',
  Shape({
    ...Widget.properties,
    password: Nullable(Secret(Type.String())),
    secret_returned_before: Type.Optional(Type.Boolean()),
  }),
);
const WidgetId = Shape({ id: Id('wid') });
const data = Shape({ size: Type.Integer() });

const example: Static<typeof Widget> = {
  id: 'wid_01jqzv2m7xe9rs5d3k8w4t6y0b',
  name: 'one',
  size: 3,
  labels: {},
  etag: 'q3w2c9T1hVb7Zk0m',
  created_at: '2026-03-01T10:00:00.000Z',
};

/** A widget costs what a volume of ten times its size costs. */
const widgets = new Owned({
  type: 'widget',
  idPrefix: 'wid',
  table: 'widgets',
  permission: 'workshop:widgets:read',
  path: '/workshop/v1/widgets/{id}',
  limit: 'workshop.widgets',
  pricedAs: 'volume',
  events: { created: { data }, updated: { data }, deleted: { data } },
  eventData: ({ size }) => ({ size }),
  inventory: ({ size }) => ({
    status: 'ready',
    location: 'fra1',
    configuration: { location: 'fra1', size_gb: 10 * size },
  }),
});

function present(row: Selectable<Tables['widgets']>): Static<typeof Widget> {
  const { id, name, size, labels, created_at } = row;
  return { id, name, size, labels, etag: widgets.etag(row), created_at: created_at.toISOString() };
}

const byId: SortKey = { column: sql.ref('widgets.id'), type: 'text' };
const byName: SortKey = { column: sql`widgets.name collate "C"`, type: 'text' };

const listWidgets = endpoint({
  id: 'listWidgets',
  method: 'GET',
  path: '/workshop/v1/widgets',
  summary: 'List widgets',
  permission: 'workshop:widgets:read',
  access: 'read',
  resource: { name: 'widget', role: 'list' },
  query: ListQuery(
    { name: Type.Optional({ ...ResourceName, description: 'Exactly this name.' }), ...dateFilters },
    { sort: ['created_at', '-created_at', 'name', '-name'] },
  ),
  answers: { 200: List(Widget) },
  problems: [],
  example: { answer: { status: 200, body: { data: [example], next_cursor: null } } },
  async handle(call) {
    let query = call.db.selectFrom('widgets').selectAll().where('account_id', '=', call.caller.account.id);
    if (call.query.name !== undefined) query = query.where('name', '=', call.query.name);
    const { rows, nextCursor } = await readPage(call, query, {
      endpoint: 'listWidgets',
      id: byId,
      sorts: { created_at: byId, name: byName },
    });
    return ok({ data: rows.map(present), next_cursor: nextCursor });
  },
});

const createWidget = endpoint({
  id: 'createWidget',
  method: 'POST',
  path: '/workshop/v1/widgets',
  summary: 'Create a widget',
  permission: 'workshop:widgets:write',
  access: 'write',
  raisesCost: true,
  resource: { name: 'widget', role: 'create' },
  body: Shape({
    name: ResourceName,
    size: Type.Integer({ minimum: 1, maximum: 10 }),
    labels: Type.Optional({ ...Labels, default: {} }),
  }),
  answers: { 201: NewWidget },
  problems: ['name_taken', 'quota_exceeded'],
  example: {
    body: { name: 'one', size: 3 },
    answer: { status: 201, body: { ...example, password: 'shown-once' } },
  },
  async handle(call) {
    const { name, size, labels = {} } = call.body;
    await widgets.requireFree(call, name, 'fra1');
    const row = await widgets.create(call, { name, size, labels }, ['size']);
    if (size > 9) call.warn({ code: 'large', detail: 'This is a large widget.', pointer: '/size' });
    return created({ ...present(row), password: `pw-${row.id}` });
  },
});

const getWidget = endpoint({
  id: 'getWidget',
  method: 'GET',
  path: '/workshop/v1/widgets/{id}',
  summary: 'Get a widget',
  permission: 'workshop:widgets:read',
  access: 'read',
  resource: { name: 'widget', role: 'read' },
  params: WidgetId,
  answers: { 200: Widget },
  problems: [],
  example: { params: { id: example.id }, answer: { status: 200, body: example } },
  async handle(call) {
    return ok(present(await widgets.get(call, call.params.id)));
  },
});

const updateWidget = endpoint({
  id: 'updateWidget',
  method: 'PATCH',
  path: '/workshop/v1/widgets/{id}',
  summary: 'Update a widget',
  permission: 'workshop:widgets:write',
  access: 'write',
  raisesCost: 'sometimes',
  resource: { name: 'widget', role: 'update' },
  params: WidgetId,
  body: Shape({
    size: Type.Optional(Type.Integer({ minimum: 1, maximum: 10 })),
    labels: Type.Optional(LabelsPatch),
  }),
  answers: { 200: Widget },
  problems: [],
  example: {
    params: { id: example.id },
    body: { size: 2 },
    answer: { status: 200, body: { ...example, size: 2 } },
  },
  async handle(call) {
    const before = await widgets.take(call, call.params.id);
    const { size = before.size } = call.body;
    const labels = mergeLabels(before.labels, call.body.labels);
    return ok(present(await widgets.update(call, before, { size, labels })));
  },
});

const deleteWidget = endpoint({
  id: 'deleteWidget',
  method: 'DELETE',
  path: '/workshop/v1/widgets/{id}',
  summary: 'Delete a widget',
  permission: 'workshop:widgets:delete',
  access: 'destructive',
  resource: { name: 'widget', role: 'delete' },
  params: WidgetId,
  answers: { 204: null },
  problems: [],
  example: { params: { id: example.id }, answer: { status: 204, body: null } },
  async handle(call) {
    await widgets.remove(call, await widgets.take(call, call.params.id));
    return noContent;
  },
});

export const workshop: Family = {
  name: 'workshop',
  title: 'Workshop',
  description: 'Only in tests.',
  topics: {
    widget: { title: 'Widgets', purpose: 'Things that tests create, change and delete.' },
    order: { title: 'Orders', purpose: 'Things without a name that stay.' },
    order_message: { title: 'Messages', purpose: 'Things that are only listed.' },
    machine: { title: 'Test machines', purpose: 'Things whose changes are operations.' },
  },
  endpoints: [
    listWidgets,
    createWidget,
    getWidget,
    updateWidget,
    deleteWidget,
    ...machineEndpoints,
    ...orderEndpoints,
  ],
  kinds: machineKinds,
  resources: [widgets, machineResource, ...orderResources],
};
