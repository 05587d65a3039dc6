import { LARGEST_ID } from '../../domain/limits.ts';
import { PET_STATUSES } from '../../domain/pet-status.ts';
import { MOVEMENT_KINDS } from '../../domain/stock-movement.ts';
import {
  dateTime,
  LARGEST_PAGE,
  movementId,
  orderId,
  petId,
  petStatus,
  signedUnits,
  stockCount,
} from './schema-values.ts';

const quantity = { ...stockCount, description: 'The number of units on hand.' } as const;

export const inventoryItem = {
  type: 'object',
  description: 'The stock of one pet.',
  required: ['petId', 'quantity', 'status'],
  properties: {
    petId,
    quantity,
    status: petStatus,
    reserved: {
      ...stockCount,
      format: 'int32',
      description: 'The number of units that open orders reserve.',
      readOnly: true,
    },
  },
  example: { petId: 7, quantity: 12, status: 'available', reserved: 2 },
} as const;

export const inventoryItems = {
  type: 'array',
  description: 'A page of inventory entries.',
  items: inventoryItem,
  maxItems: LARGEST_PAGE,
  example: [inventoryItem.example],
} as const;

export const inventoryUpdate = {
  type: 'object',
  description: 'A new stock count.',
  required: ['quantity'],
  properties: { quantity },
  additionalProperties: false,
  example: { quantity: 12 },
} as const;

export const inventorySort = {
  type: 'string',
  description: 'A field to sort by; `-` reverses the order.',
  enum: ['petId', '-petId', 'quantity', '-quantity'],
  default: 'petId',
} as const;

const count = { type: 'integer', format: 'int64', minimum: 0, maximum: LARGEST_ID } as const;

export const inventoryShare = {
  type: 'object',
  description: 'The pets that have one status.',
  required: ['pets', 'units'],
  properties: {
    pets: { ...count, description: 'The number of pets with this status.' },
    units: { ...count, description: 'The number of units on hand of these pets.' },
  },
  example: { pets: 81, units: 640 },
} as const;

export const inventorySummary = {
  type: 'object',
  description: 'The stock of the whole store, by the status of the pets.',
  required: PET_STATUSES,
  properties: { available: inventoryShare, pending: inventoryShare, sold: inventoryShare },
  example: {
    available: inventoryShare.example,
    pending: { pets: 9, units: 11 },
    sold: { pets: 10, units: 0 },
  },
} as const;

export const movementKind = {
  type: 'string',
  description: 'What happened to the stock.',
  enum: MOVEMENT_KINDS,
} as const;

export const stockMovement = {
  type: 'object',
  description: 'One entry of the ledger: a change of the stock of one pet.',
  required: ['id', 'petId', 'kind', 'quantity', 'reserved', 'at'],
  properties: {
    id: movementId,
    petId,
    kind: movementKind,
    quantity: { ...signedUnits, description: 'The change of the units on hand.' },
    reserved: { ...signedUnits, description: 'The change of the units that open orders reserve.' },
    orderId,
    at: { ...dateTime, description: 'When it happened.' },
  },
  example: {
    id: 12,
    petId: 7,
    kind: 'reserved',
    quantity: 0,
    reserved: 1,
    orderId: 3,
    at: '2026-11-21T10:15:30.000Z',
  },
} as const;

export const stockMovements = {
  type: 'array',
  description: 'A page of stock movements, newest first.',
  items: stockMovement,
  maxItems: LARGEST_PAGE,
  example: [stockMovement.example],
} as const;
