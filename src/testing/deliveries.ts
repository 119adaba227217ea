/** A part of the test family that each order has exactly once: columns of the order, with calls of their own. */
import { exampleOf } from '../kernel/examples.ts';
import { Etag, Id, Named, OneOf, Shape, Type } from '../kernel/schema.ts';
import { readOf, view, writeOf } from '../resources/records/records.ts';
import { orders } from './orders.ts';

const Door = OneOf(['front', 'back']);
const Delivery = Named('OrderDelivery', Shape({ order_id: Id('ord'), door: Door, etag: Etag }));

const delivery = {
  type: 'order_delivery',
  words: 'delivery',
  idPrefix: orders.idPrefix,
  permission: 'workshop:orders:read',
  etag: orders.etag.bind(orders),
} as const;

const deliveryView = view(delivery, {
  path: '/workshop/v1/orders/{id}/delivery',
  parent: { of: orders, column: 'order_id', param: 'id' },
  single: true,
  schema: Delivery,
  example: exampleOf(Delivery, { door: 'back' }),
  compute: ({ id }) => ({ order_id: id }),
});

const getOrderDelivery = readOf(deliveryView, {
  id: 'getOrderDelivery',
  read: (call) => orders.find(call, { by: 'id', value: call.params.id }),
});

const setOrderDelivery = writeOf(deliveryView, 'declare', {
  id: 'setOrderDelivery',
  body: Shape({ door: Type.Optional({ ...Door, default: 'front' }) }),
  example: { body: { door: 'back' } },
  async handle(call) {
    const { door = 'front' } = call.body;
    return { row: await orders.update(call, await orders.take(call, call.params.id), { door }) };
  },
});

export const deliveryEndpoints = [getOrderDelivery, setOrderDelivery];
