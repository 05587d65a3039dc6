import { complete, LARGEST_PAGE, orderedUnits, orderId, petId, shipDate } from './schema-values.ts';

const quantity = { ...orderedUnits, format: 'int32' } as const;

export const newOrder = {
  type: 'object',
  description: 'An order to place.',
  required: ['petId'],
  properties: {
    petId,
    quantity: { ...quantity, default: 1 },
    shipDate,
    complete: { ...complete, default: false },
  },
  additionalProperties: false,
  example: { petId: 7, quantity: 1, shipDate: '2026-12-24T09:00:00.000Z' },
} as const;

export const orderPatch = {
  type: 'object',
  description: 'A merge patch (RFC 7396) with at least one field: `null` removes the ship date.',
  minProperties: 1,
  properties: { quantity, shipDate: { ...shipDate, nullable: true }, complete },
  additionalProperties: false,
  example: { complete: true },
} as const;

export const order = {
  type: 'object',
  description: 'An order for units of one pet.',
  properties: { id: orderId, petId, quantity: orderedUnits, shipDate, complete },
  example: { id: 3, petId: 7, quantity: 1, shipDate: '2026-12-24T09:00:00.000Z', complete: false },
} as const;

export const orders = {
  type: 'array',
  description: 'A page of orders.',
  items: order,
  maxItems: LARGEST_PAGE,
  example: [order.example],
} as const;

export const orderSort = {
  type: 'string',
  description: 'A field to sort by; `-` reverses the order.',
  enum: ['id', '-id', 'shipDate', '-shipDate'],
  default: 'id',
} as const;
