import type { FromSchema } from 'json-schema-to-ts';
import { PET_STATUSES } from '../../domain/pet-status.ts';
import { MOVEMENT_KINDS } from '../../domain/stock-movement.ts';
import { error, problem } from './error-schemas.ts';

/*
 * The JSON Schemas of everything that crosses the wire, in the dialect of OpenAPI 3.0.3. They are the single source:
 * they validate requests, type the handlers, make the OpenAPI document, and check the answers in the tests.
 */

/** The largest integer that every JSON client holds exactly: 2^53 - 1. */
export const LARGEST_ID = 9007199254740991;

const INNER_SPACE = '[ \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]';
const VISIBLE = '[^\\s\\u0000-\\u001f\\u007f-\\u009f]';
/**
 * Any text without control characters (Unicode's Cc); white space at the ends does not count and is removed. Written so
 * that each character can be matched in one way only, which keeps it linear on hostile input.
 */
const TEXT = `^\\s*(?:${VISIBLE}(?:${INNER_SPACE}*${VISIBLE})*\\s*)?$`;
const NON_EMPTY_TEXT = `^\\s*${VISIBLE}(?:${INNER_SPACE}*${VISIBLE})*\\s*$`;

export const id = { type: 'integer', format: 'int64', minimum: 1, maximum: LARGEST_ID } as const;
export const petStatus = { type: 'string', enum: PET_STATUSES } as const;
export const dateTime = { type: 'string', format: 'date-time' } as const;
const name = { type: 'string', minLength: 1, maxLength: 100, pattern: NON_EMPTY_TEXT } as const;
const description = { type: 'string', maxLength: 1000, pattern: TEXT } as const;
const stockCount = { type: 'integer', minimum: 0, maximum: 1_000_000_000 } as const;
const units = { type: 'integer', minimum: 1, maximum: 1_000_000 } as const;
const signed = { type: 'integer', minimum: -1_000_000_000, maximum: 1_000_000_000 } as const;

/** The beginning of a name, to search by. */
export const namePrefix = name;

export const newPet = {
  type: 'object',
  required: ['name', 'categoryId'],
  properties: { name, categoryId: id, status: { ...petStatus, default: 'available' } },
  additionalProperties: false,
  example: { name: 'Biscuit', categoryId: 1, status: 'available' },
} as const;

export const petReplacement = {
  type: 'object',
  description: 'A NewPet; the `id` may come back as it was read, and a `status` that is left out stays as it is.',
  required: ['name', 'categoryId'],
  properties: { id, name, categoryId: id, status: petStatus },
  additionalProperties: false,
  example: { id: 7, name: 'Biscuit', categoryId: 1, status: 'pending' },
} as const;

export const petPatch = {
  type: 'object',
  minProperties: 1,
  properties: { name, categoryId: id, status: petStatus },
  additionalProperties: false,
  example: { status: 'pending' },
} as const;

export const pet = {
  type: 'object',
  required: ['name', 'categoryId', 'id'],
  properties: { id, name, categoryId: id, status: { ...petStatus, default: 'available' } },
  additionalProperties: false,
  example: { id: 7, name: 'Biscuit', categoryId: 1, status: 'available' },
} as const;

export const pets = { type: 'array', items: pet, example: [pet.example] } as const;
export const newPets = {
  type: 'array',
  items: newPet,
  minItems: 1,
  maxItems: 1000,
  example: [newPet.example, { name: 'Shadow', categoryId: 1, status: 'pending' }],
} as const;

export const newCategory = {
  type: 'object',
  required: ['name'],
  properties: { name, description },
  additionalProperties: false,
  example: { name: 'Dogs', description: 'Puppies and grown dogs.' },
} as const;

export const categoryReplacement = {
  type: 'object',
  description: 'A NewCategory; the `id` may come back as it was read, and a `description` that is left out goes.',
  required: ['name'],
  properties: { id, name, description },
  additionalProperties: false,
  example: { id: 1, name: 'Dogs', description: 'Puppies and grown dogs, all vaccinated.' },
} as const;

export const categoryPatch = {
  type: 'object',
  description: 'A merge patch (RFC 7396): `null` takes the description away.',
  minProperties: 1,
  properties: { name, description: { ...description, nullable: true } },
  additionalProperties: false,
  example: { description: 'Puppies and grown dogs, all vaccinated.' },
} as const;

export const category = {
  type: 'object',
  required: ['name', 'id'],
  properties: { id, name, description },
  additionalProperties: false,
  example: { id: 1, name: 'Dogs', description: 'Puppies and grown dogs.' },
} as const;

export const categories = { type: 'array', items: category, example: [category.example] } as const;

export const newOrder = {
  type: 'object',
  required: ['petId'],
  properties: {
    petId: id,
    quantity: { ...units, default: 1 },
    shipDate: dateTime,
    complete: { type: 'boolean', default: false },
  },
  additionalProperties: false,
  example: { petId: 7, quantity: 1, shipDate: '2026-12-24T09:00:00.000Z' },
} as const;

export const orderPatch = {
  type: 'object',
  description: 'A merge patch (RFC 7396): `null` takes the ship date away.',
  minProperties: 1,
  properties: {
    quantity: units,
    shipDate: { ...dateTime, nullable: true },
    complete: { type: 'boolean' },
  },
  additionalProperties: false,
  example: { complete: true },
} as const;

export const order = {
  type: 'object',
  properties: {
    id,
    petId: id,
    quantity: units,
    shipDate: dateTime,
    complete: { type: 'boolean' },
  },
  additionalProperties: false,
  example: { id: 3, petId: 7, quantity: 1, shipDate: '2026-12-24T09:00:00.000Z', complete: false },
} as const;

export const orders = { type: 'array', items: order, example: [order.example] } as const;

export const inventoryItem = {
  type: 'object',
  required: ['petId', 'quantity', 'status'],
  properties: { petId: id, quantity: stockCount, status: petStatus, reserved: { ...stockCount, readOnly: true } },
  additionalProperties: false,
  example: { petId: 7, quantity: 12, status: 'available', reserved: 2 },
} as const;

export const inventoryItems = { type: 'array', items: inventoryItem, example: [inventoryItem.example] } as const;

export const inventoryUpdate = {
  type: 'object',
  description:
    'The stock count. The entry’s other fields may come back as they were read; what they say follows from the stock and is not taken over.',
  required: ['quantity'],
  properties: {
    quantity: stockCount,
    petId: { ...id, readOnly: true },
    status: { ...petStatus, readOnly: true },
    reserved: { ...stockCount, readOnly: true },
  },
  additionalProperties: false,
  example: { quantity: 12 },
} as const;

const count = { type: 'integer', format: 'int64', minimum: 0, maximum: LARGEST_ID } as const;
const share = {
  type: 'object',
  required: ['pets', 'units'],
  properties: { pets: count, units: count },
  additionalProperties: false,
} as const;

export const inventorySummary = {
  type: 'object',
  required: PET_STATUSES,
  properties: { available: share, pending: share, sold: share },
  additionalProperties: false,
  example: {
    available: { pets: 81, units: 640 },
    pending: { pets: 9, units: 11 },
    sold: { pets: 10, units: 0 },
  },
} as const;

export const stockMovement = {
  type: 'object',
  required: ['id', 'petId', 'kind', 'quantity', 'reserved', 'at'],
  properties: {
    id,
    petId: id,
    kind: { type: 'string', enum: MOVEMENT_KINDS },
    quantity: signed,
    reserved: signed,
    orderId: id,
    at: dateTime,
  },
  additionalProperties: false,
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

export const stockMovements = { type: 'array', items: stockMovement, example: [stockMovement.example] } as const;

export const storePet = {
  type: 'object',
  required: ['name', 'categoryId', 'id'],
  properties: { ...pet.properties, category, inventory: inventoryItem },
  additionalProperties: false,
  example: { ...pet.example, category: category.example, inventory: inventoryItem.example },
} as const;

/** `components.schemas` of the document. */
export const namedSchemas = {
  NewPet: newPet,
  NewPets: newPets,
  PetReplacement: petReplacement,
  PetPatch: petPatch,
  Pet: pet,
  Pets: pets,
  StorePet: storePet,
  NewCategory: newCategory,
  CategoryReplacement: categoryReplacement,
  CategoryPatch: categoryPatch,
  Category: category,
  Categories: categories,
  NewOrder: newOrder,
  OrderPatch: orderPatch,
  Order: order,
  Orders: orders,
  InventoryItem: inventoryItem,
  InventoryItems: inventoryItems,
  InventoryUpdate: inventoryUpdate,
  InventorySummary: inventorySummary,
  PetStatus: petStatus,
  StockMovement: stockMovement,
  StockMovements: stockMovements,
  Error: error,
  Problem: problem,
} as const;

export type NewPet = FromSchema<typeof newPet>;
export type PetReplacement = FromSchema<typeof petReplacement>;
export type PetPatch = FromSchema<typeof petPatch>;
export type NewCategory = FromSchema<typeof newCategory>;
export type CategoryReplacement = FromSchema<typeof categoryReplacement>;
export type CategoryPatch = FromSchema<typeof categoryPatch>;
export type NewOrder = FromSchema<typeof newOrder>;
export type OrderPatch = FromSchema<typeof orderPatch>;
export type InventoryUpdate = FromSchema<typeof inventoryUpdate>;
export type PetBody = FromSchema<typeof pet>;
export type CategoryBody = FromSchema<typeof category>;
export type OrderBody = FromSchema<typeof order>;
export type InventoryItemBody = FromSchema<typeof inventoryItem>;
