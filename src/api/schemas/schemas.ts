import type { FromSchema, JSONSchema } from 'json-schema-to-ts';
import {
  categories,
  category,
  categoryPatch,
  categoryReplacement,
  categorySort,
  newCategory,
} from './category-schemas.ts';
import { error, errorDetail, problem } from './error-schemas.ts';
import { event, events, eventType } from './event-schemas.ts';
import {
  inventoryItem,
  inventoryItems,
  inventoryShare,
  inventorySort,
  inventorySummary,
  inventoryUpdate,
  movementKind,
  stockMovement,
  stockMovements,
} from './inventory-schemas.ts';
import { newOrder, order, orderPatch, orderSort, orders } from './order-schemas.ts';
import {
  newPet,
  newPets,
  pet,
  petExpansion,
  petPatch,
  petReplacement,
  petSort,
  pets,
  storePet,
} from './pet-schemas.ts';
import { petStatus } from './schema-values.ts';
import {
  newWebhook,
  webhook,
  webhookDeliveries,
  webhookDelivery,
  webhookDeliveryStatus,
  webhookPatch,
  webhookSecret,
  webhooks,
} from './webhook-schemas.ts';

/*
 * The JSON Schemas of all requests and responses, in the dialect of OpenAPI 3.0.3. They are the single source:
 * they validate requests, type the handlers, make the OpenAPI document, and check the responses in the tests.
 * Request schemas are closed. Response schemas are open, because version 1 may add fields.
 */

/** `components.schemas` of the document. */
export const namedSchemas = {
  NewPet: newPet,
  NewPets: newPets,
  PetReplacement: petReplacement,
  PetPatch: petPatch,
  Pet: pet,
  Pets: pets,
  PetStatus: petStatus,
  PetSort: petSort,
  PetExpansion: petExpansion,
  StorePet: storePet,
  NewCategory: newCategory,
  CategoryReplacement: categoryReplacement,
  CategoryPatch: categoryPatch,
  Category: category,
  Categories: categories,
  CategorySort: categorySort,
  NewOrder: newOrder,
  OrderPatch: orderPatch,
  Order: order,
  Orders: orders,
  OrderSort: orderSort,
  InventoryItem: inventoryItem,
  InventoryItems: inventoryItems,
  InventorySort: inventorySort,
  InventoryUpdate: inventoryUpdate,
  InventoryShare: inventoryShare,
  InventorySummary: inventorySummary,
  StockMovement: stockMovement,
  StockMovements: stockMovements,
  MovementKind: movementKind,
  Event: event,
  Events: events,
  EventType: eventType,
  NewWebhook: newWebhook,
  WebhookPatch: webhookPatch,
  Webhook: webhook,
  Webhooks: webhooks,
  WebhookSecret: webhookSecret,
  WebhookDelivery: webhookDelivery,
  WebhookDeliveryStatus: webhookDeliveryStatus,
  WebhookDeliveries: webhookDeliveries,
  Error: error,
  ErrorDetail: errorDetail,
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

/** The current response. The published schema is open; this type has only the declared fields. */
type Sent<S extends JSONSchema> = FromSchema<S & { readonly additionalProperties: false }>;

export type PetBody = Sent<typeof pet>;
export type CategoryBody = Sent<typeof category>;
export type OrderBody = Sent<typeof order>;
export type InventoryItemBody = Sent<typeof inventoryItem>;
