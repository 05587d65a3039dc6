import type { OrderFilter, OrderSnapshot } from '../application/ports/reader.ts';
import { formatDateTime, parseDateTime } from './date-time.ts';
import { listOperation, type Operation, operation } from './operation.ts';
import { pageParameters, pageResponse } from './paging.ts';
import { newOrder, order, orderPatch, orderSort, orders } from './schemas/order-schemas.ts';
import { dateTime, id } from './schemas/schema-values.ts';

const filters = {
  petId: { description: 'Only orders for this pet.', schema: id },
  complete: {
    description: 'Only complete orders (`true`), or only open orders (`false`).',
    schema: { type: 'boolean' },
  },
  shipDateFrom: { description: 'Only orders whose ship date is this instant or later.', schema: dateTime },
  shipDateTo: { description: 'Only orders whose ship date is before this instant.', schema: dateTime },
} as const;

const links = {
  getOrder: 'The order.',
  updateOrder: 'Changes or completes the order.',
  cancelOrder: 'Cancels the order while it is open.',
  getStorePet: 'The pet that was ordered.',
} as const;

export const orderOperations: readonly Operation[] = [
  listOperation({
    operationId: 'listOrders',
    path: '/store/orders',
    tag: 'Store',
    scope: 'store:read',
    summary: 'List orders',
    description:
      'Returns a page of orders. All filters must match. Sorted by ship date in either direction, orders without one come last.',
    query: { ...filters, ...pageParameters(orderSort) },
    response: { description: 'A page of orders.', schema: orders },
    refusals: ['invalid_cursor'],
    handle: (call, { orderDesk }) => {
      const { petId, complete, shipDateFrom, shipDateTo, sort = 'id', limit, cursor } = call.query;
      const filter: OrderFilter = { petId, complete, shipDateFrom, shipDateTo };
      return pageResponse(call, {
        of: 'orders',
        filter: { ...filter },
        sort,
        limit,
        cursor,
        read: (page) => orderDesk.list(filter, page),
        count: (most) => orderDesk.count(filter, most),
      });
    },
    show: orderToJson,
  }),
  operation({
    operationId: 'placeOrder',
    method: 'post',
    path: '/store/orders',
    tag: 'Store',
    scope: 'store:write',
    summary: 'Place an order',
    description:
      'Reserves units of an available pet for the order. With `complete: true` the order is placed and completed in one step.',
    body: { description: 'The order to place.', schema: newOrder },
    success: 201,
    response: { description: 'The placed order.', schema: order, links },
    refusals: ['unknown_pet', 'pet_not_available', 'insufficient_stock'],
    handle: ({ body, options }, { orderDesk }) => {
      const shipDate = body.shipDate === undefined ? undefined : parseDateTime(body.shipDate);
      return orderDesk.place({ ...body, shipDate }, options);
    },
    show: orderToJson,
    location: ({ id }) => `/store/orders/${id}`,
  }),
  operation({
    operationId: 'getOrder',
    method: 'get',
    path: '/store/orders/{orderId}',
    tag: 'Store',
    scope: 'store:read',
    summary: 'Get an order',
    description: 'Returns one order.',
    conditional: true,
    success: 200,
    response: { description: 'The order.', schema: order },
    refusals: ['order_not_found'],
    handle: ({ path: { orderId } }, { orderDesk }) => orderDesk.get(orderId),
    show: orderToJson,
  }),
  operation({
    operationId: 'updateOrder',
    method: 'patch',
    path: '/store/orders/{orderId}',
    tag: 'Store',
    scope: 'store:write',
    summary: 'Change or complete an order',
    description:
      'Changes the fields that the merge patch (RFC 7396) contains; `null` removes the ship date. `complete: true` takes the reserved units out of stock and sets a missing ship date to now.',
    body: { description: 'The fields to change.', schema: orderPatch },
    conditional: true,
    success: 200,
    response: { description: 'The changed order.', schema: order },
    refusals: ['order_not_found', 'order_already_complete', 'pet_not_available', 'insufficient_stock'],
    handle: ({ path: { orderId }, body, options }, { orderDesk }) => {
      const shipDate = typeof body.shipDate === 'string' ? parseDateTime(body.shipDate) : body.shipDate;
      return orderDesk.change(orderId, { ...body, shipDate }, options);
    },
    show: orderToJson,
  }),
  operation({
    operationId: 'cancelOrder',
    method: 'delete',
    path: '/store/orders/{orderId}',
    tag: 'Store',
    scope: 'store:write',
    summary: 'Cancel an open order',
    description: 'Deletes an open order and releases its units. Its stock movements remain.',
    conditional: true,
    success: 204,
    response: { description: 'The order was cancelled and deleted.' },
    refusals: ['order_not_found', 'order_already_complete'],
    handle: ({ path: { orderId }, options }, { orderDesk }) => orderDesk.cancel(orderId, options),
    show: orderToJson,
  }),
];

export function orderToJson({ id, petId, quantity, shipDate, complete }: OrderSnapshot) {
  return { id, petId, quantity, shipDate: shipDate === undefined ? undefined : formatDateTime(shipDate), complete };
}
