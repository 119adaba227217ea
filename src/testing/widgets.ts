/**
 * A family that exists only in tests. It uses every feature of a product family (create with a secret, merge patch,
 * If-Match, delete, labels, prices, inventory), so that the laws check them without depending on a product family.
 */
import { type Selectable, sql } from 'kysely';
import { etagOf } from '../kernel/etag.ts';
import { dateFilters, List, ListQuery } from '../kernel/pages/list.ts';
import { readPage, type SortKey } from '../kernel/pages/store.ts';
import { Problem } from '../kernel/problems/problem.ts';
import { created, endpoint, noContent, ok } from '../kernel/record.ts';
import type { Family } from '../kernel/registry.ts';
import {
  Id,
  Labels,
  Named,
  Nullable,
  ResourceName,
  Secret,
  Shape,
  type Static,
  Time,
  Type,
} from '../kernel/schema.ts';
import type { Services } from '../kernel/services.ts';
import { formatMoney, formatRate } from '../money/prices/format.ts';
import { forgetResource, noteResource } from '../resources/inventory/store.ts';
import type { Db, Tables } from '../store/database.ts';
import { machineEndpoints } from './machine-endpoints.ts';
import { machineEvents, machineKinds } from './machines.ts';
import { widgetEvent, widgetEvents } from './widget-events.ts';

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

const example: Static<typeof Widget> = {
  id: 'wid_01jqzv2m7xe9rs5d3k8w4t6y0b',
  name: 'one',
  size: 3,
  labels: {},
  etag: 'q3w2c9T1hVb7Zk0m',
  created_at: '2026-03-01T10:00:00.000Z',
};

function present(row: Selectable<Tables['widgets']>): Static<typeof Widget> {
  const { id, name, size, labels, version, created_at } = row;
  return { id, name, size, labels, etag: etagOf(id, version), created_at: created_at.toISOString() };
}

async function find(db: Db, accountId: string, id: string, lock = false) {
  let query = db.selectFrom('widgets').selectAll().where('id', '=', id).where('account_id', '=', accountId);
  if (lock) query = query.forUpdate();
  const row = await query.executeTakeFirst();
  if (row === undefined) throw new Problem('not_found');
  return row;
}

/** A widget is priced as a volume of ten times its size. */
async function noteWidget(db: Db, { tariff }: Services, row: Selectable<Tables['widgets']>, keyId: string) {
  const priced = await noteResource(
    db,
    {
      id: row.id,
      account_id: row.account_id,
      family: 'workshop',
      type: 'widget',
      name: row.name,
      status: 'ready',
      location: 'fra1',
      labels: row.labels,
      parent_id: null,
      api_key_id: keyId,
      priced_as: 'volume',
      configuration: { location: 'fra1', size_gb: 10 * row.size },
    },
    { tariff },
  );
  return { hourly: formatRate(priced?.hourly ?? 0n), monthly: formatMoney(priced?.monthly ?? 0n) };
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
    labels: Type.Optional(Labels),
  }),
  answers: { 201: NewWidget },
  problems: ['name_taken'],
  example: {
    body: { name: 'one', size: 3 },
    answer: { status: 201, body: { ...example, password: 'shown-once' } },
  },
  async handle({ db, caller, body, effect, cost, event, warn, requestId, services }) {
    const id = requestId.replace(/^req/, 'wid');
    const { id: accountId } = caller.account;
    const taken = await db
      .selectFrom('widgets')
      .select('id')
      .where('account_id', '=', accountId)
      .where('name', '=', body.name)
      .executeTakeFirst();
    if (taken !== undefined) throw new Problem('name_taken', { extra: { existing_id: taken.id } });
    const row = await db
      .insertInto('widgets')
      .values({ id, account_id: accountId, name: body.name, size: body.size, labels: body.labels ?? {} })
      .returningAll()
      .executeTakeFirstOrThrow();
    const price = await noteWidget(db, services, row, caller.key.id);
    effect({
      action: 'create',
      type: 'widget',
      id,
      name: body.name,
      changes: [{ pointer: '/size', before: null, after: body.size }],
    });
    cost({ ...price, currency: services.provider.provider.currency, labels: row.labels });
    event(widgetEvent('created', row));
    if (body.size > 9) warn({ code: 'large', detail: 'This is a large widget.', pointer: '/size' });
    return created({ ...present(row), password: `pw-${id}` });
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
  async handle({ db, caller, params }) {
    return ok(present(await find(db, caller.account.id, params.id)));
  },
});

const updateWidget = endpoint({
  id: 'updateWidget',
  method: 'PATCH',
  path: '/workshop/v1/widgets/{id}',
  summary: 'Update a widget',
  permission: 'workshop:widgets:write',
  access: 'write',
  resource: { name: 'widget', role: 'update' },
  params: WidgetId,
  body: Shape({
    size: Type.Optional(Type.Integer({ minimum: 1, maximum: 10 })),
    labels: Type.Optional(Labels),
  }),
  answers: { 200: Widget },
  problems: [],
  example: {
    params: { id: example.id },
    body: { size: 4 },
    answer: { status: 200, body: { ...example, size: 4 } },
  },
  async handle({ db, caller, params, body, checkVersion, effect, event, services }) {
    const before = await find(db, caller.account.id, params.id, true);
    checkVersion(etagOf(before.id, before.version));
    const row = await db
      .updateTable('widgets')
      .set({
        size: body.size ?? before.size,
        labels: body.labels ?? before.labels,
        version: sql`version + 1`,
      })
      .where('id', '=', before.id)
      .returningAll()
      .executeTakeFirstOrThrow();
    await noteWidget(db, services, row, caller.key.id);
    effect({
      action: 'update',
      type: 'widget',
      id: row.id,
      name: row.name,
      changes: [{ pointer: '/size', before: before.size, after: row.size }],
    });
    event(widgetEvent('updated', row));
    return ok(present(row));
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
  async handle({ db, caller, params, checkVersion, effect, event }) {
    const row = await find(db, caller.account.id, params.id, true);
    checkVersion(etagOf(row.id, row.version));
    await db.deleteFrom('widgets').where('id', '=', row.id).execute();
    await forgetResource(db, row.id);
    effect({ action: 'delete', type: 'widget', id: row.id, name: row.name });
    event(widgetEvent('deleted', row));
    return noContent;
  },
});

export const workshop: Family = {
  name: 'workshop',
  title: 'Workshop',
  description: 'Only in tests.',
  endpoints: [listWidgets, createWidget, getWidget, updateWidget, deleteWidget, ...machineEndpoints],
  kinds: machineKinds,
  eventTypes: [...widgetEvents, ...machineEvents],
  resourceTypes: [
    {
      type: 'widget',
      permission: 'workshop:widgets:read',
      path: '/workshop/v1/widgets/{id}',
      limit: 'workshop.widgets',
    },
    { type: 'machine', permission: 'workshop:machines:read', path: '/workshop/v1/machines/{id}' },
  ],
};
