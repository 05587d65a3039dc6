import { defineEntity, p } from '@mikro-orm/core';
import { MOVEMENT_KINDS } from '../../../domain/stock-movement.ts';

/*
 * The tables, as in `../sqlite/schema.ts`, in PostgreSQL's terms. Texts that are compared and sorted are so by code points
 * (`collate "C"`), whatever the language of the database. Numbers are `bigint` throughout, so that a value from outside is never too large to be
 * compared; what is on or off is 0 or 1.
 *
 * Conditions are written as PostgreSQL gives them back, which is how MikroORM compares them.
 */

const id = () => p.bigint('number').primary().autoincrement();
const number = () => p.bigint('number');
const flag = () => p.smallint();
const key = () => p.text().collation('C');

const oneOf = (column: string, values: readonly string[]) =>
  `${column} = any (array[${values.map((value) => `'${value}'::text`).join(', ')}])`;

/** One row that says what is true of the store as a whole. */
const store = defineEntity({
  name: 'StoreRow',
  tableName: 'store',
  properties: {
    id: p.smallint().primary().autoincrement(false),
    /** Whether anything was ever kept. */
    touched: flag(),
  },
  checks: [{ name: 'store_id_check', expression: 'id = 1' }],
});

const categories = defineEntity({
  name: 'CategoryRow',
  tableName: 'categories',
  properties: { id: id(), name: p.text(), nameKey: key(), description: p.text().nullable() },
  uniques: [{ name: 'categories_name_key', properties: ['nameKey'] }],
  checks: [
    { name: 'categories_name_check', expression: 'length(name) >= 1 and length(name) <= 100' },
    { name: 'categories_description_check', expression: 'length(description) <= 1000' },
  ],
});

const pets = defineEntity({
  name: 'PetRow',
  tableName: 'pets',
  properties: {
    id: id(),
    name: p.text(),
    nameKey: key(),
    category: () =>
      p.manyToOne(categories).joinColumn('category_id').deleteRule('restrict').updateRule('restrict').index(false),
    quantity: number(),
    reserved: number(),
    held: flag(),
    status: key(),
  },
  indexes: [
    { name: 'pets_by_category', properties: ['category', 'id'] },
    { name: 'pets_by_status', properties: ['status', 'id'] },
    { name: 'pets_by_category_status', properties: ['category', 'status', 'id'] },
    { name: 'pets_by_name', properties: ['nameKey', 'id'] },
    { name: 'pets_by_category_name', properties: ['category', 'nameKey', 'id'] },
    { name: 'pets_by_quantity', properties: ['quantity', 'id'] },
    { name: 'pets_by_status_quantity', properties: ['status', 'quantity', 'id'] },
  ],
  checks: [
    { name: 'pets_name_check', expression: 'length(name) >= 1 and length(name) <= 100' },
    { name: 'pets_quantity_check', expression: 'quantity >= 0 and quantity <= 1000000000' },
    { name: 'pets_reserved_check', expression: 'reserved >= 0 and reserved <= quantity' },
    { name: 'pets_held_check', expression: 'held >= 0 and held <= 1' },
    {
      name: 'pets_status_check',
      expression:
        "status = case when quantity = 0 then 'sold'::text when held = 1 or quantity = reserved then 'pending'::text else 'available'::text end",
    },
  ],
});

const orders = defineEntity({
  name: 'OrderRow',
  tableName: 'orders',
  properties: {
    id: id(),
    pet: () => p.manyToOne(pets).joinColumn('pet_id').deleteRule('restrict').updateRule('restrict').index(false),
    quantity: number(),
    /** Milliseconds since 1970-01-01T00:00:00Z, as every time here. */
    shipDate: number().nullable(),
    complete: flag(),
  },
  indexes: [
    { name: 'orders_by_pet', properties: ['pet', 'id'] },
    { name: 'orders_by_complete', properties: ['complete', 'id'] },
    { name: 'orders_by_ship_date', properties: ['shipDate', 'id'] },
  ],
  checks: [
    { name: 'orders_quantity_check', expression: 'quantity >= 1 and quantity <= 1000000' },
    { name: 'orders_complete_check', expression: 'complete >= 0 and complete <= 1' },
  ],
});

const movements = defineEntity({
  name: 'MovementRow',
  tableName: 'movements',
  properties: {
    id: id(),
    pet: () => p.manyToOne(pets).joinColumn('pet_id').deleteRule('cascade').updateRule('restrict').index(false),
    kind: p.text(),
    quantity: number(),
    reserved: number(),
    /** No foreign key: the entries of a cancelled order stay. */
    orderId: number().nullable(),
    at: number(),
  },
  indexes: [{ name: 'movements_by_pet', properties: ['pet', 'id'] }],
  checks: [{ name: 'movements_kind_check', expression: oneOf('kind', MOVEMENT_KINDS) }],
});

const events = defineEntity({
  name: 'EventRow',
  tableName: 'events',
  properties: {
    position: id(),
    /** The number of its transaction: see `outbox.ts`. */
    transaction: number(),
    /** The unit of work that it belongs to: see `uncertain-commit.ts`. */
    unit: p.uuid(),
    type: p.text(),
    /** The thing as it was right after, as JSON. */
    data: p.text(),
    at: number(),
  },
});

/** Units of work that appended no event. */
const marks = defineEntity({
  name: 'MarkRow',
  tableName: 'marks',
  properties: { unit: p.uuid().primary(), at: number() },
  indexes: [{ name: 'marks_by_at', properties: ['at'] }],
});

const outcomes = defineEntity({
  name: 'OutcomeRow',
  tableName: 'outcomes',
  properties: {
    id: id(),
    request: p.blob(),
    /** UTF-8, like the answer; both are missing while nobody can see the row. */
    fingerprint: p.blob().nullable(),
    answer: p.blob().nullable(),
    at: number(),
  },
  uniques: [{ name: 'outcomes_request', properties: ['request'] }],
  indexes: [{ name: 'outcomes_by_at', properties: ['at', 'id'] }],
  checks: [{ name: 'outcomes_request_check', expression: 'octet_length(request) = 32' }],
});

const apiKeys = defineEntity({
  name: 'ApiKeyRow',
  tableName: 'api_keys',
  properties: {
    id: id(),
    name: p.text(),
    /** A JSON array of them. */
    scopes: p.text(),
    digest: p.text(),
    createdAt: number(),
    expiresAt: number().nullable(),
    revokedAt: number().nullable(),
  },
  checks: [
    { name: 'api_keys_name_check', expression: 'length(name) >= 1 and length(name) <= 100' },
    { name: 'api_keys_scopes_check', expression: "jsonb_typeof(scopes::jsonb) = 'array'::text" },
    { name: 'api_keys_digest_check', expression: "digest <> ''::text" },
  ],
});

/** What `rate-limiter-flexible` counts in, where nodes count together. */
const rateLimits = defineEntity({
  name: 'RateLimitRow',
  tableName: 'rate_limits',
  properties: {
    key: p.text().primary(),
    points: p.integer().default(0),
    expire: number().nullable(),
  },
});

export const tables = [store, categories, pets, orders, movements, events, marks, outcomes, apiKeys, rateLimits];
