import type { InventoryFilter, InventoryView, MovementView } from '../../application/ports/reader.ts';
import { bodyOf, type Operation, operation } from './operation.ts';
import { formatDateTime } from './protocol/date-time.ts';
import { ok } from './protocol/message.ts';
import { cursorParameters, listed, pageParameters } from './protocol/paging.ts';
import { sameAsPath } from './protocol/same-as-path.ts';
import {
  type InventoryUpdate,
  id,
  inventoryItem,
  inventoryItems,
  inventorySummary,
  inventoryUpdate,
  petStatus,
  stockMovements,
} from './schemas.ts';

const SORTS = ['petId', '-petId', 'quantity', '-quantity'] as const;

const filters = {
  status: {
    description: 'Only entries with one of these statuses, comma-separated or repeated.',
    schema: { type: 'array', items: petStatus },
    example: ['available', 'pending'],
  },
  petId: {
    description: 'Only the entries of these pets, comma-separated or repeated.',
    schema: { type: 'array', items: id, maxItems: 100 },
    example: [1, 2, 3],
  },
  below: {
    description: 'Only entries with fewer units on hand than this.',
    schema: { type: 'integer', minimum: 0, maximum: 1_000_000_001 },
    example: 5,
  },
} as const;

export const inventoryRoutes: readonly Operation[] = [
  operation({
    operationId: 'listInventory',
    method: 'get',
    path: '/store/inventory',
    tag: 'Store',
    scope: 'store:read',
    summary: 'List what is in stock',
    query: { ...filters, ...pageParameters(SORTS) },
    paged: true,
    success: 200,
    answer: { description: 'A page of inventory entries.', schema: inventoryItems },
    refusals: ['invalid_cursor'],
    handle: (call, { stockRoom }) => {
      const { status, petId: petIds, below, sort = 'petId', limit, cursor } = call.query;
      const filter: InventoryFilter = { status, petIds, below };
      return listed(call, {
        of: 'inventory',
        filter: { ...filter },
        sort,
        limit,
        cursor,
        read: (page) => stockRoom.list(filter, page),
        count: () => stockRoom.countItems(filter),
        show: showItem,
      });
    },
  }),
  operation({
    operationId: 'getInventorySummary',
    method: 'get',
    path: '/store/inventory/summary',
    tag: 'Store',
    scope: 'store:read',
    summary: 'Sum up what is in stock',
    description: 'For each status, how many pets show it and how many units of them are on hand.',
    success: 200,
    answer: { description: 'The sums.', schema: inventorySummary },
    refusals: [],
    handle: async (_call, { stockRoom }) => ok(await stockRoom.summary()),
  }),
  operation({
    operationId: 'getInventoryItem',
    method: 'get',
    path: '/store/inventory/{petId}',
    tag: 'Store',
    scope: 'store:read',
    summary: 'Get what is in stock of a pet',
    conditional: true,
    success: 200,
    answer: { description: 'The inventory entry.', schema: inventoryItem },
    refusals: ['pet_not_found'],
    handle: async ({ path: { petId } }, { stockRoom }) => ok(showItem(await stockRoom.get(petId))),
  }),
  operation({
    operationId: 'setStock',
    method: 'put',
    path: '/store/inventory/{petId}',
    tag: 'Store',
    scope: 'store:write',
    summary: 'Set the stock count of a pet',
    body: bodyOf<InventoryUpdate>({ description: 'The stock count.', schema: inventoryUpdate }),
    conditional: true,
    success: 200,
    answer: { description: 'The inventory entry, as it is now.', schema: inventoryItem },
    refusals: ['pet_not_found', 'stock_below_reserved'],
    handle: async ({ path: { petId }, body, expectation }, { stockRoom }) => {
      sameAsPath('petId', body.petId, petId);
      return ok(showItem(await stockRoom.count(petId, body.quantity, expectation(showItem))));
    },
  }),
  operation({
    operationId: 'listStockMovements',
    method: 'get',
    path: '/store/inventory/{petId}/movements',
    tag: 'Store',
    scope: 'store:read',
    stability: 'beta',
    summary: 'List what happened to the stock of a pet, newest first',
    query: cursorParameters,
    paged: true,
    success: 200,
    answer: { description: 'A page of stock movements.', schema: stockMovements },
    refusals: ['pet_not_found', 'invalid_cursor'],
    handle: (call, { stockRoom }) => {
      const { petId } = call.path;
      const { limit, cursor } = call.query;
      return listed(call, {
        of: 'movements',
        filter: { petId },
        sort: '-id',
        limit,
        cursor,
        read: (page) => stockRoom.movements(petId, page),
        count: () => stockRoom.countMovements(petId),
        show: showMovement,
      });
    },
  }),
];

function showItem({ petId, quantity, status, reserved }: InventoryView) {
  return { petId, quantity, status, reserved };
}

function showMovement({ id, petId, kind, quantity, reserved, orderId, at }: MovementView) {
  return { id, petId, kind, quantity, reserved, orderId, at: formatDateTime(at) };
}
