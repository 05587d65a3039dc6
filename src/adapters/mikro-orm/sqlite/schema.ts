import { defineEntity, p } from '@mikro-orm/core';
import { MOVEMENT_KINDS } from '../../../domain/stock-movement.ts';

/*
 * The tables. MikroORM owns them, their migrations and the connections; what runs often is SQL fixed once. The database
 * repeats the rules of stock as constraints, as the last line: code that breaks one fails and keeps nothing.
 *
 * Foreign keys bring their index along (`pets_category_id_index`, …), which SQLite orders by identifier.
 *
 * A pet and its inventory entry are one row, so there is never one without the other and the two can never show different
 * statuses. `status` is checked against the stock rather than generated from it: SQLite renews every index on a generated
 * column whenever what it is made from is set, which an order does.
 */

/** MikroORM reads the checks back from the text of the table, which it takes apart at every comma before a space. */
const oneOf = (column: string, values: readonly string[]) =>
  `${column} in (${values.map((value) => `'${value}'`).join(',')})`;

const categories = defineEntity({
  name: 'CategoryRow',
  tableName: 'categories',
  properties: {
    id: p.integer().primary().autoincrement(),
    name: p.text(),
    nameKey: p.text(),
    description: p.text().nullable(),
  },
  uniques: [{ name: 'categories_name_key', properties: ['nameKey'] }],
  checks: [
    { name: 'categories_name_check', expression: 'length(name) between 1 and 100' },
    { name: 'categories_description_check', expression: 'length(description) <= 1000' },
  ],
});

const pets = defineEntity({
  name: 'PetRow',
  tableName: 'pets',
  properties: {
    id: p.integer().primary().autoincrement(),
    name: p.text(),
    nameKey: p.text(),
    category: () => p.manyToOne(categories).joinColumn('category_id').deleteRule('restrict').updateRule('restrict'),
    quantity: p.integer(),
    reserved: p.integer(),
    held: p.boolean(),
    status: p.text(),
  },
  indexes: [
    { name: 'pets_by_status', properties: ['status', 'id'] },
    { name: 'pets_by_category_status', properties: ['category', 'status', 'id'] },
    { name: 'pets_by_name', properties: ['nameKey', 'id'] },
    { name: 'pets_by_category_name', properties: ['category', 'nameKey', 'id'] },
    { name: 'pets_by_quantity', properties: ['quantity', 'id'] },
    { name: 'pets_by_status_quantity', properties: ['status', 'quantity', 'id'] },
  ],
  checks: [
    { name: 'pets_name_check', expression: 'length(name) between 1 and 100' },
    { name: 'pets_quantity_check', expression: 'quantity between 0 and 1000000000' },
    { name: 'pets_reserved_check', expression: 'reserved between 0 and quantity' },
    { name: 'pets_held_check', expression: 'held between 0 and 1' },
    {
      name: 'pets_status_check',
      expression:
        "status = case when quantity = 0 then 'sold' when held or quantity = reserved then 'pending' else 'available' end",
    },
  ],
});

const orders = defineEntity({
  name: 'OrderRow',
  tableName: 'orders',
  properties: {
    id: p.integer().primary().autoincrement(),
    pet: () => p.manyToOne(pets).joinColumn('pet_id').deleteRule('restrict').updateRule('restrict'),
    quantity: p.integer(),
    /** Milliseconds since 1970-01-01T00:00:00Z, as every time here. */
    shipDate: p.integer().nullable(),
    complete: p.boolean(),
  },
  indexes: [
    { name: 'orders_by_complete', properties: ['complete', 'id'] },
    { name: 'orders_by_ship_date', properties: ['shipDate', 'id'] },
  ],
  checks: [
    { name: 'orders_quantity_check', expression: 'quantity between 1 and 1000000' },
    { name: 'orders_complete_check', expression: 'complete between 0 and 1' },
  ],
});

const movements = defineEntity({
  name: 'MovementRow',
  tableName: 'movements',
  properties: {
    id: p.integer().primary().autoincrement(),
    pet: () => p.manyToOne(pets).joinColumn('pet_id').deleteRule('cascade').updateRule('restrict'),
    kind: p.text(),
    quantity: p.integer(),
    reserved: p.integer(),
    /** No foreign key: the entries of a cancelled order stay. */
    orderId: p.integer().nullable(),
    at: p.integer(),
  },
  checks: [{ name: 'movements_kind_check', expression: oneOf('kind', MOVEMENT_KINDS) }],
});

const events = defineEntity({
  name: 'EventRow',
  tableName: 'events',
  properties: {
    position: p.integer().primary().autoincrement(),
    type: p.text(),
    /** The thing as it was right after, as JSON. */
    data: p.text(),
    at: p.integer(),
  },
});

const outcomes = defineEntity({
  name: 'OutcomeRow',
  tableName: 'outcomes',
  properties: {
    id: p.integer().primary().autoincrement(),
    caller: p.text(),
    operation: p.text(),
    key: p.text(),
    fingerprint: p.text(),
    at: p.integer(),
    /** Last, as it may be large: what stands before it is read without it. */
    answer: p.text(),
  },
  uniques: [{ name: 'outcomes_request', properties: ['caller', 'operation', 'key'] }],
  indexes: [{ name: 'outcomes_by_at', properties: ['at', 'id'] }],
  checks: [
    { name: 'outcomes_caller_check', expression: 'length(caller) <= 300' },
    { name: 'outcomes_operation_check', expression: 'length(operation) <= 300' },
    { name: 'outcomes_key_check', expression: 'length(key) <= 300' },
  ],
});

const apiKeys = defineEntity({
  name: 'ApiKeyRow',
  tableName: 'api_keys',
  properties: {
    id: p.integer().primary().autoincrement(),
    name: p.text(),
    /** A JSON array of them. */
    scopes: p.text(),
    digest: p.text(),
    createdAt: p.integer(),
    expiresAt: p.integer().nullable(),
    revokedAt: p.integer().nullable(),
  },
  checks: [
    { name: 'api_keys_name_check', expression: 'length(name) between 1 and 100' },
    { name: 'api_keys_scopes_check', expression: "json_valid(scopes) and json_type(scopes) = 'array'" },
    { name: 'api_keys_digest_check', expression: "digest <> ''" },
  ],
});

export const tables = [categories, pets, orders, movements, events, outcomes, apiKeys];
