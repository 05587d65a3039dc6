import type { InventoryFilter, InventoryView, MovementView, SummaryView } from '../application/ports/reader.ts';
import { MOST_UNITS } from '../domain/limits.ts';
import { formatDateTime } from './date-time.ts';
import { listOperation, type Operation, operation } from './operation.ts';
import { cursorParameters, pageParameters, pageResponse } from './paging.ts';
import {
  inventoryItem,
  inventoryItems,
  inventorySort,
  inventorySummary,
  inventoryUpdate,
  stockMovements,
} from './schemas/inventory-schemas.ts';
import { id, MOST_VALUES, petStatus } from './schemas/schema-values.ts';

const filters = {
  status: {
    description: 'Only entries with one of these statuses, comma-separated or repeated.',
    schema: { type: 'array', items: petStatus, maxItems: MOST_VALUES },
    example: ['available', 'pending'],
  },
  petId: {
    description: 'Only the entries of these pets, comma-separated or repeated.',
    schema: { type: 'array', items: id, maxItems: MOST_VALUES },
    example: [1, 2, 3],
  },
  below: {
    description: 'Only entries with fewer units on hand than this value.',
    schema: { type: 'integer', format: 'int32', minimum: 0, maximum: MOST_UNITS + 1 },
    example: 5,
  },
} as const;

export const inventoryOperations: readonly Operation[] = [
  listOperation({
    operationId: 'listInventory',
    path: '/store/inventory',
    tag: 'Store',
    scope: 'store:read',
    summary: 'List the inventory',
    description: 'Returns a page of inventory entries, one for each pet. All filters must match.',
    query: { ...filters, ...pageParameters(inventorySort) },
    response: { description: 'A page of inventory entries.', schema: inventoryItems },
    refusals: ['invalid_cursor'],
    handle: (call, { stockRoom }) => {
      const { status, petId: petIds, below, sort = 'petId', limit, cursor } = call.query;
      const filter: InventoryFilter = { status, petIds, below };
      return pageResponse(call, {
        of: 'inventory',
        filter: { ...filter },
        sort,
        limit,
        cursor,
        read: (page) => stockRoom.list(filter, page),
        count: (most) => stockRoom.countItems(filter, most),
      });
    },
    show: inventoryItemToJson,
  }),
  operation({
    operationId: 'getInventorySummary',
    method: 'get',
    path: '/store/inventory/summary',
    tag: 'Store',
    scope: 'store:read',
    summary: 'Get the inventory by status',
    description: 'Returns, for each status, the number of pets that have it and the number of their units on hand.',
    success: 200,
    response: { description: 'The sums by status.', schema: inventorySummary },
    refusals: [],
    handle: (_call, { stockRoom }) => stockRoom.summary(),
    show: (summary: SummaryView) => summary,
  }),
  operation({
    operationId: 'getInventoryItem',
    method: 'get',
    path: '/store/inventory/{petId}',
    tag: 'Store',
    scope: 'store:read',
    summary: 'Get the stock of a pet',
    description: 'Returns the inventory entry of one pet.',
    conditional: true,
    success: 200,
    response: { description: 'The inventory entry.', schema: inventoryItem },
    refusals: ['pet_not_found'],
    handle: ({ path: { petId } }, { stockRoom }) => stockRoom.get(petId),
    show: inventoryItemToJson,
  }),
  operation({
    operationId: 'setStock',
    method: 'put',
    path: '/store/inventory/{petId}',
    tag: 'Store',
    scope: 'store:write',
    summary: 'Set the stock count of a pet',
    description:
      'Sets the number of units on hand. The count cannot be lower than the number of units that open orders reserve. The status of the pet follows from the count.',
    body: { description: 'The new stock count.', schema: inventoryUpdate },
    conditional: true,
    success: 200,
    response: { description: 'The changed inventory entry.', schema: inventoryItem },
    refusals: ['pet_not_found', 'stock_below_reserved'],
    handle: ({ path: { petId }, body, options }, { stockRoom }) => stockRoom.count(petId, body.quantity, options),
    show: inventoryItemToJson,
  }),
  listOperation({
    operationId: 'listStockMovements',
    path: '/store/inventory/{petId}/movements',
    tag: 'Store',
    scope: 'store:read',
    stability: 'beta',
    summary: 'List the stock movements of a pet',
    description: 'Returns a page of the ledger of one pet, newest first.',
    query: cursorParameters,
    response: { description: 'A page of stock movements.', schema: stockMovements },
    refusals: ['pet_not_found', 'invalid_cursor'],
    handle: (call, { stockRoom }) => {
      const { petId } = call.path;
      const { limit, cursor } = call.query;
      return pageResponse(call, {
        of: 'movements',
        filter: { petId },
        sort: '-id',
        limit,
        cursor,
        read: (page) => stockRoom.movements(petId, page),
        count: (most) => stockRoom.countMovements(petId, most),
      });
    },
    show: movementToJson,
  }),
];

export function inventoryItemToJson({ petId, quantity, status, reserved }: InventoryView) {
  return { petId, quantity, status, reserved };
}

function movementToJson({ id, petId, kind, quantity, reserved, orderId, at }: MovementView) {
  return { id, petId, kind, quantity, reserved, orderId, at: formatDateTime(at) };
}
