/**
 * Resources of the test family that are shaped otherwise than widgets and machines: orders have no name and are never
 * deleted, and their messages have no GET of their own.
 */
import { type Generated, type Selectable, sql } from 'kysely';
import { UnnamedQuery } from '../kernel/listing/query.ts';
import { List, ListQuery } from '../kernel/pages/list.ts';
import { readPage, type SortKey } from '../kernel/pages/store.ts';
import { Problem } from '../kernel/problems/problem.ts';
import { created, endpoint, ok } from '../kernel/record.ts';
import { Id, Labels, Named, Shape, type Static, Time, Type } from '../kernel/schema.ts';
import { Owned } from '../resources/owned/owned.ts';
import type { UnnamedColumns } from '../resources/owned/table.ts';
import type { Db, Tables } from '../store/database.ts';

interface OrdersTable extends UnnamedColumns {
  quantity: number;
  /** A column of the order that has calls of its own: `deliveries.ts`. */
  door: Generated<'front' | 'back'>;
  labels: Generated<Record<string, string>>;
}

interface OrderMessagesTable extends UnnamedColumns {
  order_id: string;
  text: string;
}

declare module '../store/database.ts' {
  interface Tables {
    orders: OrdersTable;
    order_messages: OrderMessagesTable;
  }
}

export async function createOrdersTables(db: Db): Promise<void> {
  await sql`
    create table orders (
      id text collate "C" primary key, account_id text collate "C" not null, quantity int not null,
      door text not null default 'front', labels jsonb not null default '{}', version int not null default 1,
      created_at timestamptz not null default now(), updated_at timestamptz not null default now())`.execute(
    db,
  );
  await sql`create index orders_page on orders (account_id, id)`.execute(db);
  await sql`create index orders_by_update on orders (account_id, updated_at, id)`.execute(db);
  await sql`
    create table order_messages (
      id text collate "C" primary key, account_id text collate "C" not null,
      order_id text collate "C" not null references orders, text text not null, version int not null default 1,
      created_at timestamptz not null default now(), updated_at timestamptz not null default now())`.execute(
    db,
  );
  await sql`create index order_messages_page on order_messages (order_id, id)`.execute(db);
}

const Order = Named(
  'Order',
  Shape({
    id: Id('ord'),
    quantity: Type.Integer(),
    labels: Labels,
    etag: Type.String(),
    created_at: Time,
    updated_at: Time,
  }),
);

const example: Static<typeof Order> = {
  id: 'ord_01jqzv2m7xe9rs5d3k8w4t6y0b',
  quantity: 3,
  labels: {},
  etag: 'q3w2c9T1hVb7Zk0m',
  created_at: '2026-03-01T10:00:00.000Z',
  updated_at: '2026-03-01T10:00:00.000Z',
};

export const orders = new Owned({
  type: 'order',
  idPrefix: 'ord',
  table: 'orders',
  permission: 'workshop:orders:read',
  path: '/workshop/v1/orders/{id}',
  loses: 'What was ordered is not sent.',
  events: { created: {}, updated: {} },
});

const presentOrder = (row: Selectable<Tables['orders']>): Static<typeof Order> => ({
  id: row.id,
  quantity: row.quantity,
  labels: row.labels,
  etag: orders.etag(row),
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

const OrderId = Shape({ id: Id('ord') });

const listOrders = endpoint({
  id: 'listOrders',
  method: 'GET',
  path: '/workshop/v1/orders',
  summary: 'List orders',
  permission: 'workshop:orders:read',
  access: 'read',
  resource: { name: 'order', role: 'list' },
  query: UnnamedQuery({}),
  answers: { 200: List(Order) },
  problems: [],
  example: { answer: { status: 200, body: { data: [example], next_cursor: null } } },
  async handle(call) {
    const { rows, nextCursor } = await orders.list(call, 'listOrders');
    return ok({ data: rows.map(presentOrder), next_cursor: nextCursor });
  },
});

const createOrder = endpoint({
  id: 'createOrder',
  method: 'POST',
  path: '/workshop/v1/orders',
  summary: 'Place an order',
  permission: 'workshop:orders:write',
  access: 'write',
  resource: { name: 'order', role: 'create' },
  body: Shape({
    quantity: Type.Integer({ minimum: 1, maximum: 10 }),
    labels: Type.Optional({ ...Labels, default: {} }),
  }),
  answers: { 201: Order },
  problems: [],
  example: { body: { quantity: 3 }, answer: { status: 201, body: example } },
  async handle(call) {
    const { quantity, labels = {} } = call.body;
    return created(presentOrder(await orders.create(call, { quantity, labels }, ['quantity'])));
  },
});

const getOrder = endpoint({
  id: 'getOrder',
  method: 'GET',
  path: '/workshop/v1/orders/{id}',
  summary: 'Get an order',
  permission: 'workshop:orders:read',
  access: 'read',
  resource: { name: 'order', role: 'read' },
  params: OrderId,
  answers: { 200: Order },
  problems: [],
  example: { params: { id: example.id }, answer: { status: 200, body: example } },
  async handle(call) {
    return ok(presentOrder(await orders.get(call, call.params.id)));
  },
});

const Message = Named(
  'OrderMessage',
  Shape({ id: Id('omsg'), text: Type.String({ maxLength: 200 }), created_at: Time }),
);
const message: Static<typeof Message> = {
  id: 'omsg_01jqzv2m7xe9rs5d3k8w4t6y0b',
  text: 'When will it come?',
  created_at: '2026-03-01T10:00:00.000Z',
};

const messages = new Owned({
  type: 'order_message',
  idPrefix: 'omsg',
  table: 'order_messages',
  loses: 'Its text.',
  events: { created: {} },
});

const presentMessage = ({ id, text, created_at }: Selectable<Tables['order_messages']>) => ({
  id,
  text,
  created_at: created_at.toISOString(),
});

const byId: SortKey = { column: sql.ref('order_messages.id'), type: 'text' };

const listOrderMessages = endpoint({
  id: 'listOrderMessages',
  method: 'GET',
  path: '/workshop/v1/orders/{id}/messages',
  summary: 'List the messages of an order',
  permission: 'workshop:orders:read',
  access: 'read',
  resource: { name: 'order_message', role: 'list' },
  params: OrderId,
  query: ListQuery({}, { sort: ['created_at', '-created_at'] }),
  answers: { 200: List(Message) },
  problems: [],
  example: {
    params: { id: example.id },
    answer: { status: 200, body: { data: [message], next_cursor: null } },
  },
  async handle(call) {
    const { id } = await orders.get(call, call.params.id);
    const query = call.db.selectFrom('order_messages').selectAll().where('order_id', '=', id);
    const owner = { column: sql.ref('order_messages.order_id'), id };
    const { rows, nextCursor } = await readPage(call, query, {
      endpoint: 'listOrderMessages',
      owner,
      id: byId,
      sorts: { created_at: byId },
    });
    return ok({ data: rows.map(presentMessage), next_cursor: nextCursor });
  },
});

const createOrderMessage = endpoint({
  id: 'createOrderMessage',
  method: 'POST',
  path: '/workshop/v1/orders/{id}/messages',
  summary: 'Write a message about an order',
  permission: 'workshop:orders:write',
  access: 'write',
  resource: { name: 'order_message', role: 'create' },
  params: OrderId,
  body: Shape({ text: Type.String({ minLength: 1, maxLength: 200 }) }),
  answers: { 201: Message },
  problems: [],
  example: {
    params: { id: example.id },
    body: { text: message.text },
    answer: { status: 201, body: message },
  },
  async handle(call) {
    const order = await orders.lock(call, { by: 'id', value: call.params.id });
    if (order === undefined) throw new Problem('not_found');
    return created(
      presentMessage(await messages.create(call, { order_id: order.id, text: call.body.text }, ['text'])),
    );
  },
});

export const orderEndpoints = [listOrders, createOrder, getOrder, listOrderMessages, createOrderMessage];
export const orderResources = [orders, messages];
