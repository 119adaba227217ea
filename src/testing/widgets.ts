/**
 * A family that exists only in tests. It uses every feature of a product family (create with a secret, merge patch,
 * If-Match, delete, labels, prices, inventory), so that the laws check them without depending on a product family.
 */
import { exampleOf } from '../kernel/examples.ts';
import { mergeLabels } from '../kernel/merged-labels.ts';
import { dateFilters, ListQuery } from '../kernel/pages/list.ts';
import { created, endpoint } from '../kernel/record.ts';
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
  Time,
  Type,
} from '../kernel/schema.ts';
import { Owned } from '../resources/owned/owned.ts';
import { deleteOf, listOf, readOf, view, writeOf } from '../resources/records/records.ts';
import { deliveryEndpoints } from './deliveries.ts';
import { machineEndpoints } from './machine-endpoints.ts';
import { machineKinds, machineResource } from './machines.ts';
import { noticeEndpoints, notices } from './notices.ts';
import { openingHoursEndpoints, openingHoursResource } from './opening-hours.ts';
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
const data = Shape({ size: Type.Integer() });

/** A widget costs what a volume of ten times its size costs. */
const widgets = new Owned({
  type: 'widget',
  idPrefix: 'wid',
  table: 'widgets',
  permission: 'workshop:widgets:read',
  path: '/workshop/v1/widgets/{id}',
  limit: 'workshop.widgets',
  pricedAs: 'volume',
  loses: 'Its size, and whatever was made of it.',
  events: { created: { data }, updated: { data }, deleted: { data } },
  eventData: ({ size }) => ({ size }),
  inventory: ({ size }) => ({
    status: 'ready',
    location: 'fra1',
    configuration: { location: 'fra1', size_gb: 10 * size },
  }),
});

const widgetView = view(widgets, {
  schema: Widget,
  example: exampleOf(Widget, { name: 'one', size: 3, labels: {}, etag: 'q3w2c9T1hVb7Zk0m' }),
});
const { example } = widgetView;

const listWidgets = listOf(widgetView, {
  id: 'listWidgets',
  query: ListQuery(
    { name: Type.Optional({ ...ResourceName, description: 'Exactly this name.' }), ...dateFilters },
    { sort: ['created_at', '-created_at', 'name', '-name'] },
  ),
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
    return created({ ...widgetView.present(call, row), password: `pw-${row.id}` });
  },
});

const getWidget = readOf(widgetView, { id: 'getWidget' });

const updateWidget = writeOf(widgetView, 'update', {
  id: 'updateWidget',
  raisesCost: 'sometimes',
  body: Shape({
    size: Type.Optional(Type.Integer({ minimum: 1, maximum: 10 })),
    labels: Type.Optional(LabelsPatch),
  }),
  example: { body: { size: 2 }, answer: { size: 2 } },
  async handle(call) {
    const before = await widgets.take(call, call.params.id);
    const { size = before.size } = call.body;
    const labels = mergeLabels(before.labels, call.body.labels);
    return { row: await widgets.update(call, before, { size, labels }) };
  },
});

const deleteWidget = deleteOf(widgetView, { id: 'deleteWidget' });

export const workshop: Family = {
  name: 'workshop',
  title: 'Workshop',
  description: 'Only in tests.',
  topics: {
    widget: { title: 'Widgets', purpose: 'Things that tests create, change and delete.' },
    order: { title: 'Orders', purpose: 'Things without a name that stay.' },
    order_message: { title: 'Messages', purpose: 'Things that are only listed.' },
    order_delivery: { title: 'Delivery', purpose: 'Something that each order has once.' },
    notice: { title: 'Notices', purpose: 'Things that customers only read.' },
    opening_hours: { title: 'Opening hours', purpose: 'Something that each account has once.' },
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
    ...deliveryEndpoints,
    ...noticeEndpoints,
    ...openingHoursEndpoints,
  ],
  kinds: machineKinds,
  resources: [widgets, machineResource, ...orderResources, notices, openingHoursResource],
};
